// Package replay stores finished games and serves training positions from them.
//
// A Record is one finished game of self-play: its moves, search results, learning targets and outcome. Its binary form
// is compact and safe to decode from untrusted sources. Package gamesdb stores records by number; a Window holds the
// run's newest positions in memory and draws training batches from them.
//
// Encoded positions are never stored: replaying a game's moves costs nanoseconds a ply. So the window takes some tens
// of bytes a position, and a bug in an encoder does not outlive a restart.
//
// The targets are AlphaZero's (Silver et al. 2018, Methods): pi, the search's policy (the shares of its visits, before
// temperature), and z, the outcome of the game for the side to move. Config can mix z with later search values and cut
// it off at blunders.
package replay

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// Record is one finished game. The first player moves at ply 0, the second at ply 1 and so on. A record must not change
// once it is in a Window.
type Record struct {
	Number uint64 // from 0 in each run; Number and Seed determine every random choice of the game
	Seed   uint64 // the run's
	Model  uint64 // the training iteration of the model that played

	Moves   []game.Action
	Opening int  // the first Opening moves were drawn at random, without a search
	Outcome int8 // +1, 0, -1 for the first player

	// One row or element for each searched ply, from ply Opening on; see AppendSearch.
	Policy      Policy    // policy targets
	Values      []float32 // root values of the searches in [-1, 1], for the side to move
	Simulations []uint32  // simulations of the searches
	Weights     []uint16  // weights in learning, in 1/FullWeight; 0 is not learned from

	// Evaluations is a checksum of the network's outputs in the game, in order. 0: unknown.
	Evaluations uint32
}

// FullWeight is the usual weight of a position, which counts as one.
const FullWeight = 256

// maxAction is the largest move that a record can hold.
const maxAction = math.MaxInt16

// AppendSearch adds the search at the next ply: the policy target as weights [Actions], see Policy.Append; the root's
// value; the simulations; and the weight in learning, in 1/FullWeight. The caller appends the move.
func (g *Record) AppendSearch(policy []float32, value float32, simulations int, weight uint16) {
	g.Policy.Append(policy)
	g.Values = append(g.Values, value)
	g.Simulations = append(g.Simulations, uint32(simulations))
	g.Weights = append(g.Weights, weight)
}

// Searched returns the number of searched plies, those after the opening.
func (g *Record) Searched() int { return len(g.Moves) - g.Opening }

// Positions returns the number of positions to learn from: the searched plies with a weight above 0.
func (g *Record) Positions() int {
	n := 0
	for _, w := range g.Weights {
		if w > 0 {
			n++
		}
	}
	return n
}

// weight returns the sum of the weights, in 1/FullWeight.
func (g *Record) weight() uint64 {
	sum := uint64(0)
	for _, w := range g.Weights {
		sum += uint64(w)
	}
	return sum
}

// OutcomeAt returns the outcome for the side to move at a ply: +1, 0 or -1. len(Moves) is the ply after the last.
func (g *Record) OutcomeAt(ply int) int8 {
	return g.Outcome * int8(game.Mover(ply))
}

// clone returns a deep copy. Its slices have no spare room to speak of.
func (g *Record) clone() *Record {
	c := *g
	c.Moves = slices.Clone(g.Moves)
	c.Policy = g.Policy.clone()
	c.Values = slices.Clone(g.Values)
	c.Simulations = slices.Clone(g.Simulations)
	c.Weights = slices.Clone(g.Weights)
	return &c
}

// check finds contradictions that do not depend on the rules.
func (g *Record) check() error {
	switch {
	case g.Opening < 0 || g.Opening > len(g.Moves):
		return fmt.Errorf("%d opening moves among %d moves", g.Opening, len(g.Moves))
	case g.Outcome < -1 || g.Outcome > 1:
		return fmt.Errorf("outcome %d, but must be -1, 0 or 1", g.Outcome)
	}
	for _, column := range []struct {
		name string
		rows int
	}{
		{"policies", g.Policy.Len()}, {"root values", len(g.Values)}, {"simulations", len(g.Simulations)}, {"weights", len(g.Weights)},
	} {
		if column.rows != g.Searched() {
			return fmt.Errorf("%s for %d plies, but %d were searched", column.name, column.rows, g.Searched())
		}
	}
	if i := slices.IndexFunc(g.Moves, func(a game.Action) bool { return a < 0 || a > maxAction }); i >= 0 {
		return fmt.Errorf("move %d is %d, but must be 0 to %d", i+1, g.Moves[i], maxAction)
	}
	if i := slices.IndexFunc(g.Values, func(v float32) bool { return !(v >= -1 && v <= 1) }); i >= 0 {
		return fmt.Errorf("root value %v at ply %d, but must be -1 to 1", g.Values[i], g.Opening+i)
	}
	return nil
}

// Validate checks a record against the rules: all moves, and those with a share of a policy, were legal, and the game
// ended as recorded.
func Validate[S game.State[S]](rules game.Game[S], g *Record) error {
	err := g.check()
	if err == nil {
		err = followRules(rules, g)
	}
	if err != nil {
		return fmt.Errorf("game %d is not a valid record of %s: %w", g.Number, rules.Name(), err)
	}
	return nil
}

func followRules[S game.State[S]](rules game.Game[S], g *Record) error {
	state := rules.Start()
	var legal []game.Action
	for ply, a := range g.Moves {
		legal = state.Legal(legal[:0])
		if _, found := slices.BinarySearch(legal, a); !found {
			return fmt.Errorf("move %d (action %d) is illegal", ply+1, a)
		}
		if ply >= g.Opening {
			actions, _ := g.Policy.Row(ply - g.Opening)
			for _, target := range actions {
				if _, found := slices.BinarySearch(legal, game.Action(target)); !found {
					return fmt.Errorf("policy share for the illegal action %d at ply %d", target, ply)
				}
			}
		}
		state = state.Play(a)
	}
	z, over := state.Outcome()
	switch {
	case !over:
		return fmt.Errorf("stops after %d moves, before its end", len(g.Moves))
	case int8(z) != g.OutcomeAt(len(g.Moves)):
		return fmt.Errorf("outcome %d, but the rules say %d for the side to move at the end", g.Outcome, int8(z))
	}
	return nil
}
