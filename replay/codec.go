package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"tengen/game"
)

// The binary form of a record: a version byte, a byte of flags, unsigned varints (the moves' gaps within a row of visits,
// not the moves), the root values as little-endian float32, and a CRC-32C of all that. A record has exactly one such
// form: the reader refuses varints that are longer than needed.
const recordVersion = 1

const (
	flagResigned = 1 << iota
	flagPlayedOn
	knownFlags = flagResigned | flagPlayedOn
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the binary form. It fails on a record that contradicts itself.
func (g *Record) MarshalBinary() ([]byte, error) {
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("game %d cannot be encoded: %w", g.Number, err)
	}
	flags := byte(0)
	if g.Resigned {
		flags |= flagResigned
	}
	if g.PlayedOn {
		flags |= flagPlayedOn
	}
	b := make([]byte, 0, 64+len(g.Moves)*8+len(g.Visits.actions)*4)
	b = append(b, recordVersion, flags)
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
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. It copies what it needs, never trusts a length, and on error leaves
// the receiver alone. Whether the game is possible under the rules is up to Validate.
func (g *Record) UnmarshalBinary(data []byte) error {
	decoded, err := decodeGame(data)
	if err != nil {
		return fmt.Errorf("not a game record: %w", err)
	}
	*g = *decoded
	return nil
}

func decodeGame(data []byte) (*Record, error) {
	body, err := checksummed(data)
	if err != nil {
		return nil, err
	}
	d := decoder{rest: body}
	if version := d.byte(); version != recordVersion {
		return nil, fmt.Errorf("version %d, only %d is known", version, recordVersion)
	}
	flags := d.byte()
	g := &Record{
		Resigned: flags&flagResigned != 0,
		PlayedOn: flags&flagPlayedOn != 0,
		Number:   d.uvarint(math.MaxUint64),
		Seed:     d.uvarint(math.MaxUint64),
		Model:    d.uvarint(math.MaxUint64),
	}
	moves := d.length(1)
	g.Opening = int(d.uvarint(uint64(moves)))
	g.Outcome = int8(d.uvarint(2)) - 1
	g.ResignPly = int(d.uvarint(uint64(moves)+1)) - 1
	g.Moves = make([]game.Action, moves)
	for i := range g.Moves {
		g.Moves[i] = game.Action(d.uvarint(maxAction))
	}
	g.Visits = d.visits(g.Positions())
	g.Values = make([]float32, g.Positions())
	for i := range g.Values {
		g.Values[i] = d.float32()
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case len(d.rest) > 0:
		return nil, fmt.Errorf("%d bytes too many", len(d.rest))
	case flags&^knownFlags != 0:
		return nil, fmt.Errorf("unknown flags %#x", flags)
	}
	return g, g.check()
}

// checksummed takes the trailing CRC-32C off data and checks it.
func checksummed(data []byte) ([]byte, error) {
	n := len(data) - crc32.Size
	if n < 0 {
		return nil, errors.New("too short")
	}
	if crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, errors.New("damaged: the checksum does not match")
	}
	return data[:n], nil
}

func (d *decoder) visits(rows int) Visits {
	v := Visits{ends: make([]uint32, rows)}
	for i := range v.ends {
		n := d.length(2)
		if n == 0 {
			d.fail("a search without visits")
			return Visits{}
		}
		next := uint64(0)
		for range n {
			a := next + d.uvarint(maxAction-min(next, maxAction))
			count := d.uvarint(math.MaxUint32)
			if count == 0 || a > maxAction {
				d.fail("%d visits of move %d", count, a)
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
