package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

// specFlag adds a flag for a player's SPEC and completes it. more holds kinds besides the usual ones.
func specFlag(cmd *cobra.Command, value *string, name, usage string, more ...string) {
	cmd.Flags().StringVar(value, name, "", usage)
	complete(cmd, name, func(string) []string { return append(run.SpecsHere(), more...) })
}

func gameFlag(cmd *cobra.Command, value *string, usage string) {
	cmd.Flags().StringVar(value, "game", "", usage)
	complete(cmd, "game", func(string) []string { return engine.GameNames() })
}

// complete completes a flag's value with words, without a space after them.
func complete(cmd *cobra.Command, flag string, words func(typed string) []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return words(typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag exists
	}
}

// afterComma prefixes each word with the part of a typed list up to its last comma.
func afterComma(typed string, words []string) []string {
	for i := range words {
		words[i] = typed[:strings.LastIndex(typed, ",")+1] + words[i]
	}
	return words
}

func completeRuns(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return run.RunsHere(), cobra.ShellCompDirectiveDefault
	}
}

func parseSpec(flag, text string) (players.Spec, error) {
	if text == "" {
		return players.Spec{}, usageErrorf("%s is missing: give it the SPEC of a player, %s", flag, players.EngineForms())
	}
	s, err := players.ParseSpec(text)
	if err != nil {
		return s, usageErrorf("%s: %w", flag, err)
	}
	return s, nil
}

// parseEngine is like parseSpec but rejects a person.
func parseEngine(flag, text string) (players.Spec, error) {
	s, err := parseSpec(flag, text)
	if err == nil && s.Kind == players.KindHuman {
		err = usageErrorf("%s: a person cannot be asked here, name another player", flag)
	}
	return s, err
}

func parseEngines(flag string, texts []string) ([]players.Spec, error) {
	specs := make([]players.Spec, len(texts))
	for i, text := range texts {
		var err error
		if specs[i], err = parseEngine(flag, text); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// coresFlag adds a flag for a number of goroutines. Its default, in value, depends on the machine, so the help shows it
// as "one per core".
func coresFlag(cmd *cobra.Command, value *int, name, usage string) {
	cmd.Flags().IntVar(value, name, *value, usage)
	cmd.Flags().Lookup(name).DefValue = "one per core"
}
