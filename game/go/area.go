package igo

import (
	"fmt"

	"tengen/game"
)

// areas returns the cells of each side: its stones, and the empty regions that only its stones touch.
func (p *position) areas() (areas [2]set) {
	g, empty := p.game, p.empty()
	for colour, stones := range p.stones {
		var within set
		for w := range g.words {
			within[w] = stones[w] | empty[w]
		}
		areas[colour] = g.flood(stones, &within)
	}
	for w := range g.words {
		both := areas[0][w] & areas[1][w]
		areas[0][w] &^= both
		areas[1][w] &^= both
	}
	return areas
}

// margin2 returns twice the margin.
func (p *position) margin2() int {
	areas := p.areas()
	return 2*(p.game.count(&areas[0])-p.game.count(&areas[1])) - p.game.komi2
}

// Margin returns by how many points the first player has won, after komi.
func (s State) Margin() float64 { return float64(s.margin2()) / 2 }

// Owner returns the side whose area a cell is in, as the stones are.
func (s State) Owner(cell int) game.Side {
	areas := s.areas()
	return s.held(&areas, cell)
}

func (s State) held(areas *[2]set, cell int) game.Side {
	switch bit := s.game.bit(cell); {
	case areas[0].has(bit):
		return game.First
	case areas[1].has(bit):
		return game.Second
	}
	return game.Nobody
}

// Tally returns the areas and the komi.
func (s State) Tally() string {
	areas := s.areas()
	return fmt.Sprintf("%v %d, %v %d + %s", game.First, s.game.count(&areas[0]), game.Second, s.game.count(&areas[1]), halves(s.game.komi2))
}
