package mnk

import "tengen/game/lines"

// Estimate returns a heuristic value of an unfinished position for the side to move: its lines.Open weight minus its
// opponent's, without lines that the rule spoils. The cost grows with k*k and with each 64 cells of the board.
func (s State) Estimate() int {
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

// stretched is a bitboard followed by empty words.
type stretched [2 * words]uint64

// at returns the 64 cells from cell 64*w+offset on. offset is at least -63; there are no cells before cell 0.
func (s *stretched) at(w, offset int) (set uint64) {
	if offset < 0 {
		set = s[w] << -offset
		if w > 0 {
			set |= s[w-1] >> (64 + offset)
		}
		return set
	}
	w, offset = w+offset>>6, offset&63
	return s[w]>>offset | s[w+1]<<(64-offset)
}

// spoilt returns the first cells, in word w, of the lines of direction i that stones at their ends spoil for own.
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
