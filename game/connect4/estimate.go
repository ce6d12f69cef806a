package connect4

import "tengen/game/lines"

// Estimate returns a heuristic value of an unfinished position for the side to move: its lines.Open weight minus its
// opponent's. It takes about as long as 20 moves.
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
