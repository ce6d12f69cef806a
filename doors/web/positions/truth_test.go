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

	"tengen/engine"
)

func TestTruth(t *testing.T) {
	s := newServer(t, nil)
	var j truthJSON
	get(t, s, "/api/truth?game=connect4&moves=44", &j)
	if !j.Complete || *j.Method != "solver" || j.Why != nil || len(j.Truth) != 7 || len(j.Line) != 0 {
		t.Fatalf("%+v", j)
	}
	// The published book of Pons: after 44 the first player wins, by the centre column alone.
	if *j.Result != "win" || *j.Score != 1 || !slices.Equal(j.Best, []string{"4"}) || *j.Plies != 39 {
		t.Errorf("44 is a %s with score %d by %v in %d plies", *j.Result, *j.Score, j.Best, *j.Plies)
	}
	for _, m := range j.Truth {
		if (*m.Score > 0) != (*m.Result == "win") || (*m.Score < 0) != (*m.Result == "loss") || *m.Score > *j.Score {
			t.Errorf("%+v", m)
		}
	}
	get(t, s, "/api/truth?game=tictactoe&moves=a1+b1+a2+b2", &j)
	if *j.Result != "win" || *j.Plies != 1 || !slices.Equal(j.Best, []string{"a3"}) || *j.Truth[0].Plies != 1 {
		t.Errorf("a win in one is %+v", j)
	}
	get(t, s, "/api/truth?game=tictactoe&moves=a1+b1+a2+b2+a3", &j)
	if !j.Complete || *j.Result != "loss" || *j.Plies != 0 || len(j.Truth) != 0 {
		t.Errorf("a lost game is %+v", j)
	}
}

// Where no solver comes to an end, forced moves may prove something.
func TestForcedTruth(t *testing.T) {
	s := newServer(t, nil)
	var j truthJSON
	// Four of the first player's with both ends open.
	get(t, s, "/api/truth?game=gomoku&moves="+escape("d8 a1 e8 a2 f8 a3 g8 a15"), &j)
	if *j.Method != "forced" || *j.Result != "win" || j.Complete || j.Score != nil || len(j.Line) != 1 {
		t.Fatalf("%+v", j)
	}
	if slices.Sort(j.Best); !slices.Equal(j.Best, []string{"c8", "h8"}) || !slices.Contains(j.Best, j.Line[0]) {
		t.Errorf("best %v, line %v", j.Best, j.Line)
	}
	if !strings.Contains(*j.Why, "moves are known") {
		t.Errorf("why: %s", *j.Why)
	}
	// One ply before, every move of the second player's loses.
	get(t, s, "/api/truth?game=gomoku&moves="+escape("d8 a1 e8 a2 f8 a3 g8"), &j)
	if *j.Result != "loss" || !j.Complete || j.Why != nil || len(j.Best) != len(j.Truth) {
		t.Errorf("%s, complete %v, %v", *j.Result, j.Complete, j.Why)
	}
	get(t, s, "/api/truth?game=gomoku&moves=h8", &j)
	if j.Method != nil || j.Result != nil || j.Complete || len(j.Best) != 0 || len(j.Truth) != 224 ||
		*j.Why != "too early in the game to solve in 1.8 s" {
		t.Errorf("the second move of gomoku: %+v", j)
	}
}

// A solver that has too little time says so, and another request does not wait for its search.
func TestTruthInTime(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Limits.Truth = time.Nanosecond })
	var j truthJSON
	get(t, s, "/api/truth?game=connect4&moves=123456712", &j)
	if *j.Method != "solver" || j.Complete || j.Score != nil || !strings.Contains(*j.Why, "too early in the game") {
		t.Errorf("%+v", j)
	}
}

// signsOnly knows who wins, and never comes to an end with a score.
type signsOnly struct{ engine.Solver }

func (signsOnly) Sign(_ context.Context, p engine.Position) (int, error) {
	return int(p.Moves[len(p.Moves)-1])%3 - 1, nil
}

func (signsOnly) Solve(context.Context, engine.Position, bool) (engine.Solution, error) {
	return engine.Solution{}, context.DeadlineExceeded
}

// Results are told where there was no time for scores.
func TestResultsBeforeScores(t *testing.T) {
	s := newServer(t, nil)
	s.pool.put(s.pool.add(&tool{key: "solver|connect4", solver: signsOnly{}}), true)
	var j truthJSON
	get(t, s, "/api/truth?game=connect4&moves=4", &j)
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

// Who waits for a solver that is being made keeps nobody else waiting, in another game or in the same.
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
	for _, target := range []string{"/api/truth?game=tictactoe", "/api/truth?game=connect4&moves=44"} {
		var j truthJSON
		if get(t, s, target, &j); !j.Complete {
			t.Errorf("%s: %+v", target, j)
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
	for err == nil && s.pool.running < s.pool.places {
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
