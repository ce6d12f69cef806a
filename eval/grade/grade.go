// Package grade measures players on positions with known right moves: the shares of best moves and of kept results, and
// the accuracy of values.
//
// Problems come from games (Sample, Every) through Solve, from a file (ReadProblems), or from an exam (Suite). Run
// reports on each player in each part of a Set.
//
// Scores, values and results are for the side to move in the problem.
package grade

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/internal/random"
	"tengen/players"
)

// Config configures Run.
type Config struct {
	// Seed determines the players' random choices.
	Seed uint64
	// Workers is the number of goroutines, at least 1, each with its own players. It affects only players with a time
	// limit.
	Workers int
}

const problemsAtOnce = 16 // per call, to fill the networks' batches

// Run lets each player analyze each problem and grades the answers, which do not depend on other players. If done is
// not nil, Run calls it with the number of problems answered by all players, from one goroutine at a time.
//
// Run returns an error if a problem is not from game g, ctx ends or a player fails. In the last two cases it also reports
// on the problems answered so far.
func Run[S game.State[S]](ctx context.Context, cfg Config, g game.Game[S], set Set, players []players.Player[S],
	done func(problems int)) (Report, error) {
	r, err := newRun(cfg, g, set, players, done)
	if err != nil {
		return Report{}, fmt.Errorf("grade: %w", err)
	}
	workers, ctx := errgroup.WithContext(ctx)
	for range min(cfg.Workers, len(set.Problems)) {
		workers.Go(func() error { return r.work(ctx) })
	}
	if err = workers.Wait(); err != nil {
		err = fmt.Errorf("grade: %w", err)
	}
	return r.report(), err
}

type gradeRun[S game.State[S]] struct {
	cfg     Config
	game    game.Game[S]
	set     Set
	lines   []players.Line[S] // [problem]
	legal   [][]game.Action   // [problem], ascending
	players []players.Player[S]
	answers [][]answer   // [player][problem]
	whole   []bool       // [problem]: all players have answered
	taken   atomic.Int64 // problems given to workers

	mu       sync.Mutex
	answered int
	done     func(problems int)
}

type answer struct {
	move  int     // index into the legal moves
	value float64 // in [-1, 1], for the side to move
}

func newRun[S game.State[S]](cfg Config, g game.Game[S], set Set, entrants []players.Player[S], done func(problems int)) (*gradeRun[S], error) {
	if len(set.Problems) == 0 || len(entrants) == 0 {
		return nil, errors.New("nothing to grade: give at least one position and one player")
	}
	r := &gradeRun[S]{cfg: cfg, game: g, set: set, players: entrants, whole: make([]bool, len(set.Problems)), done: done}
	for _, p := range set.Problems {
		line, err := lineTo(g, p)
		if err != nil {
			return nil, err
		}
		legal := line.Position.Legal(nil)
		if p.Scores != nil && len(p.Scores) != len(legal) {
			return nil, fmt.Errorf("position %q has %d legal moves, but %d scores", name(g, p), len(legal), len(p.Scores))
		}
		r.lines, r.legal = append(r.lines, line), append(r.legal, legal)
	}
	for range entrants {
		r.answers = append(r.answers, make([]answer, len(set.Problems)))
	}
	return r, nil
}

func (r *gradeRun[S]) work(ctx context.Context) error {
	players := make([]players.Answerer[S], len(r.players))
	for i, e := range r.players {
		var err error
		if players[i], err = e.New(); err != nil {
			return err
		}
	}
	group := min(problemsAtOnce, (len(r.set.Problems)+r.cfg.Workers-1)/r.cfg.Workers)
	for {
		end := int(r.taken.Add(int64(group)))
		first := end - group
		if first >= len(r.set.Problems) {
			return nil
		}
		end = min(end, len(r.set.Problems))
		for i, p := range players {
			if err := r.ask(ctx, i, p, first, end); err != nil {
				return fmt.Errorf("player %s: %w", r.players[i].Name, err)
			}
		}
		r.finish(first, end)
	}
}

// ask poses problems first to end-1 to player i. A problem's random numbers are the same for every player.
func (r *gradeRun[S]) ask(ctx context.Context, i int, player players.Answerer[S], first, end int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	lines, rngs := r.lines[first:end], make([]*rand.Rand, end-first)
	for k := range rngs {
		rngs[k] = random.New(r.cfg.Seed, random.Grade, uint64(first+k))
	}
	analyses := make([]*players.Analysis, len(lines))
	if err := player.Analyze(ctx, lines, rngs, analyses); err != nil {
		return err
	}
	for k, a := range analyses {
		move := slices.Index(r.legal[first+k], a.Best)
		if move < 0 {
			return fmt.Errorf("illegal move #%d in position %q", a.Best, name(r.game, r.set.Problems[first+k]))
		}
		r.answers[i][first+k] = answer{move, float64(a.Value)}
	}
	return nil
}

// finish notes that all players have answered problems first to end-1.
func (r *gradeRun[S]) finish(first, end int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := first; n < end; n++ {
		r.whole[n] = true
	}
	r.answered += end - first
	if r.done != nil {
		r.done(r.answered)
	}
}

// report grades the answers to whole problems in the order of the problems, for reproducible floating-point sums.
func (r *gradeRun[S]) report() Report {
	report := Report{Game: r.game.Name(), Positions: r.answered, Seed: r.cfg.Seed, Facets: r.set.Facets, Parts: r.set.Parts}
	for i, e := range r.players {
		grades := Grades{Player: e.Name, Parts: map[string]Totals{}}
		for n, p := range r.set.Problems {
			if a := r.answers[i][n]; r.whole[n] {
				grades.add(&p, r.legal[n][a.move], a)
			}
		}
		report.Players = append(report.Players, grades)
	}
	return report
}
