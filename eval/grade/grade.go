// Package grade measures players by positions of which it is known which moves are right: how often a player's move is among
// the best, how often it keeps a win won and a draw drawn, and how well its values tell the result.
//
// A Problem is a position and what is known of its moves. Sample draws positions from games and Every lists all of a small
// game, for Solve to solve; ReadProblems takes them from a file; a Suite is an exam, with all that is known of its problems.
// Run puts a Set of problems to players and makes a Report: how each player does in each part of the set.
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

// Config says how players are graded.
type Config struct {
	// Seed determines every random choice of the players.
	Seed uint64
	// Workers is the number of goroutines, each with players of its own. It changes nothing else, unless players go by the
	// clock.
	Workers int
}

const (
	problemsAtOnce = 16 // that a worker puts to a player in one call, so that networks fill their batches
)

// Run lets each player analyze each problem and compares its answers with what is known. The answers of a player do not depend
// on the others. done, unless nil, is told how many problems all players have answered; it is called by one goroutine at a time.
//
// It is an error if a problem is none of the game g, if ctx ends first or if a player fails.
func Run[S game.State[S]](ctx context.Context, cfg Config, g game.Game[S], set Set, players []players.Factory[S],
	done func(problems int)) (Report, error) {
	r, err := newRun(cfg, g, set, players, done)
	if err != nil {
		return Report{}, fmt.Errorf("grade: %w", err)
	}
	workers, ctx := errgroup.WithContext(ctx)
	for range min(cfg.Workers, len(set.Problems)) {
		workers.Go(func() error { return r.work(ctx) })
	}
	if err := workers.Wait(); err != nil {
		return Report{}, fmt.Errorf("grade: %w", err)
	}
	return r.report(), nil
}

// gradeRun is what the workers share.
type gradeRun[S game.State[S]] struct {
	cfg       Config
	game      game.Game[S]
	set       Set
	positions []S             // [problem]
	legal     [][]game.Action // [problem], by ascending action
	players   []players.Factory[S]
	answers   [][]answer   // [player][problem]
	taken     atomic.Int64 // problems given to workers

	mu       sync.Mutex
	answered int
	done     func(problems int)
}

// answer is what a player says to a problem.
type answer struct {
	move  int     // index into the legal moves
	value float64 // in [-1, 1], for the side to move
}

// newRun replays the problems.
func newRun[S game.State[S]](cfg Config, g game.Game[S], set Set, players []players.Factory[S], done func(problems int)) (*gradeRun[S], error) {
	if cfg.Workers < 1 {
		return nil, fmt.Errorf("workers is %d, allowed are 1 and more", cfg.Workers)
	}
	if len(set.Problems) == 0 || len(players) == 0 {
		return nil, errors.New("nothing to do: it takes at least one position and one player")
	}
	r := &gradeRun[S]{cfg: cfg, game: g, set: set, players: players, done: done}
	for _, p := range set.Problems {
		position, err := replay(g, p.Moves)
		if err != nil {
			return nil, err
		}
		legal := position.Legal(nil)
		if p.Scores != nil && len(p.Scores) != len(legal) {
			return nil, fmt.Errorf("position %q has %d legal moves, and %d scores", g.FormatMoves(p.Moves), len(legal), len(p.Scores))
		}
		r.positions, r.legal = append(r.positions, position), append(r.legal, legal)
	}
	for range players {
		r.answers = append(r.answers, make([]answer, len(set.Problems)))
	}
	return r, nil
}

// work answers problems, some at once, until there are none left.
func (r *gradeRun[S]) work(ctx context.Context) error {
	players := make([]players.Answerer[S], len(r.players))
	for i, e := range r.players {
		var err error
		if players[i], err = e.New(); err != nil {
			return err
		}
	}
	// Towards the end every worker has something to do.
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
		r.finish(end - first)
	}
}

// ask puts the problems first to end-1 to player i. Each has random numbers of its own, the same for every player, so that
// nobody's grades depend on who else is there.
func (r *gradeRun[S]) ask(ctx context.Context, i int, player players.Answerer[S], first, end int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	positions, rngs := r.positions[first:end], make([]*rand.Rand, end-first)
	for k := range rngs {
		rngs[k] = random.New(r.cfg.Seed, random.Grade, uint64(first+k))
	}
	analyses := make([]*players.Analysis, len(positions))
	if err := player.Analyze(ctx, positions, rngs, analyses); err != nil {
		return err
	}
	for k, a := range analyses {
		move := slices.Index(r.legal[first+k], a.Best)
		if move < 0 {
			return fmt.Errorf("illegal move %s (action %d) in position %q",
				r.game.FormatAction(a.Best), a.Best, r.game.FormatMoves(r.set.Problems[first+k].Moves))
		}
		r.answers[i][first+k] = answer{move, float64(a.Value)}
	}
	return nil
}

// finish counts problems that all players have answered.
func (r *gradeRun[S]) finish(problems int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered += problems
	if r.done != nil {
		r.done(r.answered)
	}
}

// report grades the answers in the order of the problems, so that sums of floats are the same every time.
func (r *gradeRun[S]) report() Report {
	report := Report{Game: r.game.Name(), Positions: len(r.set.Problems), Seed: r.cfg.Seed, Axes: r.set.Axes, Parts: r.set.Parts}
	for i, e := range r.players {
		grades := Grades{Player: e.Name, Parts: map[string]Totals{}}
		for n, p := range r.set.Problems {
			a := r.answers[i][n]
			grades.add(&p, r.legal[n][a.move], a)
		}
		report.Players = append(report.Players, grades)
	}
	return report
}
