package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/eval"
	"tengen/players"
	"tengen/run"
	"tengen/train/checkpoint"
)

func newLadder() *cobra.Command {
	var flags configFlags
	ladder := run.LadderConfig{MatchConfig: eval.Default()}
	cmd := &cobra.Command{
		Use:   "ladder DIR...",
		Short: "Rate runs' checkpoints by matches",
		RunE: func(cmd *cobra.Command, dirs []string) error {
			for i, dir := range dirs {
				dirs[i] = strings.TrimPrefix(dir, "net:") // as in SPECs
			}
			ladder.Runs = dirs
			if ladder.Against == nil {
				ladder.Against = []players.Spec{{Kind: players.KindRandom}, {Kind: players.KindUCT, Limit: 1000}}
			}
			newest := players.Spec{Kind: players.KindNet, Path: dirs[0], Limit: players.Unset}
			e, options, err := flags.open("", newest)
			if err != nil {
				return err
			}
			defer options.Device.Close()
			if options.Talk, err = openTalk(cmd); err != nil {
				return err
			}
			ladder.Players = options
			return rate(cmd, e, ladder)
		},
	}
	flags.register(cmd, "")
	ladder.Games = 20
	specsFlag(cmd, anyEngine, "against", "`SPEC` of a fixed opponent; may be repeated (default random and uct:1000)",
		func(s players.Spec) { ladder.Against = append(ladder.Against, s) })
	cmd.Flags().IntVar(&ladder.Models, "checkpoints", 10, "maximum number of checkpoints per run, spread from first to last")
	cmd.Flags().IntVar(&ladder.Simulations, "simulations", 100, "simulations per move for the checkpoints; 0: the policy without search")
	cmd.Flags().IntVar(&ladder.Games, "games", ladder.Games, "games per match")
	matchFlags(cmd, &ladder.MatchConfig)
	talkFlag(cmd)
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

func rate(cmd *cobra.Command, e engine.Game, ladder run.LadderConfig) error {
	ctx := cmd.Context()
	live := newStatusLine(cmd.ErrOrStderr())
	ladder.Finished = func(g eval.MatchGame, r eval.Result) { sayFault(cmd, live, g, r) }
	done := "before the end of the first match"
	c, err := run.Ladder(ctx, e, ladder, func(played, matches int, last eval.Result) {
		done = fmt.Sprintf("after %d of %d matches", played, matches)
		live.Set(fmt.Sprintf("match %d/%d  score %.1f %%: %s vs %s", played, matches, 100*last.Total().Score(), last.Player, last.Against))
	})
	live.Clear()
	if ctx.Err() != nil {
		err = fmt.Errorf("%w %s", errInterrupted, done)
	}
	if c != nil && len(c.Pairings) > 0 {
		err = errors.Join(printReport(cmd, c.Standings, c.Text()), err)
	}
	if err != nil {
		return err
	}
	for _, dir := range ladder.Runs {
		if err := keepMeasured(cmd, dir, checkpoint.LadderChart, c.Measured(dir)); err != nil {
			return err
		}
	}
	return nil
}
