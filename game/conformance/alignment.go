package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// linesDecide checks Lines and Stones against the cells, the legal moves and the outcome.
func linesDecide[S game.State[S]](g game.Game[S]) error {
	cells := g.Board().Cells()
	set := any(g.Start()).(game.Alignment).Lines()
	words := (cells + 63) / 64
	sides := [2][]uint64{make([]uint64, words), make([]uint64, words)}
	return visit(g, func(moves []game.Action, s S) error {
		position := any(s).(game.Alignment)
		if position.Lines() != set {
			return fmt.Errorf("the lines differ from the starting position's")
		}
		for w := range words {
			sides[0][w], sides[1][w] = 0xfeed, 0xbeef
		}
		position.Stones(sides[0], sides[1])
		held := make([]game.Side, cells)
		for cell := range cells {
			held[cell] = game.Side(sides[0][cell/64]>>(cell%64)&1) - game.Side(sides[1][cell/64]>>(cell%64)&1)
		}
		for cell, want := range stones(g, s) {
			if held[cell] != want {
				return fmt.Errorf("by Stones, %s is held by %v; by Cell, it is held by %v", name(g, cell), held[cell], want)
			}
		}
		won, winner := false, s.ToMove().Opponent()
		for i, line := range set.Cells {
			full := !slices.ContainsFunc(line, func(cell int16) bool { return held[cell] != winner })
			spoilt := set.Spoilt(i, winner, func(cell int) game.Side { return held[cell] }) // panics for a wrong end
			won = won || full && !spoilt
		}
		if z, _ := s.Outcome(); won != (z == -1) {
			return fmt.Errorf("by Outcome %s; does the %v, whose move was the last, hold a line: %t", outcomeText(s), winner, won)
		}
		return landings(set, held, won, s)
	})
}

func landings[S game.State[S]](set *game.LineSet, held []game.Side, won bool, s S) error {
	var want []game.Action
	for cell, a := range set.Actions {
		if below := set.Below[cell]; !won && held[cell] == game.Nobody && (below < 0 || held[below] != game.Nobody) {
			want = append(want, a)
		}
	}
	slices.Sort(want)
	if legal := s.Legal(nil); !slices.Equal(legal, want) {
		return fmt.Errorf("by the cells, other moves are legal than %s: number %v, not %v", game.LegalMoves(s), want, legal)
	}
	return nil
}
