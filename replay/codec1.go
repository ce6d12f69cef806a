package replay

import (
	"math"

	"tengen/internal/frame"
)

// Version 1 had visit counts of a search that was the only one. It is a byte of flags; as varints the game's number, seed and
// model, the number of moves, of those of the opening, the outcome plus 1, the ply of the resignation plus 1, the moves, and
// for each searched ply the number of moves that were visited and of each the gap to the one before and the visits; and the
// root values as little-endian float32.

func decodeV1(r *frame.Reader) *Record {
	g := decodeHead(r)
	rows := g.Searched()
	g.Simulations, g.Weights = make([]uint32, rows), make([]uint16, rows)
	for i := range rows {
		g.Simulations[i] = g.Policy.decodeVisits(r)
		g.Weights[i] = FullWeight
	}
	g.Policy = g.Policy.clone()
	g.Values = decodeValues(r, rows)
	return g
}

// decodeVisits reads the visits of a search, appends their shares, and returns their sum.
func (p *Policy) decodeVisits(r *frame.Reader) (sum uint32) {
	n := r.Length(2)
	if n == 0 {
		r.Fail("it has a search without visits")
		return 0
	}
	var counts []float64
	next, total := uint64(0), uint64(0)
	for range n {
		a := next + r.Uvarint(maxAction-min(next, maxAction))
		count := r.Uvarint(math.MaxUint32)
		total += count
		if count == 0 || a > maxAction || total > math.MaxUint32 {
			r.Fail("it has %d visits of move %d", count, a)
			return 0
		}
		p.actions = append(p.actions, int16(a))
		counts = append(counts, float64(count))
		next = a + 1
	}
	p.endRow(counts)
	return uint32(total)
}
