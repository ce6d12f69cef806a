package replay

import (
	"errors"
	"fmt"

	"tengen/internal/frame"
)

// The binary form of a record is a byte with its version, what that version says, and the checksum of package frame. Every
// version begins and ends like that: so a record of a version that this program does not know is told from a damaged one. A
// record has exactly one form in the version that is written.
const writtenVersion = 2

// decoders read what stands between the version and the checksum. A version that was ever written stays here.
var decoders = map[byte]func(*frame.Reader) *Record{
	1: decodeV1,
	2: decodeV2,
}

// ErrVersion is wrapped by the error of a record, or of something that carries one, that is of a version which this program
// does not know, or has a part which it does not know and must not pass over. Nothing is damaged then: another program can
// read it.
var ErrVersion = errors.New("go on with the program that made it, or update this one")

// MarshalBinary returns the binary form. It fails on a record that contradicts itself.
func (g *Record) MarshalBinary() ([]byte, error) {
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("game %d cannot be encoded: %w", g.Number, err)
	}
	b := make([]byte, 0, 64+len(g.Moves)*8+len(g.Policy.actions)*4)
	return frame.Seal(g.appendV2(append(b, writtenVersion))), nil
}

// UnmarshalBinary reads what MarshalBinary wrote, in this version of the program or an earlier one. It copies what it needs,
// never trusts a length, and on error leaves the receiver alone. The error wraps ErrVersion if a later version wrote it.
// Whether the game is possible under the rules is up to Validate.
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
	version := r.Byte()
	known := decoders[version]
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case known == nil:
		return nil, fmt.Errorf("it has version %d, this program knows up to %d: %w", version, writtenVersion, ErrVersion)
	}
	g := known(r)
	if err := r.End(); err != nil {
		return nil, err
	}
	return g, g.check()
}
