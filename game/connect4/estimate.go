package connect4

import "math/bits"

// heaviest is the number of stones beyond which a line gains no more weight, which keeps estimates below 1<<25 on every
// board.
const heaviest = 8

// Estimate guesses the worth of a position that is not over, for the side to move, 0 when it sees no difference. A line
// of k cells that only one side has stones in is worth 4 to the power of their number (of 8 at most) to that side. The
// same position with the sides exchanged has the negative estimate. It costs about as much as 20 moves.
func (s State) Estimate() int {
	g := s.game
	worth := 0
	for i, d := range directions {
		if starts := g.lines.starts[i]; starts != 0 {
			stride := d.column*g.rows + d.row
			worth += openLines(starts, stride, g.k, s.own, s.opponent) - openLines(starts, stride, g.k, s.opponent, s.own)
		}
	}
	return worth
}

// openLines weighs the lines of k cells in one direction that hold stones of own and none of opponent. It walks along all
// lines at once, each as the bit of its first cell, and sorts them by the number of stones met.
func openLines(starts uint64, stride, k int, own, opponent uint64) int {
	lines := [heaviest + 1]uint64{starts}
	for i := range k {
		stone, closed := own>>(i*stride), opponent>>(i*stride)
		if i >= heaviest-1 {
			lines[heaviest] = (lines[heaviest] | lines[heaviest-1]&stone) &^ closed
		}
		for n := min(i+1, heaviest-1); n > 0; n-- {
			lines[n] = (lines[n]&^stone | lines[n-1]&stone) &^ closed
		}
		lines[0] &^= stone | closed
	}
	worth := 0
	for n, set := range lines[1 : min(k, heaviest)+1] {
		worth += bits.OnesCount64(set) << (2 * (n + 1))
	}
	return worth
}
