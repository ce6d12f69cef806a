package othello

// corner is a corner of the board and the cell that touches it diagonally, from where the opponent often gets the
// corner.
type corner struct{ cell, inside int }

func corners(side int) [4]corner {
	last := side*side - 1
	return [4]corner{{0, side + 1}, {side - 1, 2*side - 2}, {last - side + 1, last - 2*side + 2}, {last, last - side - 1}}
}

// Estimate returns a heuristic value of an unfinished position for the side to move: its moves minus its opponent's, 10
// for each corner and -6 for a disc inside an empty corner. Discs do not count, because most change hands until the
// end. Matches between such weights chose these.
func (s State) Estimate() int {
	worth := s.moves.count() - s.game.moves(s.opponent, s.own).count()
	for _, c := range s.game.corners {
		if holder := s.holder(c.cell); holder != 0 {
			worth += 10 * holder
		} else {
			worth -= 6 * s.holder(c.inside)
		}
	}
	return worth
}

// holder returns 1 if the side to move has the disc on a cell, -1 if its opponent has it, else 0.
func (s State) holder(cell int) int { return int(s.Cell(cell) * s.ToMove()) }
