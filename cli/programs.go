package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"tengen/doors/gomocup"
	"tengen/doors/gtp"
	"tengen/doors/jsonlines"
	"tengen/engine"
	"tengen/players"
)

func newEnv() *cobra.Command {
	var flags configFlags
	var gameName, side, illegal string
	config := engine.DefaultEnvironment()
	cmd := &cobra.Command{
		Use:   "env --game NAME",
		Short: "Serve games as an environment to other programs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			config.Side, config.IllegalLoses = engine.ParseSide(side), illegal == "lose"
			e, options, err := flags.players(gameName, config.Opponent)
			if err != nil {
				return err
			}
			defer options.Device.Close()
			config.Players = options
			return jsonlines.Serve(cmd.Context(), e, config, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	flags.register(cmd, "")
	gameFlag(cmd, &gameName, "`name` of the game, if the opponent's model does not determine it")
	specsFlag(cmd, builtIn, "opponent", "the opponent's `SPEC`, see tengen help players (default none: the caller plays both sides)",
		func(s players.Spec) { config.Opponent = s })
	cmd.Flags().IntVar(&config.Games, "games", config.Games, "number of parallel games")
	choiceFlag(cmd, &side, "side", "random", "`side` that the caller plays against an opponent: first, second or random", "first", "second", "random")
	choiceFlag(cmd, &illegal, "illegal", "error", "`what` an illegal move does: error or lose", "error", "lose")
	cmd.Flags().BoolVar(&config.AutoReset, "auto-reset", false, "begin a new game with the first step after a game's end")
	cmd.Flags().Uint64Var(&config.Seed, "seed", 1, "seed of the first game; later games count up from it")
	coresFlag(cmd, &config.Workers, "workers", "number of goroutines")
	return cmd
}

func newGomocup() *cobra.Command {
	options := gomocup.Options{Version: engine.Version()}
	cmd := &cobra.Command{
		Use:   "gomocup",
		Short: "Play gomoku in Piskvork, Yixin-Board and other managers",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Players == nil {
				options.Players = gomocup.DefaultPlayers("checkpoints/pretrained/gomoku")
			}
			return gomocup.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), options)
		},
	}
	specsFlag(cmd, builtIn, "player", "`SPEC` of a player: a net, alphabeta, uct or random; may be repeated",
		func(s players.Spec) { options.Players = append(options.Players, s) })
	cmd.Flags().IntVar(&options.Threads, "threads", 0, "search goroutines, unless the manager sets the number (default one per core)")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of random choices")
	cmd.Flags().BoolVar(&options.Quiet, "quiet", false, "do not report the engine's thinking")
	return cmd
}

func newGTP() *cobra.Command {
	options := gtp.Options{Version: engine.Version()}
	var gameName string
	cmd := &cobra.Command{
		Use:   "gtp",
		Short: "Play and analyze in Sabaki, Lizzie and other programs for Go",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			isNet := func(s players.Spec) bool { return s.Kind == players.KindNet }
			if gameName == "" && !slices.ContainsFunc(options.Players, isNet) {
				gameName = cmp.Or(home, "gomoku")
			}
			if options.Game, err = engine.OpenFor(gameName, options.Players...); err != nil {
				return err
			}
			options.Log = cmd.ErrOrStderr()
			return gtp.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), options)
		},
	}
	gameFlag(cmd, &gameName, "`name` of the game at the start (default the first network's game, or gomoku)")
	specsFlag(cmd, builtIn, "player", "`SPEC` of a player, see tengen help players; may be repeated",
		func(s players.Spec) { options.Players = append(options.Players, s) })
	cmd.Flags().StringVar(&options.Name, "name", "tengen", "`name` reported to the manager; Lizzie accepts only KataGo")
	cmd.Flags().IntVar(&options.Threads, "threads", 0, "search goroutines (default one per core)")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of random choices")
	return cmd
}
