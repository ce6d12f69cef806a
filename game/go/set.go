package igo

import "math/bits"

// set is a set of cells. Cell c in row r is bit c+r: each row has a bit more than the board has columns, which is never
// set, so that a shift by one does not lead into the next row.
type set [6]uint64

func single(bit int) (s set) {
	s.add(bit)
	return s
}

func (s *set) has(bit int) bool { return s[bit>>6]>>(bit&63)&1 != 0 }
func (s *set) add(bit int)      { s[bit>>6] |= 1 << (bit & 63) }
func (s *set) remove(bit int)   { s[bit>>6] &^= 1 << (bit & 63) }
func (s *set) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all yields the bits in ascending order.
func (s *set) all(yield func(bit int) bool) {
	for w, rest := range s {
		for ; rest != 0; rest &= rest - 1 {
			if !yield(w<<6 | bits.TrailingZeros64(rest)) {
				return
			}
		}
	}
}

// first returns the first bit of a set that is not empty.
func (s *set) first() (bit int) {
	for s[bit>>6] == 0 {
		bit += 64
	}
	return bit | bits.TrailingZeros64(s[bit>>6])
}

func (s *set) or(t *set) set {
	return set{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3], s[4] | t[4], s[5] | t[5]}
}

func (s *set) without(t *set) set {
	return set{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2], s[3] &^ t[3], s[4] &^ t[4], s[5] &^ t[5]}
}

func (s *set) meets(t *set) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3]|s[4]&t[4]|s[5]&t[5] != 0
}

// around returns word w of the cells above, below, left and right of s.
func (g *Game) around(s *set, w int) (up, down, left, right uint64) {
	row := g.row & 63
	up, down, left, right = s[w]<<row, s[w]>>row, s[w]>>1, s[w]<<1
	if w > 0 {
		up |= s[w-1] >> (64 - row)
		right |= s[w-1] >> 63
	}
	if w+1 < g.words {
		down |= s[w+1] << (64 - row)
		left |= s[w+1] << 63
	}
	return up, down, left, right
}

// beside returns the cells of within next to a cell of s.
func (g *Game) beside(s, within *set) (out set) {
	for w := range g.words {
		up, down, left, right := g.around(s, w)
		out[w] = (up | down | left | right) & within[w]
	}
	return out
}

// flood returns the cells of within that are connected with seed, a part of within. It stops early if it meets stop.
func (g *Game) flood(seed set, within, stop *set) set {
	for grown := true; grown && !seed.meets(stop); {
		grown = false
		for w := range g.words {
			up, down, left, right := g.around(&seed, w)
			if more := (up | down | left | right) & within[w] &^ seed[w]; more != 0 {
				seed[w] |= more
				grown = true
			}
		}
	}
	return seed
}
