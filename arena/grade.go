package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/internal/random"
)

// Candidate is a player to be graded, such as a network with its search, or its bare policy.
type Candidate[S game.State[S]] struct {
	Name string                     // in the report and errors
	New  func() (Analyst[S], error) // one for each goroutine
}

// GradeConfig says how players are graded.
type GradeConfig struct {
	// Seed determines every random choice of the players.
	Seed uint64
	// Workers is the number of goroutines, each with analysts of its own. It changes nothing else, unless players go by the
	// clock.
	Workers int
}

// Grade lets each candidate analyse each problem and compares its moves and values with perfect play. The grades of a
// candidate do not depend on the others. done, unless nil, is told how many problems all candidates have answered; it is
// called by one goroutine at a time.
//
// The problems must be of the game g. When ctx ends or a candidate fails, Grade returns the error.
func Grade[S game.State[S]](ctx context.Context, cfg GradeConfig, g game.Game[S], problems []Problem[S],
	candidates []Candidate[S], done func(problems int)) (Report, error) {
	if cfg.Workers < 1 {
		return Report{}, fmt.Errorf("grade: workers is %d, allowed are 1 and more", cfg.Workers)
	}
	if len(problems) == 0 || len(candidates) == 0 {
		return Report{}, errors.New("grade: nothing to do: it takes at least one position and one player")
	}
	e := &exam[S]{cfg: cfg, game: g, problems: problems, candidates: candidates, done: done}
	e.answers = make([][]answer, len(candidates))
	for i := range e.answers {
		e.answers[i] = make([]answer, len(problems))
	}
	workers, ctx := errgroup.WithContext(ctx)
	for range min(cfg.Workers, len(problems)) {
		workers.Go(func() error { return e.work(ctx) })
	}
	if err := workers.Wait(); err != nil {
		return Report{}, fmt.Errorf("grade: %w", err)
	}
	return e.report(), nil
}

// exam is what the workers share.
type exam[S game.State[S]] struct {
	cfg        GradeConfig
	game       game.Game[S]
	problems   []Problem[S]
	candidates []Candidate[S]
	answers    [][]answer // [candidate][problem]
	dealt      atomic.Int64

	mu       sync.Mutex
	answered int
	done     func(problems int)
}

// answer is what a candidate says to a problem.
type answer struct {
	move  int     // index into Problem.Legal
	value float64 // in [-1, 1], for the side to move
}

// work answers problems until there are none left.
func (e *exam[S]) work(ctx context.Context) error {
	analysts := make([]Analyst[S], len(e.candidates))
	for i, c := range e.candidates {
		var err error
		if analysts[i], err = c.New(); err != nil {
			return fmt.Errorf("player %s: %w", c.Name, err)
		}
	}
	for {
		n := int(e.dealt.Add(1)) - 1
		if n >= len(e.problems) {
			return nil
		}
		for i, analyst := range analysts {
			var err error
			if e.answers[i][n], err = e.ask(ctx, analyst, n); err != nil {
				return fmt.Errorf("player %s at position %q: %w", e.candidates[i].Name, e.game.FormatMoves(e.problems[n].Moves), err)
			}
		}
		e.finish()
	}
}

// ask puts a problem to an analyst. Each has the same random numbers, so that nobody's grades depend on who else is there.
func (e *exam[S]) ask(ctx context.Context, analyst Analyst[S], n int) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	p := &e.problems[n]
	analysis, err := analyst.Analyze(ctx, p.Position, random.New(e.cfg.Seed, random.Grade, uint64(n)))
	if err != nil {
		return answer{}, err
	}
	move := slices.Index(p.Legal, analysis.Best)
	if move < 0 {
		return answer{}, fmt.Errorf("illegal move %s (action %d)", e.game.FormatAction(analysis.Best), analysis.Best)
	}
	return answer{move, float64(analysis.Value)}, nil
}

// finish counts a problem that all candidates have answered.
func (e *exam[S]) finish() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answered++
	if e.done != nil {
		e.done(e.answered)
	}
}

// report marks the answers in the order of the problems, so that sums of floats are the same every time.
func (e *exam[S]) report() Report {
	height, width := e.game.Board()
	cells := height * width
	r := Report{Game: e.game.Name(), Positions: len(e.problems), Seed: e.cfg.Seed}
	for i, c := range e.candidates {
		grades := Grades{Player: c.Name}
		for n := range e.problems {
			p, a := &e.problems[n], e.answers[i][n]
			grades.add(p.stage(cells), p.difficulty(cells), p.Score, p.Scores[a.move], a.value)
		}
		r.Players = append(r.Players, grades)
	}
	return r
}
