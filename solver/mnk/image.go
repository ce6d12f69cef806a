package mnk

import "tengen/game"

// image maps sets of cells under a symmetry: [i][b] is the image of the cells 8i to 8i+7 set in b.
type image [maxCells / 8][256]uint64

func newImage(symmetry game.Symmetry) (m image) {
	for cell, to := range symmetry.Cells {
		for b := range 256 {
			if b>>(cell%8)&1 != 0 {
				m[cell/8][b] |= 1 << to
			}
		}
	}
	return m
}

func (m *image) of(set uint64) (mapped uint64) {
	for i := range m {
		mapped |= m[i][byte(set>>(8*i))]
	}
	return mapped
}

// canonical returns the least image of a position.
func (t *transpositionTable) canonical(p position) position {
	least := p
	for i := range t.images {
		m := &t.images[i]
		attacker := m.of(p.attacker)
		if attacker > least.attacker {
			continue
		}
		image := position{attacker, m.of(p.defender)}
		if attacker < least.attacker || image.defender < least.defender {
			least = image
		}
	}
	return least
}
