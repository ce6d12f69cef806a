package positions

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/doors/web/answer"
	"tengen/engine"
)

// truth is the truth about a position of a game.
func truth(t *testing.T, s *Server, game, moves string) TruthJSON {
	t.Helper()
	e, p, err := s.position(answer.Query{"game": game, "moves": moves})
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.truth(t.Context(), e, p)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// signsOnly knows who wins, and never comes to an end with a score.
type signsOnly struct{ engine.Solver }

func (signsOnly) Sign(_ context.Context, p engine.Position) (int, error) {
	return int(p.Moves[len(p.Moves)-1])%3 - 1, nil
}

func (signsOnly) Solve(context.Context, engine.Position, bool) (engine.Solution, error) {
	return engine.Solution{}, context.DeadlineExceeded
}

// If the time ends before the scores are known, the answer still has the results of the moves.
func TestResultsBeforeScores(t *testing.T) {
	s := newServer(t, nil)
	s.solvers.put("connect4", signsOnly{})
	j := truth(t, s, "connect4", "4")
	if j.Complete || *j.Method != "solver" || *j.Result != "win" || j.Score != nil || !slices.Equal(j.Best, []string{"1", "4", "7"}) {
		t.Errorf("%+v", j)
	}
	for i, m := range j.Truth {
		if want := []string{"win", "draw", "loss"}[i%3]; *m.Result != want || m.Score != nil || m.Plies != nil {
			t.Errorf("%+v, want a %s", m, want)
		}
	}
	if !strings.Contains(*j.Why, "ask again") {
		t.Error(*j.Why)
	}
}

// Many truths at once, each of another game, take turns, and few solvers are kept.
func TestTruthsAreBounded(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Searches, o.Limits.Truth = 3, 20*time.Millisecond })
	var asked sync.WaitGroup
	for columns := 4; columns < 8; columns++ {
		for rows := 4; rows < 8; rows++ {
			asked.Go(func() {
				if w := ask(t.Context(), s, fmt.Sprintf("/api/truth?game=connect4:%d,%d,4", columns, rows)); w.Code != http.StatusOK {
					t.Errorf("status %d, %s", w.Code, w.Body)
				}
			})
		}
	}
	asked.Wait()
	if n := len(s.solvers.kept); n != DefaultMemory.Spares {
		t.Errorf("%d solvers are kept", n)
	}
	var err error
	for visitor := 0; err == nil && visitor < 3; visitor++ {
		_, err = s.truths.enter(t.Context(), fmt.Sprint(visitor), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // ends the wait; the answer about a finished game needs no time
	if w := ask(ctx, s, "/api/truth?game=tictactoe&moves=a1+b1+a2+b2+a3"); w.Body.Len() > 0 {
		t.Errorf("a truth does not wait for others: %s", w.Body)
	}
}
