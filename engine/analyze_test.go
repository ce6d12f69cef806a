package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/mcts"
	"tengen/players"
	"tengen/selfplay/cluster/clustertest"
)

// analyze returns the answers to questions, one per line. It asks all at once, or each after the previous answer.
func analyze(t *testing.T, e Game, p Player, c AnalyzeConfig, oneByOne bool, questions ...Question) (answers []string) {
	t.Helper()
	asked, answered := make(chan Question), make(chan bool, len(questions))
	go func() {
		defer close(asked)
		for _, q := range questions {
			asked <- q
			if oneByOne {
				<-answered
			}
		}
	}()
	err := e.Analyze(t.Context(), c, p, asked, func(q Question, a *players.Analysis) error {
		if q.Err != nil {
			answers = append(answers, "error: "+q.Err.Error())
		} else {
			answers = append(answers, AnalysisText(q.Position, a))
		}
		answered <- true
		return nil
	})
	noError(t, err)
	return answers
}

// Answers come in the order of the questions and do not depend on the number of workers or on when questions come.
func TestAnalyzeKeepsTheOrder(t *testing.T) {
	e := open(t, "tictactoe")
	var questions []Question
	for range 7 {
		for _, text := range []string{"a1", "", "a1 a1", "a1 b2 c1 a2 b1", "zz", "b2 a1"} {
			questions = append(questions, ask(e, text))
		}
	}
	for _, text := range []string{"uct:20", "random", "net:" + tinyModel(t) + ":4"} {
		p := player(t, e, text)
		want := analyze(t, e, p, AnalyzeConfig{Workers: 1, Seed: 3}, false, questions...)
		for i, q := range questions {
			begin := "error: "
			if q.Err == nil && !q.Position.Over {
				begin = q.Position.Name() + ": "
			}
			if !strings.HasPrefix(want[i], begin) {
				t.Errorf("%s: answer %d is %q, want one about %q", text, i, want[i], begin)
			}
		}
		for _, oneByOne := range []bool{false, true} {
			if got := analyze(t, e, p, AnalyzeConfig{Workers: 2, Seed: 3}, oneByOne, questions...); !slices.Equal(got, want) {
				t.Errorf("%s: two workers, one by one %v, answer\n%q\none\n%q", text, oneByOne, got, want)
			}
		}
	}
}

// Analyze ends with its context or with an error from answer, and leaves no goroutine.
func TestAnalyzeEnds(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	e := open(t, "tictactoe")
	stopped := errors.New("enough")
	for name, c := range map[string]struct {
		player string
		cancel func(stop func()) error // what the answer does
		want   error
	}{
		"cancelled":     {"uct:10", func(stop func()) error { stop(); return nil }, context.Canceled},
		"the answer":    {"uct:10", func(func()) error { return stopped }, stopped},
		"a long search": {"uct:1h", func(func()) error { return nil }, context.Canceled},
	} {
		ctx, stop := context.WithCancel(t.Context())
		questions := make(chan Question, 10) // never closed
		sent := make(chan bool)
		go func() {
			defer close(sent)
			for range 10 {
				select {
				case questions <- ask(e, "a1"):
				case <-ctx.Done():
					return
				}
			}
			if c.want == context.Canceled {
				stop()
			}
		}()
		err := e.Analyze(ctx, AnalyzeConfig{Workers: 2}, player(t, e, c.player), questions,
			func(Question, *players.Analysis) error { return c.cancel(stop) })
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		stop()
		<-sent
	}
	for want, workers := range map[string]int{"workers is 0": 0, "workers is 5000": 5000} {
		wantError(t, e.Analyze(t.Context(), AnalyzeConfig{Workers: workers}, player(t, e, "random"), make(chan Question), nil), want, true)
	}
	for text, want := range map[string]string{"human": "a human cannot play here", "net:nowhere": `player "net:nowhere": `} {
		_, err := e.Player(spec(t, text), PlayerOptions{})
		wantError(t, err, want, false)
	}
}

// analyst is a player of tic-tac-toe of which only Analyze is asked.
type analyst func(lines []players.Line[mnk.State]) error

func (f analyst) Choose(context.Context, []players.Line[mnk.State], []*rand.Rand, []game.Action) error {
	panic("nobody should ask")
}

func (f analyst) Analyze(_ context.Context, lines []players.Line[mnk.State], _ []*rand.Rand, dst []*players.Analysis) error {
	for i := range dst {
		dst[i] = &players.Analysis{}
	}
	return f(lines)
}

func (f analyst) Together() int { return 100 }

// player returns a player that makes f every time.
func (f analyst) player() Player {
	return players.Player[mnk.State]{New: func() (players.Answerer[mnk.State], error) { return f, nil }}
}

