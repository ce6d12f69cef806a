package main

import (
	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/engine"
)

// specFlag adds a flag that takes a player's SPEC and completes it.
func specFlag(cmd *cobra.Command, value *string, name, usage string) {
	cmd.Flags().StringVar(value, name, "", usage)
	complete(cmd, name, func() []string {
		specs := []string{"random", "uct:", "alphabeta:", "minimax", "solver"}
		for _, model := range append(engine.ModelsHere(), engine.PretrainedModels()...) {
			specs = append(specs, "net:"+model)
		}
		return specs
	})
}

// gameFlag adds the flag --game, which completes the names of games.
func gameFlag(cmd *cobra.Command, value *string, usage string) {
	cmd.Flags().StringVar(value, "game", "", usage)
	complete(cmd, "game", engine.GameNames)
}

// complete makes a shell offer words for a flag's value, without a space behind them.
func complete(cmd *cobra.Command, flag string, words func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // there is no such flag
	}
}

// completeRun makes a shell offer run directories for an argument.
func completeRun(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return engine.RunsHere(), cobra.ShellCompDirectiveDefault
}

// parseSpec reads the SPEC that a flag gives.
func parseSpec(flag, text string) (arena.Spec, error) {
	if text == "" {
		return arena.Spec{}, usageErrorf("%s is missing: give it the SPEC of a player, %s", flag, arena.Forms())
	}
	s, err := arena.ParseSpec(text)
	if err != nil {
		return s, usageErrorf("%s: %w", flag, err)
	}
	return s, nil
}

// parseEngine is parseSpec for a flag that takes no person.
func parseEngine(flag, text string) (arena.Spec, error) {
	s, err := parseSpec(flag, text)
	if err == nil && s.Kind == arena.KindHuman {
		err = usageErrorf("%s: a person cannot be asked here, name another player", flag)
	}
	return s, err
}
