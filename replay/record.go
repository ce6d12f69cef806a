// Package replay keeps finished games and serves training positions from them.
//
// A Record is one finished game of self-play: its moves, what each search found out, what is to be learned from it, and
// how it ended. It has a compact binary form that is safe to read from anywhere. A Log keeps records by their numbers;
// a Window holds the newest positions of the run in memory and draws training batches from them.
//
// No encoded position is ever stored. A sample is rebuilt by replaying its game's moves, which costs nanoseconds a ply,
// and turned by a random symmetry of the board: planes, policy and legal moves together. So the window takes some tens
// of bytes a position, and a bug in an encoder cannot outlive a restart.
//
// Records have a version. Another one than the program's own is ErrVersion, never damage.
//
// The targets are AlphaZero's (Silver et al. 2018, Methods): pi, what the search makes of the policy (the shares of its
// visits, before temperature), and z, the outcome of the game for the side to move. Config can mix z with what later
// searches made of the game, and keep it from positions before a blunder.
package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/game"
)

// Record is the record of one finished game. The first player moves at ply 0, the second at ply 1 and so on; a record
// is not changed any more once it is in a Log or a Window.
type Record struct {
	Number uint64 // counts the games of the run from 0; with Seed it determines every random choice of the game
	Seed   uint64 // of the run
	Model  uint64 // the training iteration that made the model which played the game

	Moves   []game.Action
	Opening int  // the first Opening moves were drawn at random, without a search
	Outcome int8 // +1, 0, -1 for the first player

	// One row or element for each searched ply, the first being ply Opening; AppendSearch keeps them in step.
	Policy      Policy    // what is to be learned about the moves, apart from what was played
	Values      []float32 // the root value of the search in [-1, 1], for the side to move
	Simulations []uint32  // of the search for this move
	Weights     []uint16  // how much the position counts in learning, in 1/FullWeight: 0 is not learned from

	// Resigned tells that the game was ended by the side to move after the last move, which lost by it, and not by the
	// rules. That side's last search led to no move and is not part of the record.
	Resigned bool
	// PlayedOn tells that the game was one of those in which nobody may resign, so that false resignations can be
	// counted.
	PlayedOn bool
	// Arithmetic names the way in which the machine that played the game rounds numbers, at most MaxArithmetic
	// printable ASCII characters. Another machine repeats the game to the byte only if it can round in the same way.
	// Empty: not known.
	Arithmetic string
	// Evaluations is a checksum of all that the network said in the game, in the order in which it was asked. It tells
	// networks apart whose answers differ in a single bit, even where they lead to the same moves. 0: not known.
	Evaluations uint32
	// ResignPly is the first ply at which the side to move would have resigned, -1 if there was none. It is len(Moves)
	// when Resigned, and can be 0 or more only there and in games PlayedOn.
	ResignPly int
}

// FullWeight is the weight of a position that counts as one, which is usual.
const FullWeight = 256

// MaxArithmetic is the length of the longest Record.Arithmetic.
const MaxArithmetic = 64

// maxAction is the largest move that a record can hold.
const maxAction = math.MaxInt16

// AppendSearch adds what the search at the next ply has found out: the policy target as weights [Actions], see
// Policy.Append, nil for none; the root's value; how many simulations it took; and how much the position counts in
// learning, in 1/FullWeight. The move is the caller's to append.
func (g *Record) AppendSearch(policy []float32, value float32, simulations int, weight uint16) {
	g.Policy.Append(policy)
	g.Values = append(g.Values, value)
	g.Simulations = append(g.Simulations, uint32(simulations))
	g.Weights = append(g.Weights, weight)
}

// Searched is the number of searched plies, those after the opening.
func (g *Record) Searched() int { return len(g.Moves) - g.Opening }

// Positions is the number of positions to learn from: the searched plies with a weight above 0.
func (g *Record) Positions() int {
	n := 0
	for _, w := range g.Weights {
		if w > 0 {
			n++
		}
	}
	return n
}

// weight is the sum of all positions' weights, in 1/FullWeight.
func (g *Record) weight() uint64 {
	sum := uint64(0)
	for _, w := range g.Weights {
		sum += uint64(w)
	}
	return sum
}

// OutcomeAt is the outcome of the game for the side to move at a ply: +1, 0 or -1. len(Moves) is the ply after the
// last.
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
	c.Policy = g.Policy.clone()
	c.Values = exact(g.Values)
	c.Simulations = exact(g.Simulations)
	c.Weights = exact(g.Weights)
	return &c
}

// exact is a copy of s without spare room, nil if it is empty.
func exact[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return append(make([]T, 0, len(s)), s...)
}

// check finds contradictions inside the record that show without knowing the rules.
func (g *Record) check() error {
	switch {
	case g.Opening < 0 || g.Opening > len(g.Moves):
		return fmt.Errorf("%d opening moves among %d moves", g.Opening, len(g.Moves))
	case g.Outcome < -1 || g.Outcome > 1:
		return fmt.Errorf("outcome %d, allowed are -1, 0 and 1", g.Outcome)
	case len(g.Arithmetic) > MaxArithmetic || strings.ContainsFunc(g.Arithmetic, func(c rune) bool { return c < ' ' || c > '~' }):
		return fmt.Errorf("arithmetic %.80q, allowed are %d printable characters", g.Arithmetic, MaxArithmetic)
	}
	for _, column := range []struct {
		name string
		rows int
	}{
		{"policies", g.Policy.Len()}, {"root values", len(g.Values)}, {"simulations", len(g.Simulations)}, {"weights", len(g.Weights)},
	} {
		if column.rows != g.Searched() {
			return fmt.Errorf("%s for %d plies, %d were searched", column.name, column.rows, g.Searched())
		}
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

// Validate checks a record against the rules: every move and every move with a share of a policy was legal, and the
// game ended as it says, by the rules or by resignation. The error names the game and what is wrong with it.
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
					return fmt.Errorf("a share of the policy for the illegal action %d at ply %d", target, ply)
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
