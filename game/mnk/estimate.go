package mnk

import "math/bits"

// heaviest is the number of stones beyond which a line gains no more weight, which keeps estimates below 1<<27 on every
// board.
const heaviest = 8

// Estimate guesses the worth of a position that is not over, for the side to move, 0 when it sees no difference. A line
// of k cells that only one side has stones in is worth 4 to the power of their number (of 8 at most) to that side. The
// same position with the sides exchanged has the negative estimate. Its cost grows with k*k and each 64 cells of the board.
func (s State) Estimate() int {
	// Twice the words of a bitboard, so that what is shifted in from beyond the board is empty.
	var own, opponent [2 * words]uint64
	mover := s.ply & 1
	copy(own[:], s.stones[mover][:])
	copy(opponent[:], s.stones[1-mover][:])
	worth := 0
	for i, stride := range s.game.strides {
		for w, starts := range s.game.starts[i][:s.game.words] {
			if starts != 0 {
				worth += openLines(starts, own[w:], opponent[w:], stride, s.game.k) -
					openLines(starts, opponent[w:], own[w:], stride, s.game.k)
			}
		}
	}
	return worth
}

// openLines weighs the lines of k cells in one direction that hold stones of own and none of opponent, among those that
// begin in one word of the board, the first of own and opponent. It walks along all lines at once, each as the bit of its
// first cell, and sorts them by the number of stones met.
func openLines(starts uint64, own, opponent []uint64, stride, k int) int {
	lines := [heaviest + 1]uint64{starts}
	for i := range k {
		stone, closed := ahead(own, i*stride), ahead(opponent, i*stride)
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

// ahead is the word of a bitboard that begins at the given bit.
func ahead(set []uint64, bit int) uint64 {
	word, shift := bit>>6, bit&63
	return set[word]>>shift | set[word+1]<<(64-shift)
}
