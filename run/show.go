package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/internal/printable"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// DescribeEnd describes a game's end.
func DescribeEnd(g *replay.Record) string {
	end := map[int8]string{1: "X wins", 0: "A draw", -1: "O wins"}[g.Outcome] + " after " + printable.Plural(len(g.Moves), "move")
	return end + "."
}

// SpentText describes the time spent by iterations, in two lines.
func SpentText(all []checkpoint.Metrics) string {
	sum, cpu := checkpoint.Spent(all)
	share := func(name string, seconds float64) string {
		return fmt.Sprintf("%s %.0f %%", name, 100*seconds/max(sum.Total, 1e-9))
	}
	parts := []string{share("self-play", sum.SelfPlay), share("training", sum.Train), share("evaluation", sum.Evaluate), share("other", sum.Other())}
	if sum.Verify > 0 {
		parts = slices.Insert(parts, 1, share("verifying games", sum.Verify))
	}
	if sum.Wait > 0 {
		parts = slices.Insert(parts, 1, share("waiting for workers", sum.Wait))
	}
	total := time.Duration(sum.Total * float64(time.Second))
	text := fmt.Sprintf("%s took %s", printable.Plural(len(all), "iteration"), printable.Elapsed(total))
	if cpu > 0 {
		text += fmt.Sprintf(" and %.0f processor seconds", cpu)
	}
	return text + ":\n  " + strings.Join(parts, ", ")
}

// WaitText says how long training and workers waited for each other in an iteration.
func WaitText(s checkpoint.Seconds) string {
	training, workers := s.Waiting()
	return fmt.Sprintf("training waited for games %.0f %% of the time, workers for training %.0f %%", 100*training, 100*workers)
}
