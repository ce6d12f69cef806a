package conformance

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

func encode[S game.State[S]](g game.Game[S], s S) []float32 {
	planes := make([]float32, game.InputLen(g))
	s.Encode(planes)
	return planes
}

// Binary returns an error that names the first plane and cell of a position with a value other than 0 and 1, and the
// value. Networks compute with others on a processor, but not on a device.
func Binary[S game.State[S]](g game.Game[S], s S) error {
	planes := encode(g, s)
	if i := slices.IndexFunc(planes, func(v float32) bool { return v != 0 && v != 1 }); i >= 0 {
		return fmt.Errorf("%s is %v; want 0 or 1", element(g, i), planes[i])
	}
	return nil
}

// overwriting checks that Encode writes 0s and 1s, overwrites the whole buffer, and panics if its length is wrong.
func overwriting[S game.State[S]](g game.Game[S], _ []game.Action, s S) error {
	if err := Binary(g, s); err != nil {
		return err
	}
	planes := encode(g, s)
	size := len(planes)
	dirty := slices.Repeat([]float32{float32(math.NaN())}, size+1)
	s.Encode(dirty[:size])
	if err := samePlanes(g, dirty, planes); err != nil {
		return fmt.Errorf("in a buffer that held other values, %w, as in one of zeros", err)
	}
	for _, n := range []int{0, size - 1, size + 1} {
		if !panics(func() { s.Encode(dirty[:n]) }) {
			return fmt.Errorf("encoding to %d elements, not %d, does not panic", n, size)
		}
	}
	return nil
}

// samePlanes checks that the first len(want) values are the wanted ones.
func samePlanes[S game.State[S]](g game.Game[S], got, want []float32) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("%s is %v; want %v", element(g, i), got[i], want[i])
		}
	}
	return nil
}

func panics(f func()) bool { return guard(func() error { f(); return nil }) != nil }

// element names element i of the planes.
func element[S game.State[S]](g game.Game[S], i int) string {
	cells, columns := g.Board().Cells(), g.Board().Columns
	return fmt.Sprintf("plane %d in row %d, column %d, from 0,", i/cells, i%cells/columns, i%columns)
}

// Planes that a game declares incomplete may be equal for other legal moves in one pair of excusedPairs, and on boards of
// fewer cells than excusedCells in all, because earlier positions forbid many moves there.
const (
	excusedPairs = 10
	excusedCells = 9
)

// equalPlanes checks that positions with equal planes have equal legal moves and results, also after one move.
// Positions with equal keys count once. Planes need not count plies, so a draw at MaxPlies differs from no result at
// another ply.
func equalPlanes[S game.State[S]](g game.Game[S]) error {
	keys, known := map[game.Key]bool{}, map[string]reached[S]{}
	equal := 0
	var moves, results contrasts[S]
	bound := func(s S) bool {
		z, over := s.Outcome()
		return over && z == 0 && s.Ply() == g.MaxPlies()
	}
	excused := func(a, b S) bool { return a.Ply() != b.Ply() && (bound(a) || bound(b)) }
	alike := func(a, b S) bool { return sameResult(a, b) || excused(a, b) }
	err := transpositions(g, func(p reached[S]) error {
		if keys[p.s.Key()] {
			return nil
		}
		keys[p.s.Key()] = true
		before, ok := known[packed(g, p.s)]
		if !ok {
			known[packed(g, p.s)] = p
			return nil
		}
		equal++
		why := unequal(before.s, p.s, alike, "leads to another result")
		switch {
		case why == "" || excused(before.s, p.s):
		case sameResult(before.s, p.s) && !slices.Equal(before.s.Legal(nil), p.s.Legal(nil)):
			moves.add(before, p, why)
		default:
			results.add(before, p, why)
		}
		return nil
	})
	return cmp.Or(err, missing(g, moves, results, equal))
}

// missing says what planes do not show, given a number of pairs of positions with equal planes, and those that differ in
// legal moves or else in results. It returns a remark if game.Incomplete excuses that.
func missing[S game.State[S]](g game.Game[S], moves, results contrasts[S], equal int) error {
	worst, differing := moves, moves.number+results.number
	if worst.number == 0 {
		worst = results
	}
	if differing == 0 {
		return nil
	}
	err := fmt.Errorf("two positions have equal planes, but %s; %d of %d such pairs differ (%.1f %%)",
		worst.why, differing, equal, 100*float64(differing)/float64(equal))
	if !is[game.Incomplete](g.Start()) {
		return fmt.Errorf("%w: add a plane that tells them apart, or declare PlanesIncomplete (game.Incomplete): %s",
			err, worst.pair(g))
	}
	if excusedPairs*moves.number <= equal || g.Board().Cells() < excusedCells {
		return remark{fmt.Errorf("%w: %s", err, worst.pair(g))}
	}
	return fmt.Errorf("%w, %d in their legal moves, which is more than PlanesIncomplete excuses, one in %d: %s",
		err, moves.number, excusedPairs, worst.pair(g))
}

// packed returns the planes of a position as a string.
func packed[S game.State[S]](g game.Game[S], s S) string {
	planes := encode(g, s)
	bytes := make([]byte, len(planes))
	for i, v := range planes {
		bytes[i] = byte(v)
	}
	return string(bytes)
}

func sameResult[S game.State[S]](a, b S) bool {
	zA, overA := a.Outcome()
	zB, overB := b.Outcome()
	return zA == zB && overA == overB
}

// sidesApart checks that the same value fills a plane whenever the first player is to move, and the other value
// whenever the second is.
func sidesApart[S game.State[S]](g game.Game[S]) error {
	cells := g.Board().Cells()
	var value [2][]float32 // [plane] that fills the plane for the first player and for the second; NaN: none
	for side := range value {
		value[side] = slices.Repeat([]float32{-1}, g.Planes()) // not seen
	}
	err := visit(g, func(moves []game.Action, s S) error {
		planes, values := encode(g, s), value[len(moves)%2]
		for p := range values {
			plane := planes[p*cells:][:cells]
			uniform := !slices.ContainsFunc(plane, func(v float32) bool { return v != plane[0] })
			if !uniform || values[p] != -1 && values[p] != plane[0] {
				values[p] = float32(math.NaN())
			} else {
				values[p] = plane[0]
			}
		}
		return nil
	})
	for p := range value[0] {
		if first, second := value[0][p], value[1][p]; first+second == 1 {
			return err
		}
	}
	if err != nil {
		return err
	}
	s := g.Start()
	move := s.Legal(nil)[0]
	return fmt.Errorf("no plane is all 1 for one side and all 0 for the other, neither at the start, when the first player is to move, nor %s: "+
		"add such a plane, or declare SidesAlike (game.Alike) if the planes say all that matters for either side", after(s, []game.Action{move}))
}
