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
	s.pool.put(s.pool.add(&tool{key: "solver|connect4", solver: signsOnly{}}), true)
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

// slowGame is a game whose solver takes long to make.
type slowGame struct {
	engine.Game
	begun, end chan struct{}
}

func (g slowGame) Solver(o engine.SolverOptions) (engine.Solver, error) {
	close(g.begun)
	<-g.end
	return g.Game.Solver(o)
}

// A request that waits for a new solver delays no other request, in the same game or in another.
func TestTruthDoesNotWaitForOthers(t *testing.T) {
	s := newServer(t, nil)
	e, err := engine.Open("connect4")
	if err != nil {
		t.Fatal(err)
	}
	slow, made := slowGame{e, make(chan struct{}), make(chan struct{})}, make(chan error)
	go func() {
		_, err := s.pool.openSolver(slow, 1)
		made <- err
	}()
	<-slow.begun
	for _, game := range []string{"tictactoe", "connect4"} {
		if j := truth(t, s, game, ""); *j.Method != "solver" {
			t.Errorf("%s: %+v", game, j)
		}
	}
	close(slow.end)
	if err := <-made; err != nil {
		t.Error(err)
	}
}

// Many truths at once, each of another game, take turns with searches, and their solvers share the pool's memory.
func TestTruthsAreBounded(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Searches, o.Limits.Truth = 3, 20*time.Millisecond })
	s.pool.limit = 5 * solverMegabytes
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
	done := make(chan struct{})
	go func() { asked.Wait(); close(done) }()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		case <-time.After(time.Millisecond):
		}
		s.pool.mu.Lock()
		used := 0
		for _, tool := range s.pool.tools {
			used += tool.users
		}
		if used > 3 || len(s.pool.tools) > 5 {
			t.Fatalf("%d solvers are in use, %d there", used, len(s.pool.tools))
		}
		s.pool.mu.Unlock()
	}
	leave, err := s.pool.enter(t.Context(), "", 0, nil)
	for err == nil && len(s.pool.running) < s.pool.places {
		_, err = s.pool.enter(t.Context(), "", 0, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // ends the wait; the answer about a finished game needs no time
	if w := ask(ctx, s, "/api/truth?game=tictactoe&moves=a1+b1+a2+b2+a3"); w.Body.Len() > 0 {
		t.Errorf("a truth does not wait for the searches: %s", w.Body)
	}
	leave()
}
