package gametest

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

// targets checks that cells are the target of at most one legal move, and LastCell is the last target.
func targets[S game.State[S]](g game.Game[S]) error {
	cells := g.Board().Cells()
	last := map[game.Action]int{game.None: -1} // the targets of moves to here
	return visit(g, func(_ []game.Action, s S) error {
		position := any(s).(game.Diagram)
		if s.Ply() == 0 {
			last = map[game.Action]int{game.None: -1}
		}
		if got, want := position.LastCell(), last[s.Last()]; got != want {
			return fmt.Errorf("the last cell is %d; want %d", got, want)
		}
		clear(last)
		taken := map[int]bool{}
		for _, a := range s.Legal(nil) {
			cell := position.Target(a)
			if cell < -1 || cell >= cells || taken[cell] {
				return fmt.Errorf("the target of move %s is cell %d, which is another move's or not on the board", g.FormatAction(a), cell)
			}
			last[a], taken[cell] = cell, cell >= 0
		}
		return nil
	})
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
			want[any(before).(game.Placement).Target(moves[len(moves)-1])] = before.ToMove()
		}
		before = s
		if got := stones(g, s); !slices.Equal(got, want) {
			return fmt.Errorf("the cells are held by %v; want %v", got, want)
		}
		for _, a := range s.Legal(nil) {
			cell := any(s).(game.Placement).Target(a)
			if cell < 0 || cell >= len(want) || want[cell] != game.Nobody {
				return fmt.Errorf("move %s lands on cell %d, which is not free", g.FormatAction(a), cell)
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

func encoding[S game.State[S]](g game.Game[S], _ []game.Action, s S) error {
	if g.Planes() != game.PlacementPlanes {
		return fmt.Errorf("%d planes; placement games have %d", g.Planes(), game.PlacementPlanes)
	}
	return samePlanes(g, encode(g, s), stonePlanes(g, s))
}

func stonePlanes[S game.State[S]](g game.Game[S], s S) []float32 {
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
	if last := any(s).(game.Diagram).LastCell(); last >= 0 {
		planes[2*cells+last] = 1
	}
	return planes
}

func samePlanes[S game.State[S]](g game.Game[S], got, want []float32) error {
	cells := g.Board().Cells()
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("plane %d has %v in cell %d; want %v", i/cells, got[i], i%cells, want[i])
		}
	}
	return nil
}

// stoneKeys checks that keys are equal if and only if the stones are.
func stoneKeys[S game.State[S]](g game.Game[S]) error {
	stonesOf, keyOf := map[game.Key]string{}, map[string]game.Key{}
	return transpositions(g, func(s S) error {
		key, stones := s.Key(), fmt.Sprint(stones(g, s))
		if known, ok := stonesOf[key]; ok && known != stones {
			return fmt.Errorf("the key %x also belongs to another position", key)
		}
		if known, ok := keyOf[stones]; ok && known != key {
			return fmt.Errorf("the key is %x; reached by other moves, the same position has %x", key, known)
		}
		stonesOf[key], keyOf[stones] = stones, key
		return nil
	})
}

// setup checks that each position can be set up from its stones. With the last move it equals the played position;
// without, it may differ only in the last move, and only until the next move.
func setup[S game.State[S]](g game.Game[S]) error {
	maker := g.(game.Setup[S])
	if err := refusesStones(maker, g.Board().Cells()); err != nil {
		return err
	}
	return visit(g, func(moves []game.Action, s S) error {
		cells := stones(g, s)
		copied, err := maker.FromStones(cells, s.ToMove(), s.Last())
		if err != nil {
			return err
		}
		if any(copied) != any(s) {
			return fmt.Errorf("set up from its stones and last move, the position is %+v; want %+v", copied, s)
		}
		forgetful, err := maker.FromStones(cells, s.ToMove(), game.None)
		if err != nil {
			return err
		}
		if forgetful.Last() != game.None || any(forgetful).(game.Diagram).LastCell() != -1 {
			return fmt.Errorf("set up without a last move, it is %v", forgetful.Last())
		}
		if err := samePlanes(g, encode(g, forgetful), stonePlanes(g, forgetful)); err != nil {
			return fmt.Errorf("set up without a last move: %w", err)
		}
		want, got := look(g, s), look(g, forgetful)
		got.planes, got.last = want.planes, want.last
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("set up without a last move, the position is %+v; want %+v", got, want)
		}
		for _, a := range s.Legal(nil) {
			if any(forgetful.Play(a)) != any(s.Play(a)) {
				return fmt.Errorf("set up without a last move, it differs after %s", g.FormatAction(a))
			}
		}
		return nil
	})
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
