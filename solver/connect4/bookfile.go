package connect4

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"tengen/game"
	"tengen/internal/frame"
)

// A book's file has these parts, with multi-byte numbers as varints, see package frame:
//
//	magic    8 bytes, the last of which is the version
//	board    columns, rows, the number of layers: a byte each
//	layers   from the empty board on: the number of positions; each key minus the previous one, the first as it is;
//	         the score of each position in a byte
//	checksum as in package frame
const bookMagic = "tenC4bk\x01"

// WriteTo writes the book for ReadBook.
func (b *Book) WriteTo(w io.Writer) (int64, error) {
	data := append([]byte(bookMagic), byte(b.board.size.Columns), byte(b.board.size.Rows), byte(len(b.layers)))
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
	n, err := w.Write(frame.Seal(data))
	return int64(n), err
}

// ReadBook reads a book. It returns an error for other or damaged files.
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

// ReadBookFile reads a book file.
func ReadBookFile(path string) (*Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	book, err := ReadBook(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return book, nil
}

func parseBook(data []byte) (*Book, error) {
	if !bytes.HasPrefix(data, []byte(bookMagic)) {
		return nil, fmt.Errorf("it begins with %q, not %q", data[:min(len(data), len(bookMagic))], bookMagic)
	}
	content, err := frame.Open(data)
	if err != nil {
		return nil, err
	}
	r := frame.NewReader(content)
	r.Bytes(len(bookMagic))
	size := game.Size{Columns: int(r.Byte()), Rows: int(r.Byte())}
	layers := int(r.Byte())
	if size.Columns < 4 || size.Rows < 1 || size.Columns*(size.Rows+1) > 64 || layers < 1 || layers > size.Cells() {
		return nil, fmt.Errorf("it has %v and %d layers", size, layers)
	}
	b := &Book{board: newBoard(size)}
	for range layers {
		b.layers = append(b.layers, b.board.readLayer(r))
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *board) readLayer(r *frame.Reader) layer {
	n := r.Length(2) // at least two bytes each
	l := layer{keys: make([]uint64, n), scores: make([]int8, n)}
	var last uint64
	for i := range l.keys {
		last += r.Uvarint(math.MaxUint64)
		l.keys[i] = last
	}
	for i, score := range r.Bytes(n) {
		l.scores[i] = int8(score)
		if limit := b.fastest[1]; int(l.scores[i]) < -limit || int(l.scores[i]) > limit {
			r.Fail("position %d has a wrong score, %d", i, l.scores[i])
		}
	}
	return l
}
