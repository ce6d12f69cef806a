package othello

// Estimate returns a heuristic value of an unfinished position for the side to move: its corners and its moves, minus its
// opponent's. A corner is worth eight moves. Discs do not count, because most change hands until the end.
func (s State) Estimate() int {
	g := s.game
	corners := s.own.and(g.corners).count() - s.opponent.and(g.corners).count()
	return 8*corners + s.moves.count() - g.moves(s.opponent, s.own).count()
}
