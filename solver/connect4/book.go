package connect4

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"tengen/game/connect4"
	"tengen/solver"
)

// Book holds the scores of all positions of a board's first plies, one for each pair of mirror images. It is immutable
// and safe for concurrent use.
type Book struct {
	board  *board
	layers []layer // by ply
}

// layer holds a ply's unfinished positions, not all in an incomplete book.
type layer struct {
	keys   []uint64 // folded, ascending
	scores []int8   // for the side to move
}

//go:embed opening.book.gz
var openingBook []byte

var readOpeningBook = sync.OnceValue(func() *Book {
	book, err := unpackBook(openingBook)
	if err != nil {
		panic(fmt.Sprintf("connect4: the opening book in the program: %v", err))
	}
	return book
})

func unpackBook(file []byte) (*Book, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return ReadBook(z)
}

// OpeningBook returns the embedded book of the standard board up to ply 8, or nil for other boards. The first call
// decodes 1.2 MB in a few milliseconds.
func OpeningBook(g *connect4.Game) *Book {
	if g.Name() != connect4.Standard().Name() {
		return nil
	}
	return readOpeningBook()
}

// Depth returns the last ply in the book.
func (b *Book) Depth() int { return len(b.layers) - 1 }

// Len returns the number of positions.
func (b *Book) Len() int {
	n := 0
	for _, l := range b.layers {
		n += len(l.keys)
	}
	return n
}

// lookup returns the score of p for the side to move, if the book has it.
func (b *Book) lookup(p position) (score solver.Score, ok bool) {
	ply := p.ply()
	if ply >= len(b.layers) {
		return 0, false
	}
	found, ok := b.layers[ply].find(b.board.folded(p))
	return solver.Score(found), ok
}

func (l *layer) find(key uint64) (score int8, ok bool) {
	if i, ok := slices.BinarySearch(l.keys, key); ok {
		return l.scores[i], true
	}
	return 0, false
}
