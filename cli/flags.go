package cli

import (
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/internal/limits"
	"tengen/players"
)

// specFlag adds a required flag for a player's SPEC that passes check. Of several, the one that was added last is
// required first.
func specFlag(cmd *cobra.Command, value *players.Spec, check func(players.Spec) error, name, usage string) {
	specsFlag(cmd, check, name, usage, func(s players.Spec) { *value = s })
	next := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if value.Kind == "" {
			return usageErrorf("--%s is missing: give it the SPEC of a player, %s (see `tengen help players`)", name, players.EngineForms())
		}
		if next == nil {
			return nil
		}
		return next(cmd, args)
	}
}

// Checks of a SPEC: any player except human, and without external engines.
var anyEngine, builtIn = players.Spec.CheckEngine, players.Spec.CheckBuiltIn

// specsFlag adds a flag for a player's SPEC that passes check. add gets the player each time that the flag is given.
func specsFlag(cmd *cobra.Command, check func(players.Spec) error, name, usage string, add func(players.Spec)) {
	cmd.Flags().Func(name, usage, func(text string) error {
		spec, err := players.ParseSpec(text)
		if err == nil {
			err = check(spec)
		}
		if err == nil {
			add(spec)
		}
		return err
	})
	complete(cmd, name, func(string) []string { return engine.SpecsHere() })
}

// talkFlag adds the flag --log of commands in which external engines play.
func talkFlag(cmd *cobra.Command) {
	cmd.Flags().String("log", "", "`file` for the lines sent to and received from external engines")
}

// openTalk returns a logger that overwrites talkFlag's file, or nil without the flag.
func openTalk(cmd *cobra.Command) (*log.Logger, error) {
	path := cmd.Flag("log").Value.String()
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, engine.InputError{Err: fmt.Errorf("--log: %w", err)}
	}
	return log.New(f, "", log.Ltime|log.Lmicroseconds), nil
}

func gameFlag(cmd *cobra.Command, value *string, usage string) {
	cmd.Flags().StringVar(value, "game", "", usage+", see tengen help games")
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

// coresFlag adds a flag for a number of goroutines. Its default, in value, depends on the machine, so the help shows it
// as "one per core".
func coresFlag(cmd *cobra.Command, value *int, name, usage string) {
	cmd.Flags().IntVar(value, name, *value, usage)
	cmd.Flags().Lookup(name).DefValue = "one per core"
}

// choiceFlag adds a flag whose value is one of a few words, and completes it.
func choiceFlag(cmd *cobra.Command, value *string, name, initial, usage string, words ...string) {
	*value = initial
	cmd.Flags().Var(choice{value, words}, name, usage)
	complete(cmd, name, func(string) []string { return words })
}

// choice implements pflag.Value.
type choice struct {
	*string
	words []string
}

// String implements pflag.Value.
func (c choice) String() string { return *c.string }

// Type implements pflag.Value.
func (choice) Type() string { return "string" }

// Set implements pflag.Value.
func (c choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("must be %s", limits.List(c.words))
	}
	*c.string = text
	return nil
}
