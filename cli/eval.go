package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/rating"
	"tengen/players"
)

func newEval() *cobra.Command {
	var flags configFlags
	var player, against players.Spec
	var gameName, sprt string
	match := engine.MatchConfig{MatchConfig: eval.Default()}
	cmd := &cobra.Command{
		Use:   "eval --player SPEC --against SPEC",
		Short: "Play a match between two players",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if sprt != "" {
				var err error
				if match.SPRT, err = rating.ParseSPRT(sprt); err != nil {
					return usageErrorf("--sprt: %w", err)
				}
				if !cmd.Flags().Changed("games") {
					match.Games = 10_000 // for tests without a verdict
				}
			}
			if match.Openings != "" && cmd.Flags().Changed("opening-plies") {
				return usageErrorf("--opening-plies applies only to random openings: drop it or --openings")
			}
			if err := match.Validate(); err != nil {
				return engine.InputError{Err: err}
			}
			e, options, err := flags.players(gameName, player, against)
			if err != nil {
				return err
			}
			defer options.Device.Close()
			if options.Talk, err = openTalk(cmd); err != nil {
				return err
			}
			p, err := e.Player(player, options)
			if err != nil {
				return err
			}
			q, err := e.Player(against, options)
			if err != nil {
				return err
			}
			if match.Settings, err = flags.settings(); err != nil {
				return err
			}
			result, err := meet(cmd, e, p, q, match)
			if result.Total().Games() > 0 {
				err = errors.Join(printReport(cmd, flags.identified(result, player, against), result.Text()), err)
			}
			return err
		},
	}
	flags.register(cmd, "")
	specFlag(cmd, &against, anyEngine, "against", "the opponent's `SPEC`, see tengen help players")
	specFlag(cmd, &player, anyEngine, "player", "the player's `SPEC`, see tengen help players")
	gameFlag(cmd, &gameName, "`name` of the game, if no player's model determines it")
	cmd.Flags().IntVar(&match.Games, "games", match.Games, "number of games; with --sprt, the maximum (then default 10000)")
	cmd.Flags().StringVar(&sprt, "sprt", "", "`ELO0,ELO1`: stop once it is clear whether the player is ELO0 or ELO1 stronger, or each opening has been played")
	cmd.Flags().StringVar(&match.Openings, "openings", "", "use this `half`, dev or final, of the game's balanced openings instead of random ones: 100 in gomoku")
	cmd.Flags().StringVar(&match.GamesFile, "games-out", "", "`file` to save the games in; the same command resumes a stopped match")
	matchFlags(cmd, &match.MatchConfig)
	talkFlag(cmd)
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

// matchFlags adds a match's flags, except the number of games.
func matchFlags(cmd *cobra.Command, m *eval.MatchConfig) {
	cmd.Flags().IntVar(&m.OpeningPlies, "opening-plies", m.OpeningPlies, "random moves at the start of a game")
	cmd.Flags().Uint64Var(&m.Seed, "seed", m.Seed, "seed of the openings and of the players' random choices")
	coresFlag(cmd, &m.Workers, "workers", "number of goroutines")
}

func meet(cmd *cobra.Command, e engine.Game, player, against engine.Player, match engine.MatchConfig) (eval.Result, error) {
	ctx := cmd.Context()
	live := newStatusLine(cmd.ErrOrStderr())
	result, err := e.Match(ctx, match, player, against, func(g eval.MatchGame, r eval.Result) {
		sayFault(cmd, live, g, r)
		live.Set(fmt.Sprintf("%d/%d  %v  score %.1f %%", r.Total().Games(), match.Games, r.Total(), 100*r.Total().Score()))
	})
	live.Clear()
	if ctx.Err() != nil {
		err = errInterrupted
	}
	if games := result.Total().Games(); err != nil && games > 0 {
		err = fmt.Errorf("%w after %d of %d games", err, games, match.Games)
	}
	return result, err
}

// sayFault says which program lost a game by which fault, if one did.
func sayFault(cmd *cobra.Command, live *statusLine, g eval.MatchGame, r eval.Result) {
	if !g.Fault {
		return
	}
	name := r.Player
	if g.PlayerFirst == (len(g.Moves)%2 == 1) {
		name = r.Against
	}
	live.Clear()
	fmt.Fprintf(cmd.ErrOrStderr(), "game %d, move %d: %s loses: %s\n", g.Number, len(g.Moves)+1, name, g.Forfeit)
}