// What is waiting after an analysis is analyzed in one call. Questions with an error are not.
func TestAnalyzeBatchesWhatIsWaiting(t *testing.T) {
	called, free := make(chan int), make(chan struct{})
	gated := analyst(func(lines []players.Line[mnk.State]) error {
		called <- len(lines)
		<-free
		return nil
	})
	e := open(t, "tictactoe")
	questions, done := make(chan Question, 22), make(chan error)
	answers := 0
	go func() {
		done <- e.Analyze(t.Context(), AnalyzeConfig{Workers: 1}, gated.player(), questions,
			func(q Question, a *players.Analysis) error {
				if answers++; (q.Err != nil) != (a == nil) {
					t.Errorf("the question with the error %v has the answer %v", q.Err, a)
				}
				return nil
			})
	}()
	questions <- ask(e, "a1")
	if n := <-called; n != 1 {
		t.Errorf("the first call has %d positions, want the one that there is", n)
	}
	for range 11 {
		questions <- ask(e, "zz")
		questions <- ask(e, "b2")
	}
	free <- struct{}{}
	if n := <-called; n != 11 {
		t.Errorf("the second call has %d positions, want the 11 that are waiting", n)
	}
	close(questions)
	close(free)
	for {
		select {
		case <-called:
		case err := <-done:
			noError(t, err)
			if answers != 23 {
				t.Errorf("%d answers to 23 questions", answers)
			}
			return
		}
	}
}

// An error ends the work: what comes after it is not answered.
func TestAnalyzeFails(t *testing.T) {
	e := open(t, "tictactoe")
	broken := errors.New("broken")
	const bad = 40
	fails := func(lines []players.Line[mnk.State]) error {
		if slices.ContainsFunc(lines, func(l players.Line[mnk.State]) bool { return l.Position.Ply() == 2 }) {
			return broken
		}
		return nil
	}
	for name, c := range map[string]struct {
		player   Player
		answer   error // to the bad question
		from, to int   // answers
	}{
		"player":  {analyst(fails).player(), nil, 0, bad},
		"factory": {players.Player[mnk.State]{New: func() (players.Answerer[mnk.State], error) { return nil, broken }}, nil, 0, 0},
		"answer":  {player(t, e, "random"), broken, bad + 1, bad + 1},
	} {
		questions := make(chan Question, 100)
		for i := range cap(questions) {
			questions <- ask(e, map[bool]string{false: "a1", true: "a1 b2"}[i == bad])
		}
		close(questions)
		answered := 0
		err := e.Analyze(t.Context(), AnalyzeConfig{Workers: 3}, c.player, questions, func(q Question, _ *players.Analysis) error {
			answered++
			if q.Position.Notation() == "a1 b2" {
				return c.answer
			}
			return nil
		})
		if !errors.Is(err, broken) || answered < c.from || answered > c.to {
			t.Errorf("%s: error %v after %d answers, want %v after %d to %d", name, err, answered, broken, c.from, c.to)
		}
	}
}

func TestAnalysisJSON(t *testing.T) {
	e := open(t, "tictactoe")
	p := parsed(t, "tictactoe", "a1 b2")
	a := &players.Analysis{
		Best: 8, Value: 0.5, Proven: game.Win, Simulations: 7, PV: []game.Action{8, 0},
		Moves:  []mcts.Stat{{Action: 8, Visits: 5, Q: 1, Prior: 0.25, Proven: game.Win}, {Action: 0, Visits: 2, Q: 0.25, Prior: 0.75}, {Action: 1}},
		Policy: []float32{0.5, 0, 0, 0, 0, 0, 0, 0, 0.5},
	}
	none := &players.Analysis{Best: game.None}
	for want, j := range map[string]AnalysisJSON{
		`{"moves":"a1 b2","to_move":"first","best":"c1","value":0.5,"proven":"win","actions":{"a3":0,"b3":1,"c1":8},"visits":{"a3":2,"b3":0,"c1":5},` +
			`"values":{"a3":0.25,"c1":1},"prior":{"a3":0.75,"b3":0,"c1":0.25},"policy":{"a3":0.5,"b3":0,"c1":0.5},"pv":["c1","a3"],"simulations":7}`: NewAnalysisJSON(p, a),
		`{"moves":"","to_move":"first","best":"#-1","value":0,"proven":null,"actions":{},"visits":{},` +
			`"values":{},"prior":{},"policy":{},"pv":[],"simulations":0}`: NewAnalysisJSON(e.Start(), none),
	} {
		if got, err := json.Marshal(j); err != nil || string(got) != want {
			t.Errorf("%s, %v; want\n%s", got, err, want)
		}
	}
	if got, want := AnalysisText(p, a), "a1 b2: c1, proven win, 7 simulations, pv c1 a3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Proven = game.Unknown
	if got := AnalysisText(e.Start(), a); !strings.HasPrefix(got, fmt.Sprintf("start: c1, value %+.3f, ", 0.5)) {
		t.Errorf("%q", got)
	}
}

// The best move comes first. The policy, visits, value of visited moves and prior order the others.
func TestRanked(t *testing.T) {
	a := &players.Analysis{
		Moves: []mcts.Stat{
			{Action: 0, Q: 0.9}, {Action: 1, Prior: 0.1}, {Action: 2, Visits: 1, Q: -0.1, Prior: 0.5}, {Action: 3, Visits: 1, Q: 0.1},
			{Action: 4, Visits: 2}, {Action: 5}, {Action: 6},
		},
		Policy: []float32{0, 0, 0, 0, 0, 0.25, 0},
		Best:   6,
	}
	var got []game.Action
	for _, m := range Ranked(a) {
		got = append(got, m.Action)
	}
	if want := []game.Action{6, 5, 4, 3, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if a.Moves[0].Action != 0 {
		t.Errorf("Ranked has changed the analysis to %v", a.Moves)
	}
}
