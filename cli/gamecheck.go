package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/game/conformance"
	"tengen/internal/printable"
	"tengen/run"
)

// checkReport is what game check prints.
type checkReport struct {
	Game string `json:"game"`
	conformance.Report
	Training *run.Trial `json:"training,omitempty"`
}

func newGameCheck() *cobra.Command {
	var perft []uint
	var wanted time.Duration
	var untrained bool
	cmd := &cobra.Command{
		Use:   "check NAME",
		Short: "Check whether a game's rules keep the contract, and can be learned",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return engine.Boards(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if wanted <= 0 {
				return usageErrorf("--for is %v, but must be above 0", wanted)
			}
			e, err := engine.Open(args[0])
			if err != nil {
				return usageErrorf("%w; a game of your own needs a program of your own", err)
			}
			live := newStatusLine(cmd.ErrOrStderr())
			live.Set("playing random games")
			r := checkReport{Game: e.Info().Name, Report: e.Check(perft)}
			failures := r.Count(conformance.Failure)
			if failures == 0 && !untrained {
				live.Set(fmt.Sprintf("training for %v", wanted))
				r.Training, err = run.Try(cmd.Context(), e, wanted)
			}
			live.Clear()
			if err := cmp.Or(printReport(cmd, r, r.text()), err); err != nil || failures == 0 {
				return err
			}
			return fmt.Errorf("%s breaks the contract of games: %s", r.Game, printable.Plural(failures, "failure"))
		},
	}
	cmd.Flags().UintSliceVar(&perft, "perft", nil, "known `numbers` of sequences of 1, 2 and more legal moves, such as 16,256,4308")
	cmd.Flags().DurationVar(&wanted, "for", 30*time.Second, "how long to train")
	cmd.Flags().BoolVar(&untrained, "no-training", false, "do not train")
	jsonFlag(cmd, "print a JSON object")
	return cmd
}

// text returns the findings that matter, gravest first, a game and the figures.
func (r checkReport) text() string {
	var facts, figures run.Facts
	for _, level := range []conformance.Level{conformance.Failure, conformance.Warning, conformance.Remark, conformance.Skipped} {
		for _, f := range r.Findings {
			if f.Level == level {
				facts = append(facts, [2]string{string(level), f.Claim + ": " + f.Text})
			}
		}
	}
	facts = append(facts, [2]string{"kept", printable.Plural(r.Count(conformance.Kept), "claim") + ", which --json names"})
	text := factsText(facts)
	if g := r.Games; g != nil {
		moves, end, _ := strings.Cut(g.Example, "\n")
		text += "\na random game:\n" + wrapped("", moves) + end + "\n"
		share := func(wins int) float64 { return 100 * float64(wins) / float64(g.Number) }
		figures = append(figures,
			[2]string{"games", fmt.Sprintf("%d at random, of %.1f moves, %d to %d: the first player wins %.0f %%, the second %.0f %%",
				g.Number, g.Plies, g.Shortest, g.Longest, share(g.FirstWins), share(g.SecondWins))},
			[2]string{"moves", fmt.Sprintf("%.1f are legal on average", g.LegalMoves)},
			[2]string{"speed", fmt.Sprintf("%.0f random games a second", g.PerSecond)})
	}
	if t := r.Training; t != nil {
		figures = append(figures, [2]string{"training", trialText(*t)})
	}
	return text + factsText(figures)
}

// trialText says what a trial means.
func trialText(t run.Trial) string {
	text := fmt.Sprintf("%.0f seconds, %s. On %s not used for training, %d drawn, the value's mean squared error is %.2f; always predicting the mean result gives %.2f: ",
		t.Seconds, printable.Plural(t.Games, "game"), printable.Plural(t.Unseen, "game"), t.Draws, t.ValueError, t.ConstantError)
	if t.Learned {
		return text + "the value has learned something"
	}
	return text + "that is no clear gain. A long game needs a longer training, such as --for 5m. If that shows no gain either: " +
		"do the planes show what decides the game, and has the right side won the game above?"
}
