package mnk

import "tengen/game/lines"

// Estimate guesses the worth of a position that is not over, for the side to move, 0 when it sees no difference. A line
// of k cells that only one side has stones in is worth 4 to the power of their number (of 8 at most) to that side,
// unless the rule says already that it will not win there. The same position with the sides exchanged has the negative
// estimate. Its cost grows with k*k and each 64 cells of the board.
func (s State) Estimate() int {
	// Twice the words of a bitboard, so that what is shifted in from beyond the board is empty.
	var own, opponent stretched
	copy(own[:], s.stones[s.mover][:])
	copy(opponent[:], s.stones[1-s.mover][:])
	worth := 0
	for i, stride := range s.game.strides {
		for w, starts := range s.game.starts[i][:s.game.words] {
			if starts != 0 {
				worth += lines.Open(starts&^s.game.spoilt(i, w, &own, &opponent), own[w:], opponent[w:], stride, s.game.k) -
					lines.Open(starts&^s.game.spoilt(i, w, &opponent, &own), opponent[w:], own[w:], stride, s.game.k)
			}
		}
	}
	return worth
}

// stretched is a bitboard with empty words behind it.
type stretched [2 * words]uint64

// at is the word of the set moved by so many bits: its bit b is the bit b+by of word w, by not below -63.
func (s *stretched) at(w, by int) (word uint64) {
	if by < 0 {
		word = s[w] << -by
		if w > 0 {
			word |= s[w-1] >> (64 + by)
		}
		return word
	}
	w, by = w+by>>6, by&63
	return s[w]>>by | s[w+1]<<(64-by)
}

// spoilt is the set of the lines of direction i that begin in word w and will not win for own by what is at their ends.
func (g *Game) spoilt(i, w int, own, opponent *stretched) (set uint64) {
	if g.rule == Freestyle {
		return 0
	}
	stride := g.strides[i]
	ends := func(stones *stretched) (before, after uint64) {
		return stones.at(w, -stride) & g.before[i][w], stones.at(w, g.k*stride) & g.after[i][w]
	}
	if g.rule&Exact != 0 {
		before, after := ends(own)
		set |= before | after
	}
	if g.rule&Caro != 0 {
		before, after := ends(opponent)
		set |= before & after
	}
	return set
}
