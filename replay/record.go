// Package replay keeps finished games and serves training positions from them.
//
// A Record is one finished game of self-play: its moves, the visit counts and the value of each search, and how it
// ended. It has a compact binary form that is safe to read from anywhere. A Log keeps records in the order in which they
// arrived; a Window holds the newest positions of the run in memory and draws training batches from them.
//
// No encoded position is ever stored. A sample is rebuilt by replaying its game's moves, which costs nanoseconds a ply,
// and turned by a random symmetry of the board: planes, policy and legal moves together. So the window takes some tens
// of bytes a position, and a bug in an encoder cannot outlive a restart.
//
// The targets are AlphaZero's (Silver et al. 2018, Methods): pi, the visit counts of the search before temperature,
// normalised, and z, the outcome of the game for the side to move.
package replay

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// Record is the record of one finished game. The first player moves at ply 0, the second at ply 1 and so on; a record is
// not changed any more once it is in a Log or a Window.
type Record struct {
	Number uint64 // counts the games of the run from 0; with Seed it determines every random choice of the game
	Seed   uint64 // of the run
	Model  uint64 // the training iteration that made the model which played the game

	Moves   []game.Action
	Opening int       // the first Opening moves were drawn at random: no search, no training position
	Visits  Visits    // one row for each searched ply, the first being ply Opening
	Values  []float32 // [searched plies]: the root value of the search in [-1, 1], for the side to move
	Outcome int8      // +1, 0, -1 for the first player

	// Resigned tells that the game was ended by the side to move after the last move, which lost by it, and not by the
	// rules. That side's last search led to no move and is not part of the record.
	Resigned bool
	// PlayedOn tells that the game was one of those in which nobody may resign, so that false resignations can be counted.
	PlayedOn bool
	// ResignPly is the first ply at which the side to move would have resigned, -1 if there was none. It is len(Moves)
	// when Resigned, and can be 0 or more only there and in games PlayedOn.
	ResignPly int
}

// maxAction is the largest move that a record can hold.
const maxAction = math.MaxInt16

// ID names the game among those of all runs: two records with the same ID are the same game sent twice.
func (g *Record) ID() string {
	return fmt.Sprintf("%016x-%d", g.Seed, g.Number)
}

// Positions is the number of training positions, one for each searched ply.
func (g *Record) Positions() int {
	return len(g.Moves) - g.Opening
}

// OutcomeAt is the outcome of the game for the side to move at a ply: +1, 0 or -1. len(Moves) is the ply after the last.
func (g *Record) OutcomeAt(ply int) int8 {
	return g.Outcome * int8(game.Mover(ply))
}

// FalseResignation tells, of a game played on, whether a side would have resigned, and whether wrongly so: it did not
// lose (Silver et al. 2017, Methods, "Self-play").
func (g *Record) FalseResignation() (tested, wrong bool) {
	tested = g.PlayedOn && g.ResignPly >= 0
	return tested, tested && g.OutcomeAt(g.ResignPly) >= 0
}

// clone is a deep copy whose slices have no spare room.
func (g *Record) clone() *Record {
	c := *g
	c.Moves = exact(g.Moves)
	c.Values = exact(g.Values)
	c.Visits = g.Visits.clone()
	return &c
}

func exact[T any](s []T) []T {
	return append(make([]T, 0, len(s)), s...)
}

// check finds contradictions inside the record that show without knowing the rules.
func (g *Record) check() error {
	switch {
	case g.Opening < 0 || g.Opening > len(g.Moves):
		return fmt.Errorf("%d opening moves among %d moves", g.Opening, len(g.Moves))
	case g.Visits.Len() != g.Positions():
		return fmt.Errorf("visit counts for %d plies, %d were searched", g.Visits.Len(), g.Positions())
	case len(g.Values) != g.Positions():
		return fmt.Errorf("root values for %d plies, %d were searched", len(g.Values), g.Positions())
	case g.Outcome < -1 || g.Outcome > 1:
		return fmt.Errorf("outcome %d, allowed are -1, 0 and 1", g.Outcome)
	}
	if i := slices.IndexFunc(g.Moves, func(a game.Action) bool { return a < 0 || a > maxAction }); i >= 0 {
		return fmt.Errorf("move %d is %d, allowed are 0 to %d", i+1, g.Moves[i], maxAction)
	}
	if i := slices.IndexFunc(g.Values, func(v float32) bool { return !(v >= -1 && v <= 1) }); i >= 0 {
		return fmt.Errorf("root value %v at ply %d, allowed are -1 to 1", g.Values[i], g.Opening+i)
	}
	return g.checkResignation()
}

func (g *Record) checkResignation() error {
	end := len(g.Moves)
	switch {
	case g.Resigned && g.PlayedOn:
		return fmt.Errorf("resigned although nobody was allowed to")
	case g.Resigned && g.ResignPly != end:
		return fmt.Errorf("resigned at ply %d, but it ends at ply %d", g.ResignPly, end)
	case g.Resigned && g.OutcomeAt(end) != -1:
		return fmt.Errorf("outcome %d for the side that resigned", g.OutcomeAt(end))
	case g.Resigned || g.ResignPly == -1:
		return nil
	case !g.PlayedOn:
		return fmt.Errorf("resignation ply %d in a game that was neither resigned nor played on: -1 means never", g.ResignPly)
	case g.ResignPly < g.Opening || g.ResignPly >= end:
		return fmt.Errorf("resignation ply %d, searched were %d to %d", g.ResignPly, g.Opening, end-1)
	}
	return nil
}

// Validate checks a record against the rules: every move and every visited move was legal, and the game ended as it
// says, by the rules or by resignation. The error names the game and what is wrong with it.
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
			actions, _ := g.Visits.Row(ply - g.Opening)
			for _, visited := range actions {
				if _, found := slices.BinarySearch(legal, game.Action(visited)); !found {
					return fmt.Errorf("visits of the illegal action %d at ply %d", visited, ply)
				}
			}
		}
		state = state.Play(a)
	}
	z, over := state.Outcome()
	switch {
	case over && g.Resigned:
		return fmt.Errorf("resigned after the rules had ended it")
	case !over && !g.Resigned:
		return fmt.Errorf("stops after %d moves, before its end", len(g.Moves))
	case over && int8(z) != g.OutcomeAt(len(g.Moves)):
		return fmt.Errorf("outcome %d, the rules say %d for the side to move at the end", g.Outcome, int8(z))
	}
	return nil
}
