package conformance

import (
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

// The random games of equalPlanes: as many as have this many positions, but not more than the most.
const (
	comparedPositions = 10_000
	comparedGames     = 1_000
)

// equalPlanes checks that positions with equal planes have equal legal moves and results, also after one move.
// Positions with equal keys count once.
func equalPlanes[S game.State[S]](g game.Game[S]) error {
	keys, known := map[game.Key]bool{}, map[string]reached[S]{}
	visited, equal, differing, first := 0, 0, 0, ""
	packed := make([]byte, game.InputLen(g))
	compare := reordered(func(moves []game.Action, s S) error {
		visited++
		if keys[s.Key()] {
			return nil
		}
		keys[s.Key()] = true
		for i, v := range encode(g, s) {
			packed[i] = byte(v)
		}
		before, ok := known[string(packed)]
		if !ok {
			known[string(packed)] = reached[S]{s, slices.Clone(moves)}
			return nil
		}
		equal++
		why := unequal(before.s, s, sameResult[S], "leads to another result")
		if why == "" {
			return nil
		}
		differing++
		if first == "" {
			first = fmt.Sprintf("the positions %s and %s have equal planes, but %s", after(g.Start(), before.moves), after(g.Start(), moves), why)
		}
		return nil
	})
	for n := 0; n < comparedGames && visited < comparedPositions; n++ {
		if err := randomGame(g, n, compare); err != nil {
			return err
		}
	}
	if differing == 0 {
		return nil
	}
	return fmt.Errorf("%s; so do %d of %d positions whose planes another one has (%.1f %%)",
		first, differing, equal, 100*float64(differing)/float64(equal))
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
