package conformance

import (
	"cmp"
	"fmt"
	"slices"

	"tengen/game"
)

// layout checks that a Layout has as many moves as the game.
func layout[S game.State[S]](g game.Game[S]) error {
	l := g.(game.Spatial).Layout()
	if n := l.Actions(g.Board().Cells()); l != (game.Layout{}) && n != g.Actions() {
		return fmt.Errorf("the layout has %d kinds of moves on %d cells and %d named ones, together %d; the game has %d",
			l.Planes, g.Board().Cells(), l.Named, n, g.Actions())
	}
	return nil
}

// captions checks that each plane has a caption.
func captions[S game.State[S]](g game.Game[S]) error {
	if n := len(g.(game.Captioned).Captions()); n != g.Planes() {
		return fmt.Errorf("%d captions for %d planes", n, g.Planes())
	}
	return nil
}

// seen checks that each side sees a permutation of the cells, and that each symmetry of the planes is the same symmetry
// of the board for both sides.
func seen[S game.State[S]](g game.Game[S]) error {
	turned := g.(game.Turned)
	board := map[game.Side][]int32{} // the board's cell that a cell of the planes shows
	for _, side := range []game.Side{game.First, game.Second} {
		shows := slices.Repeat([]int32{-1}, g.Board().Cells())
		for cell := range shows {
			to := turned.Seen(cell, side)
			if to < 0 || to >= len(shows) || shows[to] >= 0 {
				return fmt.Errorf("the %v sees %s as cell %d of the planes, which is off the board or shows another cell too", side, name(g, cell), to)
			}
			shows[to] = int32(cell)
		}
		board[side] = shows
	}
	for i, symmetry := range g.Symmetries() {
		for cell := range symmetry.Cells {
			image := func(side game.Side) int { return int(board[side][symmetry.Cells[turned.Seen(cell, side)]]) }
			if first, second := image(game.First), image(game.Second); first != second {
				return fmt.Errorf("symmetry %d moves %s to %s as the first player sees the board, but to %s as the second does",
					i, name(g, cell), name(g, first), name(g, second))
			}
		}
	}
	return nil
}

// name names a cell by its labels or by its number.
func name[S game.State[S]](g game.Game[S], cell int) string {
	columns, rows := g.Labels()
	if columns == nil || rows == nil {
		return fmt.Sprintf("cell %d", cell)
	}
	return "cell " + columns[cell%len(columns)] + rows[cell/len(columns)]
}

// endings checks that Endings returns legal moves in order, among them all that end the game.
func endings[S game.State[S]](_ game.Game[S], _ []game.Action, s S) error {
	listed := any(s).(game.Ending).Endings(nil)
	if err := chosen("Endings", listed, s); err != nil {
		return err
	}
	for _, a := range s.Legal(nil) {
		if _, over := s.Play(a).Outcome(); over && !slices.Contains(listed, a) {
			return fmt.Errorf("move %s ends the game, but Endings does not return it", s.Format(a))
		}
	}
	return nil
}

// rollout checks that Rollout returns legal moves in order, at least one before the end.
func rollout[S game.State[S]](_ game.Game[S], _ []game.Action, s S) error {
	listed := any(s).(game.Rollout).Rollout(nil)
	if _, over := s.Outcome(); !over && len(listed) == 0 {
		return fmt.Errorf("no move comes from Rollout: legal are %s", game.LegalMoves(s))
	}
	return chosen("Rollout", listed, s)
}

// chosen checks that the moves that a method returns are legal and in order.
func chosen[S game.State[S]](method string, moves []game.Action, s S) error {
	if !slices.IsSorted(moves) {
		return fmt.Errorf("the moves of %s are not in ascending order: %v", method, moves)
	}
	for _, a := range moves {
		if !slices.Contains(s.Legal(nil), a) {
			return fmt.Errorf("move #%d of %s is not legal", a, method)
		}
	}
	return nil
}

// margin checks that the side with the margin has won.
func margin[S game.State[S]](_ game.Game[S], _ []game.Action, s S) error {
	z, over := s.Outcome()
	margin := any(s).(game.Scored).Margin()
	if over && cmp.Compare(margin, 0) != int(game.FirstPlayerOutcome(z, s.ToMove())) {
		return fmt.Errorf("by Outcome %s, but Margin, for the first player, is %v", outcomeText(s), margin)
	}
	return nil
}

// winners returns a check that not all random games are won by one side, nor all by the side that has not moved last.
func winners[S game.State[S]](sample func() *Games) func(g game.Game[S]) error {
	return func(g game.Game[S]) error {
		games := sample()
		won, what := games.FirstWins+games.SecondWins, ""
		switch {
		case games.FirstWins == games.Number:
			what = fmt.Sprintf("the %v wins all of %d random games", game.First, won)
		case games.SecondWins == games.Number:
			what = fmt.Sprintf("the %v wins all of %d random games", game.Second, won)
		case won > 0 && games.moverWins == won && !is[game.Placement](g.Start()):
			what = fmt.Sprintf("the side that moves last loses all of %d random games", won)
		default:
			return nil
		}
		return fmt.Errorf("%s: Outcome must be for the side to move, -1 if the last move has won; "+
			"such a game is the one %s, where the last move is the %v's",
			what, after(g.Start(), games.moves), game.Mover(len(games.moves)-1))
	}
}

// countsAre returns a check that as many sequences of 1, 2 and more legal moves exist as perft says.
func countsAre[S game.State[S]](perft []uint) func(g game.Game[S]) error {
	return func(g game.Game[S]) error {
		for i, want := range perft {
			if got := game.Perft(g.Start(), i+1); got != uint64(want) {
				return fmt.Errorf("%d sequences of %d legal moves exist, not %d: ply %d is the first that differs", got, i+1, want, i+1)
			}
		}
		return nil
	}
}
