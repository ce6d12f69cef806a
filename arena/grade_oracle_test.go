package arena_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/solver"
)

// oracle is plain minimax that remembers positions.
type oracle[S game.State[S]] struct {
	cells int
	known map[game.Key]solver.Score
}

func newOracle[S game.State[S]](g game.Game[S]) *oracle[S] {
	return &oracle[S]{g.MaxPlies(), map[game.Key]solver.Score{}}
}

func (o *oracle[S]) Nodes() uint64 { return uint64(len(o.known)) }

func (o *oracle[S]) Solve(ctx context.Context, s S) (solver.Score, error) {
	return o.score(s), ctx.Err()
}

func (o *oracle[S]) score(s S) solver.Score {
	score, known := o.known[s.Key()]
	if known {
		return score
	}
	score, over := solver.Final(s, o.cells)
	if !over {
		score = slices.Max(o.scores(s))
	}
	o.known[s.Key()] = score
	return score
}

// scores are those of the legal moves.
func (o *oracle[S]) scores(s S) []solver.Score {
	var scores []solver.Score
	for _, a := range s.Legal(nil) {
		scores = append(scores, -o.score(s.Play(a)))
	}
	return scores
}

// openTicTacToe is every position of tic-tac-toe that is not over, in the order of a depth-first walk.
func openTicTacToe(t *testing.T) []arena.Problem[mnk.State] {
	t.Helper()
	g := mnk.TicTacToe()
	o := newOracle(g)
	seen := map[game.Key]bool{}
	var problems []arena.Problem[mnk.State]
	var walk func(s mnk.State, moves []game.Action)
	walk = func(s mnk.State, moves []game.Action) {
		if _, over := s.Outcome(); over || seen[s.Key()] {
			return
		}
		seen[s.Key()] = true
		p, err := arena.NewProblem(t.Context(), g, o, slices.Clone(moves))
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, p)
		for _, a := range p.Legal {
			walk(s.Play(a), append(moves, a))
		}
	}
	walk(g.Start(), nil)
	if len(problems) != 4520 { // 5,478 positions, of which 958 are over
		t.Fatalf("%d positions, want 4520", len(problems))
	}
	return problems
}

// analystFunc makes an analyst of a function.
type analystFunc[S game.State[S]] func(s S, rng *rand.Rand) (game.Action, float32)

func (f analystFunc[S]) Analyze(ctx context.Context, s S, rng *rand.Rand) (*arena.Analysis, error) {
	best, value := f(s, rng)
	return &arena.Analysis{Best: best, Value: value}, ctx.Err()
}

// candidate names an analyst; each worker makes its own.
func candidate[S game.State[S]](name string, newFunc func() analystFunc[S]) arena.Candidate[S] {
	return arena.Candidate[S]{Name: name, New: func() (arena.Analyst[S], error) { return newFunc(), nil }}
}

// perfect takes the first of the best moves and knows the result.
func perfect[S game.State[S]](g game.Game[S]) arena.Candidate[S] {
	return candidate("perfect", func() analystFunc[S] {
		o := newOracle(g)
		return func(s S, _ *rand.Rand) (game.Action, float32) {
			scores := o.scores(s)
			best := slices.Max(scores)
			return s.Legal(nil)[slices.Index(scores, best)], float32(best.Sign())
		}
	})
}

// worst takes the first of the worst moves and believes the opposite of the truth.
func worst[S game.State[S]](g game.Game[S]) arena.Candidate[S] {
	return candidate("worst", func() analystFunc[S] {
		o := newOracle(g)
		return func(s S, _ *rand.Rand) (game.Action, float32) {
			scores := o.scores(s)
			return s.Legal(nil)[slices.Index(scores, slices.Min(scores))], -float32(slices.Max(scores).Sign())
		}
	})
}

// guesser leaves everything to chance.
func guesser[S game.State[S]]() arena.Candidate[S] {
	return candidate("guesser", func() analystFunc[S] {
		return func(s S, rng *rand.Rand) (game.Action, float32) {
			legal := s.Legal(nil)
			return legal[rng.IntN(len(legal))], 2*rng.Float32() - 1
		}
	})
}

func grade[S game.State[S]](t *testing.T, workers int, g game.Game[S], problems []arena.Problem[S],
	candidates ...arena.Candidate[S]) arena.Report {
	t.Helper()
	r, err := arena.Grade(t.Context(), arena.GradeConfig{Seed: 7, Workers: workers}, g, problems, candidates, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
