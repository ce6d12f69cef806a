package connect4

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tengen/game/connect4"
)

// BuildOptions configure BuildBook.
type BuildOptions struct {
	// Depth is the last ply, at least 0. The standard board has about 90,000 positions at ply 8, two million at ply 12.
	Depth int
	// Solver configures the search of the last ply. Its Threads is the number of positions searched at once.
	Solver Options
	// From is an incomplete book of the same depth to resume, or nil.
	From *Book
	// Progress, if not nil, receives the number of solved positions of the last ply, one call at a time.
	Progress func(done, total int)
}

// BuildBook returns a book of all positions up to a depth. It searches the last ply and derives the others. When ctx
// ends first, it returns the incomplete book and the error.
func BuildBook(ctx context.Context, g *connect4.Game, options BuildOptions) (*Book, error) {
	s, err := New(g, options.Solver)
	if err != nil {
		return nil, err
	}
	if options.Depth < 0 || options.Depth >= s.board.cells {
		return nil, fmt.Errorf("book of %s: depth is %d, but must be 0 to %d", g.Name(), options.Depth, s.board.cells-1)
	}
	from := options.From
	if from != nil && (from.board.size != s.board.size || from.Depth() != options.Depth) {
		return nil, fmt.Errorf("book of %s: the book to continue is for %v and depth %d; start a new one",
			g.Name(), from.board.size, from.Depth())
	}
	book := &Book{board: s.board, layers: make([]layer, options.Depth+1)}
	keys := s.board.openings(options.Depth)
	last := &book.layers[options.Depth]
	*last, err = s.solveAll(ctx, keys[options.Depth], options)
	if err != nil {
		return book, fmt.Errorf("book of %s: %d of %d positions solved: %w",
			g.Name(), len(last.keys), len(keys[options.Depth]), err)
	}
	for ply := options.Depth - 1; ply >= 0; ply-- {
		book.layers[ply] = s.board.fromMoves(keys[ply], &book.layers[ply+1])
	}
	return book, nil
}

// openings returns each ply's folded keys of unfinished positions up to depth, ascending.
func (b *board) openings(depth int) [][]uint64 {
	plies := [][]uint64{{0}}
	for range depth {
		plies = append(plies, b.successors(plies[len(plies)-1]))
	}
	return plies
}

// successors returns the next ply's openings.
func (b *board) successors(keys []uint64) []uint64 {
	var next []uint64
	for _, key := range keys {
		p := b.unkey(key)
		winning := b.fours(p.own)
		for rest := b.playable(p.mask) &^ winning; rest != 0; rest &= rest - 1 {
			next = append(next, b.folded(b.play(p, rest&-rest)))
		}
	}
	slices.Sort(next)
	return slices.Clip(slices.Compact(next))
}

// solveAll searches the positions that options.From lacks, or some if ctx ends.
func (s *Solver) solveAll(ctx context.Context, keys []uint64, options BuildOptions) (layer, error) {
	scores, known := make([]int8, len(keys)), make([]bool, len(keys))
	done := 0
	if options.From != nil {
		for i, key := range keys {
			if scores[i], known[i] = options.From.layers[options.Depth].find(key); known[i] {
				done++
			}
		}
	}
	todo := make(chan int, len(keys))
	for i := range keys {
		if !known[i] {
			todo <- i
		}
	}
	close(todo)
	var wg sync.WaitGroup
	var progress sync.Mutex // guards done
	for _, w := range s.workers {
		wg.Go(func() {
			for i := range todo {
				score, ok := w.solve(ctx, s.board.unkey(keys[i]), -boundOffset, boundOffset)
				if !ok {
					return
				}
				scores[i], known[i] = int8(score), true
				progress.Lock()
				done++
				if options.Progress != nil {
					options.Progress(done, len(keys))
				}
				progress.Unlock()
			}
		})
	}
	wg.Wait()
	if done == len(keys) {
		return layer{keys, scores}, nil
	}
	var solved layer
	for i, key := range keys {
		if known[i] {
			solved.keys, solved.scores = append(solved.keys, key), append(solved.scores, scores[i])
		}
	}
	return solved, ctx.Err()
}

// fromMoves returns the layer of keys, given the next ply's layer.
func (b *board) fromMoves(keys []uint64, next *layer) layer {
	l := layer{keys: keys, scores: make([]int8, len(keys))}
	for i, key := range keys {
		p := b.unkey(key)
		if b.wins(p) {
			l.scores[i] = int8(b.fastest[p.ply()+1])
			continue
		}
		best := int8(-boundOffset)
		for rest := b.playable(p.mask); rest != 0; rest &= rest - 1 {
			score, ok := next.find(b.folded(b.play(p, rest&-rest)))
			if !ok {
				panic("connect4: a position of the book is missing")
			}
			best = max(best, -score)
		}
		l.scores[i] = best
	}
	return l
}
