package uct

import "tengen/game"

// Grown is the number of positions that playouts have added to the tree, the root included.
func (s *Search[S]) Grown() int {
	grown := 0
	for _, n := range s.nodes {
		if n.visits > 0 {
			grown++
		}
	}
	return grown
}

// Walk calls visit for every move in the tree, with the moves that lead to it and itself. path is valid during the call.
func (s *Search[S]) Walk(visit func(path []game.Action, visits int, valueSum float64)) {
	s.walk(0, nil, visit)
}

func (s *Search[S]) walk(at int32, path []game.Action, visit func([]game.Action, int, float64)) {
	for i, n := range s.moves(at) {
		to := append(path, game.Action(n.action))
		visit(to, int(n.visits), n.valueSum)
		s.walk(s.nodes[at].first+int32(i), to, visit)
	}
}
