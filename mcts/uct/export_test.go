package uct

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
