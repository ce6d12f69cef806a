package grade_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/solver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newOracle returns a solver, as each user needs its own.
func newOracle[S game.State[S]](g game.Game[S]) *solver.AlphaBeta[S] {
	return solver.NewAlphaBeta(g, solver.Config{TableEntries: 1 << 14})
}

// scores are those of the legal moves.
func scores[S game.State[S]](o *solver.AlphaBeta[S], s S) []solver.Score {
	scores, err := solver.Moves(context.Background(), o, s, s.Legal(nil))
	if err != nil {
		panic(err)
	}
	return scores
}

// openTicTacToe returns every position of tic-tac-toe that is not over.
func openTicTacToe(t *testing.T) (problems []grade.Problem) {
	t.Helper()
	g := mnk.TicTacToe()
	o := newOracle(g)
	all, err := grade.Every(t.Context(), g, 4520)
	if err != nil {
		t.Fatal(err)
	}
	for _, moves := range all {
		p, err := grade.Solve(t.Context(), g, o, moves)
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, p)
	}
	return problems
}

// at is the position of a problem of tic-tac-toe.
func at(t *testing.T, p grade.Problem) mnk.State {
	t.Helper()
	s, err := game.Replay(mnk.TicTacToe(), p.Moves)
	if p.Board != "" {
		s, err = game.ParseBoard(mnk.TicTacToe(), p.Board)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// advice makes a player of a function that says what it would play and the value of the position.
type advice[S game.State[S]] func(s S, rng *rand.Rand) (game.Action, float32)

func (f advice[S]) Choose(ctx context.Context, lines []players.Line[S], rngs []*rand.Rand, moves []game.Action) error {
	for i, l := range lines {
		moves[i], _ = f(l.Position, rngs[i])
	}
	return ctx.Err()
}

func (f advice[S]) Analyze(ctx context.Context, lines []players.Line[S], rngs []*rand.Rand, dst []*players.Analysis) error {
	for i, l := range lines {
		best, value := f(l.Position, rngs[i])
		dst[i] = &players.Analysis{Best: best, Value: value}
	}
	return ctx.Err()
}

func (advice[S]) Together() int { return 1 }

// entrant names a player; each worker makes its own.
func entrant[S game.State[S]](name string, newPlayer func() advice[S]) players.Player[S] {
	return players.Player[S]{Name: name, New: func() (players.Answerer[S], error) { return newPlayer(), nil }}
}

// perfect takes the first of the best moves and knows the result.
func perfect[S game.State[S]](g game.Game[S]) players.Player[S] {
	return entrant("perfect", func() advice[S] {
		o := newOracle(g)
		return func(s S, _ *rand.Rand) (game.Action, float32) {
			scores := scores(o, s)
			best := slices.Max(scores)
			return s.Legal(nil)[slices.Index(scores, best)], float32(best.Sign())
		}
	})
}

// worst takes the first of the worst moves and believes the opposite of the truth.
func worst[S game.State[S]](g game.Game[S]) players.Player[S] {
	return entrant("worst", func() advice[S] {
		o := newOracle(g)
		return func(s S, _ *rand.Rand) (game.Action, float32) {
			scores := scores(o, s)
			return s.Legal(nil)[slices.Index(scores, slices.Min(scores))], -float32(slices.Max(scores).Sign())
		}
	})
}

// guesser leaves everything to chance.
func guesser[S game.State[S]]() players.Player[S] {
	return entrant("guesser", func() advice[S] {
		return func(s S, rng *rand.Rand) (game.Action, float32) {
			legal := s.Legal(nil)
			return legal[rng.IntN(len(legal))], 2*rng.Float32() - 1
		}
	})
}

func run[S game.State[S]](t *testing.T, workers int, g game.Game[S], problems []grade.Problem,
	players ...players.Player[S]) grade.Report {
	t.Helper()
	r, err := grade.Run(t.Context(), grade.Config{Seed: 7, Workers: workers}, g, grade.Solved(problems), players, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
