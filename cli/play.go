package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/engine/transcript"
	"tengen/internal/printable"
	"tengen/players"
)

type playOptions struct {
	seats    [2]players.Spec // the first and the second player
	position engine.Position // where the game begins
	ponder   bool
	identify func(*engine.PlayerOptions, ...players.Spec) error
	players  engine.PlayerOptions
	live     players.Options
}

func newPlay() *cobra.Command {
	var flags configFlags
	opt := playOptions{live: players.Default()}
	var player, against, first, gameName, level, moves string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against a model in the terminal, or watch two players",
		RunE: func(cmd *cobra.Command, _ []string) error {
			mine, err := players.ParseSpec(player)
			if err != nil {
				return usageErrorf("--player: %w", err)
			}
			spec, err := flags.opponent(against, level, &gameName, mine)
			if err != nil {
				return err
			}
			e, players, err := flags.players(gameName, spec, mine)
			if err != nil {
				return err
			}
			defer players.Device.Close()
			if opt.position, err = transcript.End(e, moves); err != nil {
				return usageErrorf("--moves: %w", err)
			}
			opt.seats[0], opt.seats[1] = mine, spec
			if first == "engine" {
				opt.seats[0], opt.seats[1] = spec, mine
			}
			if players.Talk, err = openTalk(cmd); err != nil {
				return err
			}
			opt.players, opt.identify = players, flags.identify
			return play(cmd, e, opt)
		},
	}
	flags.register(cmd, "")
	specs := func(string) []string { return append(engine.SpecsHere(), string(players.KindHuman)) }
	cmd.Flags().StringVar(&against, "against", "", "the opponent's `SPEC`, see tengen help players (default the model that comes with tengen, else the level strong)")
	complete(cmd, "against", specs)
	cmd.Flags().StringVar(&player, "player", string(players.KindHuman), "the `SPEC` of a player that plays for you")
	complete(cmd, "player", specs)
	choiceFlag(cmd, &level, "level", "", "the opponent's level instead of a SPEC: "+strings.Join(engine.Levels, ", "), engine.Levels...)
	gameFlag(cmd, &gameName, "`name` of the game, if the opponent's model does not determine it")
	choiceFlag(cmd, &first, "first", "human", "who begins: human, or who plays for you; or engine, the opponent", "human", "engine")
	cmd.Flags().StringVar(&moves, "moves", "", "go on after these `moves`, such as 44353, or after a game in SGF")
	cmd.Flags().BoolVar(&opt.ponder, "ponder", false, "let the engine think while you do")
	cmd.Flags().Uint64Var(&opt.live.Seed, "seed", opt.live.Seed, "seed of the players' random choices")
	talkFlag(cmd)
	coresFlag(cmd, &opt.live.Threads, "threads", "search goroutines of a player")
	return cmd
}

// opponent returns the player that against or level names. Without both, it is the model that comes with the game, or
// the level strong. If neither --game nor a network says the game, opponent completes its name: the configuration's or,
// if that has none, home.
func (f *configFlags) opponent(against, level string, gameName *string, mine players.Spec) (spec players.Spec, err error) {
	if against != "" && level != "" {
		return spec, usageErrorf("--against %s and --level %s both name the opponent: write one", against, level)
	}
	if against != "" {
		if spec, err = players.ParseSpec(against); err != nil {
			return spec, usageErrorf("--against: %w", err)
		}
	}
	cfg, given, err := f.load("")
	if err != nil {
		return spec, err
	}
	if *gameName == "" && mine.Kind != players.KindNet && spec.Kind != players.KindNet {
		*gameName = cfg.Game
		if given["game"] == nil {
			*gameName = cmp.Or(home, cfg.Game)
		}
	}
	if against != "" {
		return spec, nil
	}
	e, err := engine.OpenFor(*gameName, mine)
	if err != nil {
		return spec, err
	}
	*gameName = e.Info().Name
	if level != "" {
		return engine.Level(e, level)
	}
	if model, err := engine.PretrainedFor(e); err == nil {
		return players.Spec{Kind: players.KindNet, Path: model, Limit: 400}, nil
	}
	return engine.Level(e, "strong")
}

// play plays games until the user quits, presses Ctrl-C or ends the input. It prints the moves of a game that it
// leaves.
func play(cmd *cobra.Command, e engine.Game, opt playOptions) (err error) {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	p := newLivePlay(ctx, cmd, e, opt)
	defer p.stop()
	for i, spec := range opt.seats {
		if spec.Kind != players.KindHuman {
			if p.programs[i], err = p.thinker(spec); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(p.out, p.greeting())
	err = p.run(ctx)
	if moves := p.position.Notation(); moves != "" && !p.position.Over {
		fmt.Fprintf(p.out, "Moves: %s\nTo continue the game, add --moves %s\n", moves, printable.Word(moves))
	}
	if !errors.Is(err, errQuit) {
		return err
	}
	return nil
}
