package conformance

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"tengen/game"
)

func stones[S game.State[S]](g game.Game[S], s S) []game.Side {
	diagram := any(s).(game.Diagram)
	cells := make([]game.Side, g.Board().Cells())
	for i := range cells {
		cells[i] = diagram.Cell(i)
	}
	return cells
}

// targets checks that legal moves have different targets, with cells of the board.
func targets[S game.State[S]](g game.Game[S], _ []game.Action, s S) error {
	cells := g.Board().Cells()
	known := map[game.Target]game.Action{}
	for _, a := range s.Legal(nil) {
		target := any(s).(game.Diagram).Target(a)
		if target.From < -1 || target.From >= cells || target.To < -1 || target.To >= cells {
			return fmt.Errorf("move %s goes from cell %d to cell %d; the board has cells 0 to %d, and -1 is none",
				s.Format(a), target.From, target.To, cells-1)
		}
		if other, ok := known[target]; ok {
			return fmt.Errorf("the legal moves %s and %s have the same target, %+v", s.Format(other), s.Format(a), target)
		}
		known[target] = a
	}
	return nil
}

// points checks that lines join cells of the board, and that pieces and moves keep to the points.
func points[S game.State[S]](g game.Game[S], _ []game.Action, s S) error {
	joins := game.JoinsOf(g)
	for _, ends := range joins {
		if cells := g.Board().Cells(); min(ends[0], ends[1]) < 0 || max(ends[0], ends[1]) >= cells || ends[0] == ends[1] {
			return fmt.Errorf("a line joins the cells %d and %d; want two of the cells 0 to %d", ends[0], ends[1], cells-1)
		}
	}
	for cell, side := range stones(g, s) {
		if side != game.Nobody && !joins.Point(cell) {
			return fmt.Errorf("the %v has a piece on %s, which no line joins", side, name(g, cell))
		}
	}
	for _, a := range s.Legal(nil) {
		target := any(s).(game.Diagram).Target(a)
		for _, cell := range []int{target.From, target.To} {
			if cell >= 0 && !joins.Point(cell) {
				return fmt.Errorf("move %s begins or ends on %s, which no line joins", s.Format(a), name(g, cell))
			}
		}
	}
	return nil
}

// placing checks that the board is empty at the start, that each move adds a stone of the side to move on its target,
// and that targets are empty.
func placing[S game.State[S]](g game.Game[S]) error {
	if g.MaxPlies() > g.Board().Cells() {
		return fmt.Errorf("up to %d plies on %d cells", g.MaxPlies(), g.Board().Cells())
	}
	var before S
	return visit(g, func(moves []game.Action, s S) error {
		want := make([]game.Side, g.Board().Cells())
		if len(moves) > 0 {
			want = stones(g, before)
			want[any(before).(game.Placement).Target(moves[len(moves)-1]).To] = before.ToMove()
		}
		before = s
		for cell, got := range stones(g, s) {
			if got != want[cell] {
				return fmt.Errorf("%s is held by %v; want %v", name(g, cell), got, want[cell])
			}
		}
		for _, a := range s.Legal(nil) {
			target := any(s).(game.Placement).Target(a)
			if target != game.Onto(target.To) || target.To < 0 || target.To >= len(want) || want[target.To] != game.Nobody {
				return fmt.Errorf("move %s has the target %+v; want a free cell alone", s.Format(a), target)
			}
		}
		return nil
	})
}

func winner[S game.State[S]](_ game.Game[S], _ []game.Action, s S) error {
	if z, over := s.Outcome(); over && z > 0 {
		return fmt.Errorf("the outcome is %v for the side to move, which cannot have won; want -1 or 0", z)
	}
	return nil
}

func encoding[S game.State[S]](g game.Game[S], moves []game.Action, s S) error {
	if g.Planes() != game.PlacementPlanes {
		return fmt.Errorf("%d planes; placement games have %d", g.Planes(), game.PlacementPlanes)
	}
	return samePlanes(g, encode(g, s), stonePlanes(g, s, lastCell(g, moves)))
}

// piecesShown checks that positions with equal planes have pieces on the same cells, as the side to move sees them. Whose
// pieces they are need not matter.
func piecesShown[S game.State[S]](g game.Game[S]) error {
	known := map[string]reached[S]{}
	var differing contrasts[S]
	err := transpositions(g, func(p reached[S]) error {
		before, ok := known[packed(g, p.s)]
		if !ok {
			known[packed(g, p.s)] = p
			return nil
		}
		here, there := occupied(g, before.s), occupied(g, p.s)
		for cell := range here {
			if here[cell] != there[cell] {
				differing.add(before, p, name(g, cell))
				break
			}
		}
		return nil
	})
	if err != nil || differing.number == 0 {
		return err
	}
	return fmt.Errorf("two positions have equal planes, but only one has a piece on %s, "+
		"as the side to move sees the board: %s", differing.why, differing.pair(g))
}

