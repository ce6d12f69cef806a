package breakthrough

import "math/bits"

// Estimate returns a heuristic value of an unfinished position for the side to move: its pieces minus its opponent's. A
// piece counts 8, and 2 more on its home row, where it defends, or 1 more if it is two steps or less from the last row.
// Matches between such weights chose these.
func (s State) Estimate() int { return s.worth(s.own) - s.worth(s.game.turned(s.opponent)) }

// worth returns the worth of pieces that move towards row 0.
func (s State) worth(pieces uint64) int {
	near := s.game.row(1) | s.game.row(2)
	return 8*bits.OnesCount64(pieces) + 2*bits.OnesCount64(pieces&s.game.home) + bits.OnesCount64(pieces&near)
}
