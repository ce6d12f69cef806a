package connect4

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A book's file is, all numbers of more than a byte as unsigned varints of encoding/binary:
//
//	magic    the 8 bytes of bookMagic, the last of which is the version
//	board    columns, rows, the number of layers: a byte each
//	layers   from the empty board on: the number of positions; for each, how much its key is above the last one's, the
//	         first one's above 0; for each, its score in a byte
//	checksum CRC-32C of all that, 4 bytes, little-endian
const bookMagic = "tenC4bk\x01"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes the book in the form that ReadBook reads.
func (b *Book) WriteTo(w io.Writer) (int64, error) {
	data := append([]byte(bookMagic), byte(b.board.columns), byte(b.board.rows), byte(len(b.layers)))
	for _, l := range b.layers {
		data = binary.AppendUvarint(data, uint64(len(l.keys)))
		var last uint64
		for _, key := range l.keys {
			data = binary.AppendUvarint(data, key-last)
			last = key
		}
		for _, score := range l.scores {
			data = append(data, byte(score))
		}
	}
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	n, err := w.Write(data)
	return int64(n), err
}

// ReadBook reads a book. It refuses what is none, or is damaged, and says why.
func ReadBook(r io.Reader) (*Book, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("cannot read the Connect Four book: %w", err)
	}
	b, err := parseBook(data)
	if err != nil {
		return nil, fmt.Errorf("not a usable Connect Four book: %w; build it again", err)
	}
	return b, nil
}

func parseBook(data []byte) (*Book, error) {
	if !bytes.HasPrefix(data, []byte(bookMagic)) {
		return nil, fmt.Errorf("it begins with %q, not %q", data[:min(len(data), len(bookMagic))], bookMagic)
	}
	const header, checksum = len(bookMagic) + 3, 4
	if len(data) < header+checksum {
		return nil, fmt.Errorf("it ends after %d bytes", len(data))
	}
	content, sum := data[:len(data)-checksum], binary.LittleEndian.Uint32(data[len(data)-checksum:])
	if got := crc32.Checksum(content, castagnoli); got != sum {
		return nil, fmt.Errorf("its checksum is %08x, its content's %08x", sum, got)
	}
	columns, rows, layers := int(content[header-3]), int(content[header-2]), int(content[header-1])
	if columns < 4 || rows < 1 || columns*(rows+1) > 64 || layers < 1 || layers > columns*rows {
		return nil, fmt.Errorf("it has %d columns, %d rows and %d layers", columns, rows, layers)
	}
	p := bookParser{board: newBoard(columns, rows), rest: content[header:]}
	b := &Book{board: p.board}
	for ply := range layers {
		l, err := p.layer(ply)
		if err != nil {
			return nil, fmt.Errorf("ply %d: %w", ply, err)
		}
		b.layers = append(b.layers, l)
	}
	if len(p.rest) > 0 {
		return nil, fmt.Errorf("%d bytes follow the last layer", len(p.rest))
	}
	return b, nil
}

// bookParser takes layers off the front of rest.
type bookParser struct {
	board *board
	rest  []byte
}

var errShort = errors.New("it ends too early")

func (p *bookParser) layer(ply int) (layer, error) {
	n, err := p.number()
	if err != nil {
		return layer{}, err
	}
	if n > uint64(len(p.rest))/2 { // a key and a score take two bytes at least
		return layer{}, errShort
	}
	l := layer{keys: make([]uint64, n), scores: make([]int8, n)}
	var last uint64
	for i := range l.keys {
		more, err := p.number()
		if err != nil {
			return layer{}, err
		}
		key := last + more
		if i > 0 && key <= last || !p.board.opening(key, ply) {
			return layer{}, fmt.Errorf("position %d has a wrong key, %#x", i, key)
		}
		l.keys[i], last = key, key
	}
	if len(p.rest) < len(l.scores) {
		return layer{}, errShort
	}
	for i := range l.scores {
		l.scores[i] = int8(p.rest[i])
		if most := p.board.soonest[1]; int(l.scores[i]) < -most || int(l.scores[i]) > most {
			return layer{}, fmt.Errorf("position %d has a wrong score, %d", i, l.scores[i])
		}
	}
	p.rest = p.rest[len(l.scores):]
	return l, nil
}

func (p *bookParser) number() (uint64, error) {
	x, n := binary.Uvarint(p.rest)
	if n <= 0 {
		return 0, errShort
	}
	p.rest = p.rest[n:]
	return x, nil
}
