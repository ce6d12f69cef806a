package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/frame"
)

// The binary form of a record is
//
//	version      a byte
//	head         as varints the game's number, seed and model, the numbers of moves and of opening moves, the outcome
//	             plus 1, and the moves
//	simulations  for each searched ply, varints
//	weights      for each searched ply, varints
//	policies     for each searched ply the number of moves with a share, and for each the gap to the one before and
//	             the share, varints
//	values       for each searched ply, little-endian float32
//	sections     up to the checksum
//	checksum     see package frame
//
// Every version begins with its number and ends with the checksum, to distinguish another version from damage. A record
// has exactly one form.
//
// Sections allow for extensions. Each is a varint tag, a varint length in bytes, and the content; tags ascend. A reader
// skips an unknown section if its tag is even. An odd section changes the meaning of the rest, so an unknown one is an
// error. The known section is
//
//	2            the checksum of the evaluations, if known: 4 bytes, little-endian, not 0
const recordVersion = 2

const evaluationsSection = 2

// ErrVersion is wrapped by the error for a record or container of another version, or with an unknown part that must
// not be skipped. It is not damaged: another version of the program can read it.
var ErrVersion = errors.New("continue with the program that made it, or update this one")

// MarshalBinary returns the binary form. It fails if the record contradicts itself.
func (g *Record) MarshalBinary() ([]byte, error) {
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("game %d cannot be encoded: %w", g.Number, err)
	}
	b := g.appendSearches(g.appendHead([]byte{recordVersion}))
	return frame.Seal(g.appendSections(b)), nil
}

// UnmarshalBinary decodes the result of MarshalBinary. It does not retain data, trusts no length, and leaves the
// receiver unchanged on error. It does not check the rules, see Validate.
func (g *Record) UnmarshalBinary(data []byte) error {
	decoded, err := decode(data)
	if err != nil {
		return fmt.Errorf("cannot read a game record: %w", err)
	}
	*g = *decoded
	return nil
}

func decode(data []byte) (*Record, error) {
	body, err := frame.Open(data)
	if err != nil {
		return nil, err
	}
	r := frame.NewReader(body)
	if version := r.Byte(); r.Err() == nil && version != recordVersion {
		return nil, fmt.Errorf("it has version %d, but this program needs %d: %w", version, recordVersion, ErrVersion)
	}
	g := decodeHead(r)
	g.decodeSearches(r)
	g.decodeSections(r)
	if err := r.End(); err != nil {
		return nil, err
	}
	return g, g.check()
}

func (g *Record) appendHead(b []byte) []byte {
	for _, v := range []uint64{
		g.Number, g.Seed, g.Model, uint64(len(g.Moves)), uint64(g.Opening), uint64(g.Outcome + 1),
	} {
		b = binary.AppendUvarint(b, v)
	}
	for _, a := range g.Moves {
		b = binary.AppendUvarint(b, uint64(a))
	}
	return b
}

func (g *Record) appendSearches(b []byte) []byte {
	for _, n := range g.Simulations {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, w := range g.Weights {
		b = binary.AppendUvarint(b, uint64(w))
	}
	for i := range g.Policy.Len() {
		actions, shares := g.Policy.Row(i)
		b = binary.AppendUvarint(b, uint64(len(actions)))
		next := int16(0)
		for j, a := range actions {
			b = binary.AppendUvarint(b, uint64(a-next))
			b = binary.AppendUvarint(b, uint64(shares[j]))
			next = a + 1
		}
	}
	for _, v := range g.Values {
		b = frame.AppendFloat32(b, v)
	}
	return b
}

func (g *Record) appendSections(b []byte) []byte {
	if g.Evaluations != 0 {
		b = binary.LittleEndian.AppendUint32(append(b, evaluationsSection, 4), g.Evaluations)
	}
	return b
}

func decodeHead(r *frame.Reader) *Record {
	g := &Record{
		Number: r.Uvarint(math.MaxUint64),
		Seed:   r.Uvarint(math.MaxUint64),
		Model:  r.Uvarint(math.MaxUint64),
	}
	moves := r.Length(1)
	g.Opening = int(r.Uvarint(uint64(moves)))
	g.Outcome = int8(r.Uvarint(2)) - 1
	g.Moves = make([]game.Action, moves)
	for i := range g.Moves {
		g.Moves[i] = game.Action(r.Uvarint(maxAction))
	}
	return g
}

func (g *Record) decodeSearches(r *frame.Reader) {
	rows := g.Searched()
	g.Simulations, g.Weights = make([]uint32, rows), make([]uint16, rows)
	for i := range g.Simulations {
		g.Simulations[i] = uint32(r.Uvarint(math.MaxUint32))
	}
	for i := range g.Weights {
		g.Weights[i] = uint16(r.Uvarint(math.MaxUint16))
	}
	for range rows {
		g.Policy.decodeShares(r)
	}
	g.Policy = g.Policy.clone()
	g.Values = make([]float32, rows)
	for i := range g.Values {
		g.Values[i] = r.Float32()
	}
}

func (p *Policy) decodeShares(r *frame.Reader) {
	next, sum := uint64(0), uint64(0)
	for range r.Length(2) {
		a := next + r.Uvarint(maxAction-min(next, maxAction))
		share := r.Uvarint(FullShare)
		if share == 0 || a > maxAction {
			r.Fail("it has a share of %d for move %d", share, a)
			return
		}
		p.actions = append(p.actions, int16(a))
		p.shares = append(p.shares, uint16(share))
		next, sum = a+1, sum+share
	}
	if next > 0 && sum != FullShare {
		r.Fail("it has a policy whose shares add up to %d, not %d", sum, FullShare)
	}
	p.ends = append(p.ends, uint32(len(p.actions)))
}

func (g *Record) decodeSections(r *frame.Reader) {
	for next := uint64(0); r.Len() > 0; {
		tag := r.Uvarint(math.MaxUint64 - 1)
		content := r.Bytes(r.Length(1))
		switch {
		case r.Err() != nil:
			return
		case tag < next:
			r.Fail("its section %d is out of order", tag)
		case tag%2 == 1:
			r.Fail("this program does not know its section %d: %w", tag, ErrVersion)
		case tag == evaluationsSection:
			if len(content) == 4 {
				g.Evaluations = binary.LittleEndian.Uint32(content)
			}
			if g.Evaluations == 0 {
				r.Fail("its section %d is %x, not 4 bytes with a checksum", tag, content)
			}
		}
		next = tag + 1
	}
}
