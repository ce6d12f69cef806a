package igo

import "math/bits"

// set is a set of cells. Cell c in row r is bit c+r: each row has a bit more than the board has columns, which is never
// set, so that a shift by one does not lead into the next row.
type set [6]uint64

func (s *set) has(bit int) bool { return s[bit>>6]>>(bit&63)&1 != 0 }

func (s *set) add(bit int) { s[bit>>6] |= 1 << (bit & 63) }

func (s *set) remove(bit int) { s[bit>>6] &^= 1 << (bit & 63) }

// The following work on the words that the board uses.

func (g *Game) count(s *set) (n int) {
	for w := range g.words {
		n += bits.OnesCount64(s[w])
	}
	return n
}

// beside returns the cells of within next to a cell of s.
func (g *Game) beside(s, within *set) (out set) {
	row, below := g.row, uint64(0)
	for w := range g.words {
		v := s[w]
		left, up := v<<1|below>>63, v<<row
		right, down := v>>1, v>>row
		if w > 0 {
			up |= s[w-1] >> (64 - row)
		}
		if w+1 < g.words {
			right |= s[w+1] << 63
			down |= s[w+1] << (64 - row)
		}
		below = v
		out[w] = (left | right | up | down) & within[w]
	}
	return out
}

// flood returns the cells of within that are connected with seed, a part of within.
func (g *Game) flood(seed set, within *set) set {
	for {
		more, grown := g.beside(&seed, within), false
		for w := range g.words {
			if added := more[w] &^ seed[w]; added != 0 {
				seed[w] |= added
				grown = true
			}
		}
		if !grown {
			return seed
		}
	}
}

func single(bit int) (s set) {
	s.add(bit)
	return s
}