// occupied reports for each cell, as the side to move sees the board, whether a side holds it.
func occupied[S game.State[S]](g game.Game[S], s S) []bool {
	held := make([]bool, g.Board().Cells())
	for cell, side := range stones(g, s) {
		if turned, ok := g.(game.Turned); ok {
			cell = turned.Seen(cell, s.ToMove())
		}
		held[cell] = side != game.Nobody
	}
	return held
}

// lastCell returns the target of the last move, or -1 without one.
func lastCell[S game.State[S]](g game.Game[S], moves []game.Action) int {
	if len(moves) == 0 {
		return -1
	}
	last := len(moves) - 1
	s, _ := game.Replay(g, moves[:last])
	return any(s).(game.Diagram).Target(moves[last]).To
}

func stonePlanes[S game.State[S]](g game.Game[S], s S, last int) []float32 {
	cells := g.Board().Cells()
	planes := make([]float32, game.PlacementPlanes*cells)
	for i, side := range stones(g, s) {
		switch side {
		case s.ToMove():
			planes[i] = 1
		case s.ToMove().Opponent():
			planes[cells+i] = 1
		}
		if s.ToMove() == game.First {
			planes[3*cells+i] = 1
		}
	}
	if last >= 0 {
		planes[2*cells+last] = 1
	}
	return planes
}

// stoneKeys checks that keys are equal if and only if the stones are.
func stoneKeys[S game.State[S]](g game.Game[S]) error {
	stonesOf, keyOf := map[game.Key]string{}, map[string]game.Key{}
	return transpositions(g, func(p reached[S]) error {
		key, stones := p.s.Key(), fmt.Sprint(stones(g, p.s))
		if known, ok := stonesOf[key]; ok && known != stones {
			return fmt.Errorf("the key also belongs to other stones: the position is %s", after(g.Start(), p.moves))
		}
		if known, ok := keyOf[stones]; ok && known != key {
			return fmt.Errorf("reached by other moves, the position has another key: it is %s", after(g.Start(), p.moves))
		}
		stonesOf[key], keyOf[stones] = stones, key
		return nil
	})
}

// setUp checks that each position can be set up from its stones. With the last move it equals the played position;
// without, it may differ only in the last move, and only until the next move.
func setUp[S game.State[S]](g game.Game[S]) error {
	maker := g.(game.Setup[S])
	if err := refusesStones(maker, g.Board().Cells()); err != nil {
		return err
	}
	_, placed := any(g.Start()).(game.Placement)
	return visit(g, func(moves []game.Action, s S) error {
		cells := stones(g, s)
		copied, err := maker.FromStones(cells, s.ToMove(), s.Last())
		if err != nil {
			return err
		}
		if !sameSetUp(g, copied, s) {
			return fmt.Errorf("set up from its stones and last move, the position is %+v; want %+v", copied, s)
		}
		forgetful, err := maker.FromStones(cells, s.ToMove(), game.None)
		if err != nil {
			return err
		}
		if placed {
			if err := samePlanes(g, encode(g, forgetful), stonePlanes(g, forgetful, -1)); err != nil {
				return fmt.Errorf("set up without a last move: %w", err)
			}
		}
		want, got := lookSetUp(g, s), lookSetUp(g, forgetful)
		got.planes, want.last = want.planes, game.None
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("set up without a last move, the position is %+v; want %+v", got, want)
		}
		for _, a := range s.Legal(nil) {
			if !sameSetUp(g, forgetful.Play(a), s.Play(a)) {
				return fmt.Errorf("set up without a last move, it differs after %s", s.Format(a))
			}
		}
		return nil
	})
}

// sameSetUp compares positions. Only in a Placement must the position that was set up equal the played one.
func sameSetUp[S game.State[S]](g game.Game[S], made, played S) bool {
	if _, placed := any(played).(game.Placement); placed {
		return any(made) == any(played)
	}
	return slices.Equal(stones(g, made), stones(g, played)) &&
		reflect.DeepEqual(lookSetUp(g, made), lookSetUp(g, played))
}

// lookSetUp is look without the ply and the key, unless stones tell them.
func lookSetUp[S game.State[S]](g game.Game[S], s S) view {
	seen := look(g, s)
	if _, placed := any(s).(game.Placement); !placed {
		seen.ply, seen.key = 0, game.Key{}
	}
	return seen
}

func refusesStones[S game.State[S]](maker game.Setup[S], cells int) error {
	empty := make([]game.Side, cells)
	stranger := slices.Clone(empty)
	stranger[0] = 2
	for name, try := range map[string]func() (S, error){
		"a cell too few":               func() (S, error) { return maker.FromStones(empty[1:], game.First, game.None) },
		"a cell too many":              func() (S, error) { return maker.FromStones(append(empty, 0), game.First, game.None) },
		"a cell with an unknown stone": func() (S, error) { return maker.FromStones(stranger, game.First, game.None) },
		"no side to move":              func() (S, error) { return maker.FromStones(empty, game.Nobody, game.None) },
		"a last move without a stone":  func() (S, error) { return maker.FromStones(empty, game.First, 0) },
	} {
		if _, err := try(); err == nil {
			return errors.New(name + " is no error")
		}
	}
	return nil
}
