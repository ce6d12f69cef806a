package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// reached is a position and the moves to it.
type reached[S game.State[S]] struct {
	s     S
	moves []game.Action
}

// farthest is how many plies lie between moves of one side that are exchanged: two turns of two moves each, with a
// forced pass of the other side after the first one, are 6 plies apart.
const farthest = 6

// The random games of transpositions: as many as have this many positions, but not more than the most.
const (
	comparedPositions = 10_000
	comparedGames     = 1_000
)

// transpositions calls f for positions of random games and for positions after the same moves in another order.
func transpositions[S game.State[S]](g game.Game[S], f func(p reached[S]) error) error {
	visited := 0
	compare := reordered(func(moves []game.Action, s S) error {
		visited++
		return f(reached[S]{s, slices.Clone(moves)})
	})
	for n := 0; n < comparedGames && visited < comparedPositions; n++ {
		if err := randomGame(g, n, compare); err != nil {
			return err
		}
	}
	return nil
}

// reordered returns a function for randomGame that calls f for each position, and for those that the same moves lead to
// if two of one side change places: the last or, as it may be a forced pass, the last but one with an earlier one.
func reordered[S game.State[S]](f func(moves []game.Action, s S) error) func(moves []game.Action, s S) error {
	var before []S // each move
	return func(moves []game.Action, s S) error {
		before = append(before[:len(moves)], s)
		if err := f(moves, s); err != nil {
			return err
		}
		for j := len(moves) - 1; j >= max(0, len(moves)-2); j-- {
			for i := j - 2; i >= max(0, j-farthest); i -= 2 {
				swapped := slices.Clone(moves)
				swapped[i], swapped[j] = moves[j], moves[i]
				other, legal := follow(before[i], swapped[i:])
				if !legal {
					continue
				}
				if err := f(swapped, other); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// follow plays moves from s, if they are legal.
func follow[S game.State[S]](s S, moves []game.Action) (after S, legal bool) {
	var legalHere []game.Action
	for _, a := range moves {
		if legalHere = s.Legal(legalHere[:0]); !slices.Contains(legalHere, a) {
			return s, false
		}
		s = s.Play(a)
	}
	return s, true
}

// contrasts are pairs of positions that are equal in one respect but not in another.
type contrasts[S game.State[S]] struct {
	number   int
	shortest [2]reached[S]
	why      string // the shortest pair differs
}

func (c *contrasts[S]) add(a, b reached[S], why string) {
	pair := [2]reached[S]{a, b}
	length := func(pair [2]reached[S]) int { return len(pair[0].moves) + len(pair[1].moves) }
	if c.number++; c.number == 1 || length(pair) < length(c.shortest) {
		c.shortest, c.why = pair, why
	}
}

// pair names the shortest pair.
func (c *contrasts[S]) pair(g game.Game[S]) string {
	first, second := c.shortest[0], c.shortest[1]
	return fmt.Sprintf("the first is %s, the second %s", after(g.Start(), first.moves), after(g.Start(), second.moves))
}

// keys checks that positions with equal keys have the same ply, legal moves and outcome, and equal keys after a move.
func keys[S game.State[S]](g game.Game[S]) error {
	known := map[game.Key]reached[S]{}
	var differing contrasts[S]
	err := transpositions(g, func(p reached[S]) error {
		before, ok := known[p.s.Key()]
		known[p.s.Key()] = p
		if !ok {
			return nil
		}
		why := unequal(before.s, p.s, func(a, b S) bool { return a.Key() == b.Key() }, "leads to another key")
		if before.s.Ply() != p.s.Ply() {
			why = fmt.Sprintf("they are at the plies %d and %d", before.s.Ply(), p.s.Ply())
		}
		if why != "" {
			differing.add(before, p, why)
		}
		return nil
	})
	if err != nil || differing.number == 0 {
		return err
	}
	return fmt.Errorf("two positions have equal keys, but %s: %s", differing.why, differing.pair(g))
}

// unequal says how the play in two positions differs, or "": in results, in legal moves, or in what equal compares
// after the same move.
func unequal[S game.State[S]](a, b S, equal func(a, b S) bool, differs string) string {
	if !sameResult(a, b) {
		return fmt.Sprintf("in the first %s, the %v to move, in the second %s, the %v to move", outcomeText(a), a.ToMove(), outcomeText(b), b.ToMove())
	}
	here, there := a.Legal(nil), b.Legal(nil)
	for _, move := range here {
		if !slices.Contains(there, move) {
			return fmt.Sprintf("%s is legal only in the first", a.Format(move))
		}
	}
	for _, move := range there {
		if !slices.Contains(here, move) {
			return fmt.Sprintf("%s is legal only in the second", b.Format(move))
		}
	}
	for _, move := range here {
		if !equal(a.Play(move), b.Play(move)) {
			return fmt.Sprintf("%s %s", a.Format(move), differs)
		}
	}
	return ""
}
