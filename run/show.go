package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// Describe returns a game's moves with search results as text, and the final position.
func (r *Run) Describe(entry replay.Entry) (text string, end engine.Position, err error) {
	g, e := entry.Game, r.Game
	var b strings.Builder
	fmt.Fprintf(&b, "game %d of %s, worker %s, model %d, seed %d\n",
		g.Number, e.Info().Name, entry.Worker, g.Model, g.Seed)
	fmt.Fprintf(&b, "%4s %6s %7s %7s  %s\n", "ply", "move", "value", "search", "policy")
	for ply, a := range g.Moves {
		move := engine.Stones[ply%2] + " " + e.Format(a)
		if ply < g.Opening {
			fmt.Fprintf(&b, "%4d %6s  opening, at random\n", ply+1, move)
		} else {
			row := ply - g.Opening
			fmt.Fprintf(&b, "%4d %6s %+7.3f %7d  %s\n", ply+1, move, g.Values[row], g.Simulations[row], describePolicy(e, g, row))
		}
	}
	end, err = e.Replay(g.Moves)
	return b.String(), end, err
}

// describePolicy lists a search's five most likely moves, and the position's weight if not 1.
func describePolicy(e engine.Game, g *replay.Record, row int) string {
	shares := maps.Collect(g.Policy.Shares(row))
	order := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(order, func(a, b game.Action) int { return cmp.Compare(shares[b], shares[a]) })
	var list []string
	for _, a := range order[:min(5, len(order))] {
		list = append(list, fmt.Sprintf("%s %.1f %%", e.Format(a), 100*shares[a]))
	}
	if len(order) == 0 {
		list = append(list, "none")
	}
	if w := g.Weights[row]; w != replay.FullWeight {
		list = append(list, fmt.Sprintf("weight %.2f", float64(w)/replay.FullWeight))
	}
	return strings.Join(list, ", ")
}

// DescribeEnd describes a game's end.
func DescribeEnd(g *replay.Record) string {
	end := map[int8]string{1: "X wins", 0: "A draw", -1: "O wins"}[g.Outcome] + " after " + Plural(len(g.Moves), "move")
	tested, wrong := g.FalseResignation()
	switch {
	case g.Resigned:
		end += fmt.Sprintf(": %s resigns", engine.Stones[g.ResignPly%2])
	case tested:
		end += fmt.Sprintf("; %s would have resigned at ply %d", engine.Stones[g.ResignPly%2], g.ResignPly+1)
	}
	if wrong {
		end += ", wrongly"
	}
	return end + "."
}

// SpentText describes the time spent by iterations.
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
	text := fmt.Sprintf("%s took %s: %s", Plural(len(all), "iteration"), Elapsed(total), strings.Join(parts, ", "))
	if cpu > 0 {
		text += fmt.Sprintf("; %.0f processor seconds", cpu)
	}
	return text
}

// Elapsed formats a duration as 1:02:03 or 2:03.
func Elapsed(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Plural formats a count: "1 game", "2 games".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
