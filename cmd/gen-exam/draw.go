package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	connect4game "tengen/game/connect4"
	"tengen/internal/random"
	"tengen/solver"
	"tengen/solver/connect4"
)

type config struct {
	seed      uint64
	size      int // positions in each cell
	workers   int
	megabytes int // of each worker's table
}

// drawing collects the positions of one stage. Draws are numbered and their results taken in the order of the numbers, so
// that they do not depend on which worker is faster.
type drawing struct {
	cfg   config
	stage int
	log   *log

	mu       sync.Mutex
	next     int               // number of the next draw
	results  map[int]*problem  // of draws from taken on; nil is a position that nobody needs
	taken    int               // results before this number are taken
	missing  map[cell]int      // positions; a cell that has enough is not in it
	seen     map[game.Key]bool // by problem.folded
	problems []problem
}

// drawStage returns the positions of a stage. Those in the log are not drawn again.
func drawStage(ctx context.Context, cfg config, stage int, l *log) ([]problem, error) {
	d := &drawing{cfg: cfg, stage: stage, log: l,
		results: map[int]*problem{}, missing: map[cell]int{}, seen: map[game.Key]bool{}}
	for _, c := range cells {
		if c.stage == stage {
			d.missing[c] = cfg.size
		}
	}
	for _, e := range l.entries {
		if e.Stage == stage {
			d.add(e.problem)
			d.next, d.taken = e.Number+1, e.Number+1
		}
	}
	workers, ctx := errgroup.WithContext(ctx)
	for range cfg.workers {
		workers.Go(func() error { return d.work(ctx) })
	}
	err := workers.Wait()
	return d.problems, err
}

// work draws until every cell is full.
func (d *drawing) work(ctx context.Context) error {
	s, err := connect4.New(board, connect4.Options{
		TableMegabytes: d.cfg.megabytes, Threads: 1, Book: connect4.OpeningBook(board),
	})
	if err != nil {
		return err
	}
	for {
		number, more := d.number()
		if !more {
			return nil
		}
		p, err := d.draw(ctx, s, number)
		if err != nil {
			return err
		}
		if err := d.finish(number, p); err != nil {
			return err
		}
	}
}

func (d *drawing) number() (number int, more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next++
	return d.next - 1, len(d.missing) > 0
}

func (d *drawing) needs(c cell) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.missing[c] > 0
}

// draw plays random games up to a random ply until one has a position for the exam. It is nil if its cell is full.
func (d *drawing) draw(ctx context.Context, s *connect4.Solver, number int) (*problem, error) {
	rng := random.New(d.cfg.seed, random.Exam, uint64(d.stage), uint64(number))
	first, last := stagePlies[d.stage][0], stagePlies[d.stage][1]
	plies := first + rng.IntN(last-first+1)
	for {
		position, moves := randomGame(rng, plies)
		legal := position.Legal(nil)
		if len(legal) == 0 {
			continue
		}
		score, err := s.Solve(ctx, position)
		if err != nil {
			return nil, err
		}
		if !eligible(position, score) {
			continue
		}
		if !d.needs(cellOf(plies, score)) {
			return nil, nil
		}
		scores, err := solver.Moves(ctx, s, position, legal)
		if err != nil {
			return nil, err
		}
		return &problem{moves, scores}, nil
	}
}

// randomGame plays that many random moves, fewer if the game is over.
func randomGame(rng *rand.Rand, plies int) (s connect4game.State, moves []game.Action) {
	s = board.Start()
	var legal []game.Action
	for range plies {
		if legal = s.Legal(legal[:0]); len(legal) == 0 {
			break
		}
		a := legal[rng.IntN(len(legal))]
		s, moves = s.Play(a), append(moves, a)
	}
	return s, moves
}

// finish takes the results up to the first that is not there yet.
func (d *drawing) finish(number int, p *problem) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.results[number] = p
	for {
		p, ok := d.results[d.taken]
		if !ok {
			return nil
		}
		delete(d.results, d.taken)
		d.taken++
		if p == nil || !d.add(*p) {
			continue
		}
		if err := d.log.append(entry{d.stage, d.taken - 1, *p}); err != nil {
			return err
		}
		if len(d.problems)%100 == 0 {
			fmt.Fprintf(os.Stderr, "%s: %d draws, missing %v\n", stageNames[d.stage], d.taken, d.missing)
		}
	}
}

// add takes p unless its cell is full or it is there already.
func (d *drawing) add(p problem) bool {
	if d.missing[p.cell()] == 0 || d.seen[p.folded()] {
		return false
	}
	d.problems = append(d.problems, p)
	d.seen[p.folded()] = true
	if d.missing[p.cell()]--; d.missing[p.cell()] == 0 {
		delete(d.missing, p.cell())
	}
	return true
}
