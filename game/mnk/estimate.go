package mnk

import "tengen/game/lines"

// Estimate guesses the worth of a position that is not over, for the side to move, 0 when it sees no difference. A line
// of k cells that only one side has stones in is worth 4 to the power of their number (of 8 at most) to that side. The
// same position with the sides exchanged has the negative estimate. Its cost grows with k*k and each 64 cells of the board.
func (s State) Estimate() int {
	// Twice the words of a bitboard, so that what is shifted in from beyond the board is empty.
	var own, opponent [2 * words]uint64
	copy(own[:], s.stones[s.mover][:])
	copy(opponent[:], s.stones[1-s.mover][:])
	worth := 0
	for i, stride := range s.game.strides {
		for w, starts := range s.game.starts[i][:s.game.words] {
			if starts != 0 {
				worth += lines.Open(starts, own[w:], opponent[w:], stride, s.game.k) -
					lines.Open(starts, opponent[w:], own[w:], stride, s.game.k)
			}
		}
	}
	return worth
}
