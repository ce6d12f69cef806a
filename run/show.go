package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/replay"
)

// shownMoves is the number of moves shown of a policy.
const shownMoves = 5

// Describe tells a game move by move, with what its searches found out, and returns the position at its end.
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

// describePolicy lists the moves with the largest shares of a search's policy, the largest first, and the weight of the position
// if it does not count as one.
func describePolicy(e engine.Game, g *replay.Record, row int) string {
	shares := maps.Collect(g.Policy.Shares(row))
	order := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(order, func(a, b game.Action) int { return cmp.Compare(shares[b], shares[a]) })
	var list []string
	for _, a := range order[:min(shownMoves, len(order))] {
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

// DescribeEnd says in words how a game ended.
func DescribeEnd(g *replay.Record) string {
	end := map[int8]string{1: "X wins", 0: "A draw", -1: "O wins"}[g.Outcome] + " after " + Plural(len(g.Moves), "move")
	tested, wrong := g.FalseResignation()
	switch {
	case g.Resigned:
		end += fmt.Sprintf(": %s resigns", engine.Stones[g.ResignPly%2])
	case tested && wrong:
		end += fmt.Sprintf("; %s would have resigned at ply %d, wrongly", engine.Stones[g.ResignPly%2], g.ResignPly+1)
	case tested:
		end += fmt.Sprintf("; %s would have resigned at ply %d", engine.Stones[g.ResignPly%2], g.ResignPly+1)
	}
	return end + "."
}

// Plural writes a number of things whose plural ends in s: "1 game", "2 games".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
