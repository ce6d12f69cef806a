package connect4

import "tengen/game/lines"

// Estimate guesses the worth of a position that is not over, for the side to move, 0 when it sees no difference. A line
// of k cells that only one side has stones in is worth 4 to the power of their number (of 8 at most) to that side. The
// same position with the sides exchanged has the negative estimate. It costs about as much as 20 moves.
func (s State) Estimate() int {
	g := s.game
	own, opponent := [2]uint64{s.own}, [2]uint64{s.opponent}
	worth := 0
	for i, d := range directions {
		if starts := g.runs.starts[i]; starts != 0 {
			stride := d.column*g.size.Rows + d.row
			worth += lines.Open(starts, own[:], opponent[:], stride, g.k) - lines.Open(starts, opponent[:], own[:], stride, g.k)
		}
	}
	return worth
}
