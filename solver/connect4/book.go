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

// Book holds the scores of the positions of the first plies of one board, mirror images folded into one. It is immutable
// and safe for concurrent use.
type Book struct {
	board  *board
	layers []layer // one a ply, from the empty board on
}

// layer is the unfinished positions of one ply, or in an unfinished book some of them.
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

// OpeningBook is the book that comes with the package: all positions of the standard board up to ply 8. It is nil for any
// other board. The first call reads it, in a few milliseconds and 1.2 MB; all callers share it.
func OpeningBook(g *connect4.Game) *Book {
	if g.Name() != connect4.Standard().Name() {
		return nil
	}
	return readOpeningBook()
}

// Depth is the last ply of which the book has positions.
func (b *Book) Depth() int { return len(b.layers) - 1 }

// Complete reports whether the book has all positions up to its depth; otherwise BuildBook was stopped, and can go on.
func (b *Book) Complete() bool { return len(b.layers[0].keys) > 0 }

// Len is the number of positions.
func (b *Book) Len() int {
	n := 0
	for _, l := range b.layers {
		n += len(l.keys)
	}
	return n
}

// Lookup returns the score of s for the side to move, if the book has it. It never has a finished game.
func (b *Book) Lookup(s connect4.State) (score solver.Score, ok bool) {
	if _, over := s.Outcome(); over || s.Game().Board() != b.board.size || s.Game().K() != 4 {
		return 0, false
	}
	key := s.Key()
	return b.lookup(b.board.position(key[0], key[1]))
}

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
