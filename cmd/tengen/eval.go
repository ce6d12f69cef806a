package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/arena/rating"
)

type evalOptions struct {
	player, against arena.Spec
	match           arena.MatchConfig
	json            bool
}

// mostSPRTGames ends a sequential test between players for whom neither difference holds.
const mostSPRTGames = 10_000

func newEval() *cobra.Command {
	var flags configFlags
	var player, against, gameName, sprt string
	opt := evalOptions{match: arena.Default()}
	cmd := &cobra.Command{
		Use:   "eval --player SPEC --against SPEC",
		Short: "Let two players meet and count the games",
		Long: "eval plays a match between two players. Each random opening is played twice with colours swapped.\n" +
			"It prints the score with its 95 % interval and the Elo difference. With --sprt it stops as soon as it is clear which\n" +
			"of two differences holds (sequential probability ratio test, errors of 5 %).",
		Example: "  tengen eval --player net:checkpoints/connect4:100 --against uct:1000 --games 200\n" +
			"  tengen eval --player net:new.safetensors:100 --against net:old.safetensors:100 --sprt 0,20",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opt.player, err = parseEngine("--player", player); err != nil {
				return err
			}
			if opt.against, err = parseEngine("--against", against); err != nil {
				return err
			}
			if sprt != "" {
				if opt.match.SPRT, err = rating.ParseSPRT(sprt); err != nil {
					return usageError{fmt.Errorf("--sprt: %w", err)}
				}
				if !cmd.Flags().Changed("games") {
					opt.match.Games = mostSPRTGames
				}
			}
			if err := opt.match.Validate(); err != nil {
				return usageError{err}
			}
			cfg, p, err := resolve(&flags, gameName, opt.player, opt.against)
			if err != nil {
				return err
			}
			return p.eval(cmd.Context(), cmd, cfg, opt)
		},
	}
	flags.register(cmd, "")
	cmd.Flags().StringVar(&player, "player", "", "the player's `SPEC`: "+arena.Forms())
	cmd.Flags().StringVar(&against, "against", "", "the opponent's `SPEC`")
	cmd.Flags().StringVar(&gameName, "game", "", "`name` of the game, where no player's model tells")
	cmd.Flags().IntVar(&opt.match.Games, "games", opt.match.Games, "number of games; with --sprt the most, unless given 10000")
	cmd.Flags().StringVar(&sprt, "sprt", "", "`ELO0,ELO1`: stop when it is clear whether the player is ELO0 or ELO1 stronger")
	cmd.Flags().IntVar(&opt.match.OpeningPlies, "opening-plies", opt.match.OpeningPlies, "random moves at the start of a game")
	cmd.Flags().Uint64Var(&opt.match.Seed, "seed", opt.match.Seed, "seed of the openings and of the players' random choices")
	cmd.Flags().IntVar(&opt.match.Workers, "workers", opt.match.Workers, "number of goroutines")
	cmd.Flags().BoolVar(&opt.json, "json", false, "print a JSON object")
	return cmd
}

func (b bound[S]) eval(ctx context.Context, cmd *cobra.Command, cfg Config, opt evalOptions) error {
	builder := b.builder(cfg)
	player, err := builder.Build(opt.player)
	if err != nil {
		return err
	}
	against, err := builder.Build(opt.against)
	if err != nil {
		return err
	}
	live := newStatusLine(cmd.ErrOrStderr())
	result, err := arena.Play(ctx, opt.match, b.game, player, against, func(_ arena.MatchGame, r arena.Result) {
		live.Set(fmt.Sprintf("%d/%d  %s", r.Total().Games(), opt.match.Games, r))
	})
	live.Clear()
	if err != nil {
		if ctx.Err() != nil {
			err = errInterrupted
		}
		if result.Total().Games() > 0 {
			return fmt.Errorf("%w after %d of %d games: %s", err, result.Total().Games(), opt.match.Games, result)
		}
		return err
	}
	if opt.json {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(result)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), result.Table())
	return err
}
