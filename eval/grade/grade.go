// Package grade measures players by perfect play: how often a player's move is among the best, how often it keeps a win
// won and a draw drawn, and how well its values tell the result.
//
// A Problem is a position whose exact worth is known; Sample draws positions from games, Every lists all of a small game,
// ReadProblems takes them from a file. Run puts problems to players and makes a Report: the grades of each player over all
// problems, by the stage of the game and by how far one must look ahead.
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

// Run asks the players and compares their moves and values with perfect play. It is Ask otherwise.
func Run[S game.State[S]](ctx context.Context, cfg Config, g game.Game[S], problems []Problem[S], players []players.Entrant[S],
	done func(problems int)) (Report, error) {
	answers, err := Ask(ctx, cfg, g, problems, players, done)
	if err != nil {
		return Report{}, err
	}
	return report(cfg, g, problems, players, answers), nil
}

// Answer is what a player says to a problem.
type Answer struct {
	Move  int     // index into Problem.Legal
	Value float64 // in [-1, 1], for the side to move
}

// Ask lets each player analyze each problem, whose scores may be missing, and returns its answers [player][problem]. Those of a
// player do not depend on the others. done, unless nil, is told how many problems all players have answered; it is called by
// one goroutine at a time.
//
// The problems must be of the game g. When ctx ends or a player fails, Ask returns the error.
func Ask[S game.State[S]](ctx context.Context, cfg Config, g game.Game[S], problems []Problem[S], players []players.Entrant[S],
	done func(problems int)) ([][]Answer, error) {
	if cfg.Workers < 1 {
		return nil, fmt.Errorf("grade: workers is %d, allowed are 1 and more", cfg.Workers)
	}
	if len(problems) == 0 || len(players) == 0 {
		return nil, errors.New("grade: nothing to do: it takes at least one position and one player")
	}
	r := &gradeRun[S]{cfg: cfg, game: g, problems: problems, players: players, done: done}
	r.answers = make([][]Answer, len(players))
	for i := range r.answers {
		r.answers[i] = make([]Answer, len(problems))
	}
	workers, ctx := errgroup.WithContext(ctx)
	for range min(cfg.Workers, len(problems)) {
		workers.Go(func() error { return r.work(ctx) })
	}
	if err := workers.Wait(); err != nil {
		return nil, fmt.Errorf("grade: %w", err)
	}
	return r.answers, nil
}

// gradeRun is what the workers share.
type gradeRun[S game.State[S]] struct {
	cfg      Config
	game     game.Game[S]
	problems []Problem[S]
	players  []players.Entrant[S]
	answers  [][]Answer   // [player][problem]
	taken    atomic.Int64 // problems given to workers

	mu       sync.Mutex
	answered int
	done     func(problems int)
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
	group := min(problemsAtOnce, (len(r.problems)+r.cfg.Workers-1)/r.cfg.Workers)
	for {
		end := int(r.taken.Add(int64(group)))
		first := end - group
		if first >= len(r.problems) {
			return nil
		}
		end = min(end, len(r.problems))
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
	problems := r.problems[first:end]
	positions, rngs := make([]S, len(problems)), make([]*rand.Rand, len(problems))
	for k, p := range problems {
		positions[k], rngs[k] = p.Position, random.New(r.cfg.Seed, random.Grade, uint64(first+k))
	}
	analyses := make([]*players.Analysis, len(problems))
	if err := player.Analyze(ctx, positions, rngs, analyses); err != nil {
		return err
	}
	for k, a := range analyses {
		move := slices.Index(problems[k].Legal, a.Best)
		if move < 0 {
			return fmt.Errorf("illegal move %s (action %d) in position %q",
				r.game.FormatAction(a.Best), a.Best, r.game.FormatMoves(problems[k].Moves))
		}
		r.answers[i][first+k] = Answer{move, float64(a.Value)}
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
func report[S game.State[S]](cfg Config, g game.Game[S], problems []Problem[S], players []players.Entrant[S], answers [][]Answer) Report {
	plies := g.MaxPlies()
	report := Report{Game: g.Name(), Positions: len(problems), Seed: cfg.Seed}
	for i, e := range players {
		grades := Grades{Player: e.Name}
		for n := range problems {
			p, a := &problems[n], answers[i][n]
			grades.add(p.stage(plies), p.difficulty(plies), p.Score, p.Scores[a.Move], a.Value)
		}
		report.Players = append(report.Players, grades)
	}
	return report
}
