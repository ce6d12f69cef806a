package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"golang.org/x/sync/errgroup"

	"tengen/eval/exam"
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

var board = connect4game.Standard()

// drawing collects the positions of one stage. Draws are numbered and their results taken in the order of the numbers, so
// that they do not depend on which worker is faster.
type drawing struct {
	cfg   config
	stage exam.Stage
	log   *log

	mu       sync.Mutex
	next     int                   // number of the next draw
	results  map[int]*exam.Problem // of draws from taken on; nil is a position that nobody needs
	taken    int                   // results before this number are taken
	missing  map[exam.Cell]int     // positions; a cell that has enough is not in it
	seen     map[game.Key]bool     // by exam.Problem.Folded
	problems []exam.Problem
}

// drawStage returns the positions of a stage. Those in the log are not drawn again.
func drawStage(ctx context.Context, cfg config, stage exam.Stage, l *log) ([]exam.Problem, error) {
	d := &drawing{cfg: cfg, stage: stage, log: l,
		results: map[int]*exam.Problem{}, missing: map[exam.Cell]int{}, seen: map[game.Key]bool{}}
	for _, cell := range exam.Cells {
		if cell.Stage == stage {
			d.missing[cell] = cfg.size
		}
	}
	for _, e := range l.entries {
		if e.stage == stage {
			d.add(e.problem)
			d.next, d.taken = e.number+1, e.number+1
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

func (d *drawing) needs(cell exam.Cell) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.missing[cell] > 0
}

// draw plays random games up to a random ply until one has a position for the exam. It is nil if its cell is full.
func (d *drawing) draw(ctx context.Context, s *connect4.Solver, number int) (*exam.Problem, error) {
	rng := random.New(d.cfg.seed, random.Exam, uint64(d.stage), uint64(number))
	first, last := d.stage.Plies()
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
		if !exam.Eligible(position, score) {
			continue
		}
		if !d.needs(exam.CellOf(plies, score)) {
			return nil, nil
		}
		scores, err := solver.Moves(ctx, s, position, legal)
		if err != nil {
			return nil, err
		}
		p := exam.New(position, moves, scores)
		return &p, nil
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
func (d *drawing) finish(number int, p *exam.Problem) error {
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
		if err := d.log.append(d.stage, d.taken-1, p); err != nil {
			return err
		}
		if len(d.problems)%100 == 0 {
			fmt.Fprintf(os.Stderr, "%v: %d draws, missing %v\n", d.stage, d.taken, d.missing)
		}
	}
}

// add takes p unless its cell is full or it is there already.
func (d *drawing) add(p exam.Problem) bool {
	if d.missing[p.Cell] == 0 || d.seen[p.Folded()] {
		return false
	}
	d.problems = append(d.problems, p)
	d.seen[p.Folded()] = true
	if d.missing[p.Cell]--; d.missing[p.Cell] == 0 {
		delete(d.missing, p.Cell)
	}
	return true
}
