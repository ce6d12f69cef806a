package gametest

import (
	"fmt"

	"tengen/game"
)

// targets checks that a cell of the board stands for one legal move at most, and that LastCell is the target of the
// last move.
func targets[S game.State[S]](g game.Game[S]) error {
	cells := g.Board().Cells()
	last := map[game.Action]int{game.None: -1} // of the moves that may have led to the position
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
