package forced

import "math"

// Shortest returns the length, in plies, of the shortest chain of threats with which the side to move wins, up to the
// stone that completes a line: 1 if it can complete one at once, 3 if it can threaten on two cells. It is 0 if there is
// no chain, or if nodes moves were too few to find it; the search for each length may try that many, at least 0.
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
