package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/players"
	"tengen/run"
)

type playOptions struct {
	against    players.Spec
	humanFirst bool
	ponder     bool
	load       func(game string, specs ...players.Spec) (engine.Game, engine.PlayerOptions, error)
	players    engine.PlayerOptions
	live       players.Options
}

func newPlay() *cobra.Command {
	var flags configFlags
	opt := playOptions{live: players.Default()}
	var against, first, gameName, level string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against a model in the terminal",
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := opponent(against, gameName, level)
			if err != nil {
				return err
			}
			if level != "" {
				e, _, err := flags.open(gameName, spec)
				if err != nil {
					return err
				}
				if spec, err = run.Level(e, level); err != nil {
					return err
				}
				gameName = e.Info().Name
			}
			e, players, err := flags.players(gameName, spec)
			if err != nil {
				return err
			}
			opt.against, opt.players, opt.humanFirst, opt.load = spec, players, first == "human", flags.players
			return play(cmd, e, opt)
		},
	}
	flags.register(cmd, "")
	cmd.Flags().StringVar(&against, "against", "", "the opponent's `SPEC`, see tengen help players (default the model that comes with tengen)")
	complete(cmd, "against", func(string) []string { return append(run.SpecsHere(), string(players.KindHuman)) })
	choiceFlag(cmd, &level, "level", "", "the opponent's level instead of a SPEC: "+strings.Join(run.Levels, ", "), run.Levels...)
	gameFlag(cmd, &gameName, "`name` of the game, if the opponent's model does not determine it")
	choiceFlag(cmd, &first, "first", "human", "who begins: human or engine", "human", "engine")
	cmd.Flags().BoolVar(&opt.ponder, "ponder", false, "let the engine think while you do")
	cmd.Flags().Uint64Var(&opt.live.Seed, "seed", opt.live.Seed, "seed of the opponent's random choices")
	coresFlag(cmd, &opt.live.Threads, "threads", "search goroutines of the engine")
	return cmd
}

// opponent returns the player that against names. Without it, the opponent is the model that comes with the game, or, if
// a level is given for a game without such a model, anything that plays the game.
func opponent(against, gameName, level string) (players.Spec, error) {
	if against != "" && level != "" {
		return players.Spec{}, usageErrorf("--against %s and --level %s both name the opponent: write one", against, level)
	}
	if against != "" {
		spec, err := players.ParseSpec(against)
		if err != nil {
			return spec, usageErrorf("--against: %w", err)
		}
		return spec, nil
	}
	if level != "" && gameName != "" {
		return players.Spec{Kind: players.KindRandom}, nil
	}
	model, err := run.PretrainedFor(gameName)
	return players.Spec{Kind: players.KindNet, Path: model, Limit: 400}, err
}

// play plays games until the user quits, presses Ctrl-C or ends the input.
func play(cmd *cobra.Command, e engine.Game, opt playOptions) (err error) {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	p := newLivePlay(ctx, cmd, e, opt)
	defer p.stop()
	advisor := opt.against
	if advisor.Kind == players.KindHuman || advisor.Kind == players.KindRandom {
		advisor = players.Spec{Kind: players.KindUCT, Limit: 5000}
	}
	if p.advisor, err = p.thinker(advisor); err != nil {
		return err
	}
	if opt.against.Kind != players.KindHuman {
		if p.engine, err = p.thinker(opt.against); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.out, "%s against %s.\nType a move, undo, hint, help or quit.\n", e.Info().Name, opt.against)
	if err := p.run(ctx); !errors.Is(err, errQuit) {
		return err
	}
	return nil
}
