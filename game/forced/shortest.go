package forced

import "math"

// Shortest returns the length, in plies, of the shortest chain of threats that wins for the side to move, up to the
// stone that completes a line: 1 if it can complete one at once, 3 if it can threaten two cells. It returns 0 if there
// is no chain, or if nodes moves, at least 0, per length were too few to find it.
func (p *Prover[S]) Shortest(s S, nodes int) (plies int) {
	me, over := p.enter(s)
	if over {
		return 0
	}
	defer func() { p.search.reach = math.MaxInt }()
	for reach := 1; ; reach += 2 {
		p.search.begin(nodes)
		p.search.left, p.search.reach, p.search.cut = nodes, reach, false
		p.search.path = p.search.path[:0]
		switch {
		case p.search.attack(me):
			return len(p.search.path)
		case p.search.left == 0 || !p.search.cut:
			return 0
		}
	}
}
