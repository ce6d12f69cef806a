package gametest

import (
	"fmt"

	"tengen/game"
)

// targets checks that each cell is the target of at most one legal move, and that LastCell is the last move's target.
func targets[S game.State[S]](g game.Game[S]) error {
	cells := g.Board().Cells()
	last := map[game.Action]int{game.None: -1} // the targets of the moves that may have led here
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
