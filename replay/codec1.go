package replay

import (
	"encoding/binary"
	"math"

	"tengen/game"
	"tengen/internal/frame"
)

// Version 1 is a byte of flags; as varints the game's number, seed and model, the number of moves, of those of the opening,
// the outcome plus 1, the ply of the resignation plus 1, the moves, and for each searched ply the number of moves that were
// visited and of each the gap to the one before and the visits; and the root values as little-endian float32.

const (
	flagResigned = 1 << iota
	flagPlayedOn
	knownFlags = flagResigned | flagPlayedOn
)

func (g *Record) appendV1(b []byte) []byte {
	flags := byte(0)
	if g.Resigned {
		flags |= flagResigned
	}
	if g.PlayedOn {
		flags |= flagPlayedOn
	}
	b = append(b, flags)
	for _, v := range []uint64{
		g.Number, g.Seed, g.Model,
		uint64(len(g.Moves)), uint64(g.Opening), uint64(g.Outcome + 1), uint64(g.ResignPly + 1),
	} {
		b = binary.AppendUvarint(b, v)
	}
	for _, a := range g.Moves {
		b = binary.AppendUvarint(b, uint64(a))
	}
	for i := range g.Visits.Len() {
		actions, counts := g.Visits.Row(i)
		b = binary.AppendUvarint(b, uint64(len(actions)))
		next := int16(0)
		for j, a := range actions {
			b = binary.AppendUvarint(b, uint64(a-next))
			b = binary.AppendUvarint(b, uint64(counts[j]))
			next = a + 1
		}
	}
	for _, v := range g.Values {
		b = frame.AppendFloat32(b, v)
	}
	return b
}

func decodeV1(r *frame.Reader) *Record {
	flags := r.Byte()
	if flags&^knownFlags != 0 {
		r.Fail("it has the unknown flags %#x", flags)
	}
	g := &Record{
		Resigned: flags&flagResigned != 0,
		PlayedOn: flags&flagPlayedOn != 0,
		Number:   r.Uvarint(math.MaxUint64),
		Seed:     r.Uvarint(math.MaxUint64),
		Model:    r.Uvarint(math.MaxUint64),
	}
	moves := r.Length(1)
	g.Opening = int(r.Uvarint(uint64(moves)))
	g.Outcome = int8(r.Uvarint(2)) - 1
	g.ResignPly = int(r.Uvarint(uint64(moves)+1)) - 1
	g.Moves = make([]game.Action, moves)
	for i := range g.Moves {
		g.Moves[i] = game.Action(r.Uvarint(maxAction))
	}
	g.Visits = decodeVisits(r, g.Positions())
	g.Values = make([]float32, g.Positions())
	for i := range g.Values {
		g.Values[i] = r.Float32()
	}
	return g
}

func decodeVisits(r *frame.Reader, rows int) Visits {
	v := Visits{ends: make([]uint32, rows)}
	for i := range v.ends {
		n := r.Length(2)
		if n == 0 {
			r.Fail("it has a search without visits")
			return Visits{}
		}
		next := uint64(0)
		for range n {
			a := next + r.Uvarint(maxAction-min(next, maxAction))
			count := r.Uvarint(math.MaxUint32)
			if count == 0 || a > maxAction {
				r.Fail("it has %d visits of move %d", count, a)
				return Visits{}
			}
			v.actions = append(v.actions, int16(a))
			v.counts = append(v.counts, uint32(count))
			next = a + 1
		}
		v.ends[i] = uint32(len(v.actions))
	}
	v.actions, v.counts = exact(v.actions), exact(v.counts)
	return v
}
