package breakthrough

import "math/bits"

// Estimate returns a heuristic value of an unfinished position for the side to move: its pieces minus its opponent's. A
// piece is worth more, the further ahead it is.
func (s State) Estimate() int { return s.worth(s.own) - s.worth(s.game.turned(s.opponent)) }

// worth returns the worth of pieces that move towards row 0.
func (s State) worth(pieces uint64) (worth int) {
	for row := range s.game.size.Rows {
		ahead := s.game.size.Rows - 1 - row
		worth += (8 + ahead*ahead) * bits.OnesCount64(pieces&s.game.row(row))
	}
	return worth
}
