package gametest

import (
	"fmt"

	"tengen/game"
)

// taking checks that each move takes the thing that Pick has named, on the cell that LastCell names then, that nothing comes back,
// and that nobody holds a cell with a thing.
func taking[S game.State[S]](g game.Game[S]) error {
	cells := g.Board().Cells()
	var before S
	return visit(g, func(moves []game.Action, s S) error {
		last := -1
		if len(moves) > 0 {
			last = any(before).(game.TakeAway).Pick(moves[len(moves)-1])
			if err := taken(any(before).(game.TakeAway), any(s).(game.TakeAway), last, cells); err != nil {
				return err
			}
		}
		before = s
		position := any(s).(game.TakeAway)
		if got := position.LastCell(); got != last {
			return fmt.Errorf("the last cell is %d; want %d", got, last)
		}
		picked := map[int]bool{}
		for _, a := range s.Legal(nil) {
			cell := position.Pick(a)
			if cell < 0 || cell >= cells || picked[cell] {
				return fmt.Errorf("move %s takes from cell %d, which is another move's or not on the board", g.FormatAction(a), cell)
			}
			if _, there := position.Thing(cell); !there {
				return fmt.Errorf("move %s takes from cell %d, where nothing is", g.FormatAction(a), cell)
			}
			picked[cell] = true
		}
		return nil
	})
}

// taken compares the things of a position with those after a move that takes from the cell last.
func taken(before, after game.TakeAway, last, cells int) error {
	if _, there := after.Thing(last); there {
		return fmt.Errorf("there is still something on cell %d", last)
	}
	for cell := range cells {
		text, was := before.Thing(cell)
		now, is := after.Thing(cell)
		switch {
		case is && !was:
			return fmt.Errorf("a thing has come to cell %d", cell)
		case now != text:
			return fmt.Errorf("cell %d has turned from %q to %q", cell, text, now)
		case is && after.Cell(cell) != game.Nobody:
			return fmt.Errorf("the %v holds cell %d, where there is something", after.Cell(cell), cell)
		}
	}
	return nil
}
