package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

type playOptions struct {
	against    players.Spec
	humanFirst bool
	ponder     bool
	players    engine.PlayerOptions
	live       players.Options
}

func newPlay() *cobra.Command {
	var flags configFlags
	opt := playOptions{live: players.Default()}
	var against, first, gameName string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against a model in the terminal",
		Example: "  tengen play --against net:checkpoints/connect4:400\n" +
			"  tengen play --against uct:5000 --game gomoku --first engine",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if against == "" {
				model, err := run.PretrainedFor(gameName)
				if err != nil {
					return err
				}
				against = "net:" + model + ":400"
			}
			var err error
			if opt.against, err = players.ParseSpec(against); err != nil {
				return usageErrorf("--against: %w", err)
			}
			opt.humanFirst = first == "human"
			e, players, err := flags.players(gameName, opt.against)
			if err != nil {
				return err
			}
			opt.players = players
			return play(cmd, e, opt)
		},
	}
	flags.register(cmd, "")
	cmd.Flags().StringVar(&against, "against", "", "the opponent's `SPEC`, see tengen help players (default the model that comes with tengen)")
	complete(cmd, "against", func(string) []string { return append(run.SpecsHere(), string(players.KindHuman)) })
	gameFlag(cmd, &gameName, "`name` of the game, where the opponent's model does not tell")
	choiceFlag(cmd, &first, "first", "human", "who begins: human or engine", "human", "engine")
	cmd.Flags().BoolVar(&opt.ponder, "ponder", false, "let the engine think while you do")
	cmd.Flags().Uint64Var(&opt.live.Seed, "seed", opt.live.Seed, "seed of the opponent's random choices")
	coresFlag(cmd, &opt.live.Threads, "threads", "goroutines that the engine thinks with")
	return cmd
}

// play plays one game. Ctrl-C and the end of the input end it.
func play(cmd *cobra.Command, e engine.Game, opt playOptions) (err error) {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	advisor := opt.against
	if advisor.Kind == players.KindHuman || advisor.Kind == players.KindRandom {
		advisor = players.Spec{Kind: players.KindUCT, Limit: 5000}
	}
	p := newLivePlay(ctx, cmd, e, opt)
	thinker := func(spec players.Spec) (engine.Thinker, error) {
		player, err := e.Player(spec, opt.players)
		if err != nil {
			return nil, err
		}
		return player.Think(opt.live)
	}
	if p.advisor, err = thinker(advisor); err != nil {
		return err
	}
	defer p.advisor.Stop()
	if opt.against.Kind != players.KindHuman {
		if p.engine, err = thinker(opt.against); err != nil {
			return err
		}
		defer p.engine.Stop()
	}
	fmt.Fprintf(p.out, "%s against %s. Type a move, or undo, hint, help, quit.\n", e.Info().Name, opt.against)
	if err := p.run(ctx); !errors.Is(err, errQuit) {
		return err
	}
	return nil
}
