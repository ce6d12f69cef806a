package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"tengen/game"
	"tengen/net"
	"tengen/replay"
)

// The cycle with nothing special: which model plays, which games are numbered how, what is written.
func TestLoop(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	// The first iteration's games do not fill a batch: nothing is learned, and the initial model plays once more.
	if want := []uint64{0, 0, 2}; !slices.Equal(r.player.models, want) {
		t.Errorf("models %v played, want %v", r.player.models, want)
	}
	all := readMetrics(t, path)
	if len(all) != 3 {
		t.Fatalf("%d lines of metrics, want 3", len(all))
	}
	step, positions := uint64(0), uint64(0)
	for i, m := range all {
		fresh := m.Positions - positions
		if learned := m.Learning != nil; learned != (i > 0) {
			t.Errorf("iteration %d learned: %v", i+1, learned)
		} else if learned {
			step += uint64(math.Ceil(2 * float64(fresh) / 32))
		}
		if m.Iteration != i+1 || m.Games != uint64(3*(i+1)) || m.Step != step {
			t.Errorf("iteration %d: %+v, want step %d", i+1, m, step)
		}
		if evaluated := m.Evaluation != nil; evaluated != (i > 0) {
			t.Errorf("iteration %d evaluated: %v", i+1, evaluated)
		}
		positions = m.Positions
	}
	model, file, err := newestModel(path)
	if err != nil || filepath.Base(file) != "model-00000003.safetensors" {
		t.Fatalf("the newest model is %q: %v", file, err)
	}
	if model.Iteration != 3 || model.Step != int(step) || model.Figures["games"] != "9" {
		t.Errorf("the model says iteration %d, step %d, %v", model.Iteration, model.Step, model.Figures)
	}
}

func newestModel(path string) (m *net.Model, file string, err error) {
	if file, err = ModelFile(path); err != nil {
		return nil, "", err
	}
	m, err = net.LoadModel(file)
	return m, file, err
}

// AlphaGo Zero's evaluator: a model that does not score 0.55 is not published, self-play stays with the one before, and
// learning goes on. The fake judge lets every second model pass.
func TestGate(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	r.cfg.Iterations, r.cfg.Gate.Games = 6, 20
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{0, 0, 2, 2, 4, 4}; !slices.Equal(r.player.models, want) {
		t.Errorf("models %v played, want %v", r.player.models, want)
	}
	all := readMetrics(t, path)
	if all[0].Gate != nil {
		t.Error("a gate for a model that had learned nothing")
	}
	for _, m := range all[1:] {
		if m.Gate == nil || m.Gate.Games != 20 || m.Gate.Accepted != (m.Iteration%2 == 0) {
			t.Errorf("iteration %d: gate %+v", m.Iteration, m.Gate)
		}
	}
	if all[2].Step == all[1].Step {
		t.Error("a rejected model's iteration took no steps")
	}
	names, _ := filepath.Glob(filepath.Join(path, "model-*"))
	if len(names) != 4 {
		t.Errorf("models %v, want those of iterations 0, 2, 4 and 6", names)
	}
}

func TestKeep(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	r.cfg.Keep = 2
	if err := r.in(t, path); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(path, "model-*"))
	want := []string{filepath.Join(path, "model-00000002.safetensors"), filepath.Join(path, "model-00000003.safetensors")}
	if !slices.Equal(names, want) {
		t.Errorf("models %v, want %v", names, want)
	}
}

// A run that diverges says so and keeps what was good.
func TestDivergence(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	r.cfg.LearningRate, r.cfg.L2, r.cfg.MaxGradientNorm, r.cfg.WarmupSteps, r.cfg.Passes = 100, 10, 0, 0, 100
	err := r.in(t, path)
	var diverged NotFiniteError
	if !errors.As(err, &diverged) {
		t.Fatalf("error %v, want a NotFiniteError", err)
	}
	good, file, loadErr := newestModel(path)
	if loadErr != nil {
		t.Fatal(loadErr)
	}
	wantError(t, err, file)
	if err := good.Weights.Finite(); err != nil {
		t.Error(err)
	}
	r.cfg.LearningRate, r.cfg.L2 = 0.01, 0
	if err := r.in(t, path); err != nil {
		t.Errorf("the run cannot go on with other settings: %v", err)
	}
}

func TestObserver(t *testing.T) {
	r := newRun()
	r.cfg.Iterations, r.cfg.Gate.Games = 2, 4
	var events []Event
	r.observe = func(e Event) { events = append(events, e) }
	if err := r.in(t, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	var phases []Phase
	for i, e := range events {
		if e.Iterations != 2 || e.Done > e.Total {
			t.Errorf("event %+v", e)
		}
		if e.Phase == PhaseDone && (e.Metrics == nil || e.Metrics.Iteration != e.Iteration) {
			t.Errorf("event %+v has the metrics of another iteration", e)
		}
		if i == 0 || e.Phase != events[i-1].Phase {
			phases = append(phases, e.Phase)
		}
	}
	want := []Phase{
		PhaseSelfPlay, PhaseTrain, PhasePublish, PhaseDone,
		PhaseSelfPlay, PhaseTrain, PhaseGate, PhaseEvaluate, PhasePublish, PhaseDone,
	}
	want = slices.Delete(want, 1, 2) // the first iteration does not fill a batch
	if !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
}

// Progress that arrives late, from another goroutine, is not reported: it never runs backwards.
func TestObserverNeverGoesBack(t *testing.T) {
	var done []int
	l := &Loop{Setup: Setup{Observe: func(e Event) { done = append(done, e.Done) }}}
	for _, n := range []int{0, 2, 1, 3} {
		l.report(&Metrics{Iteration: 1}, PhaseSelfPlay, n, 3)
	}
	l.report(&Metrics{Iteration: 2}, PhaseSelfPlay, 0, 3)
	if want := []int{0, 2, 3, 0}; !slices.Equal(done, want) {
		t.Errorf("reported %v, want %v", done, want)
	}
}

// otherGames are those of a journal, changed. It writes down what it was told to retain.
type otherGames struct {
	*Journal
	change   func([]*replay.Record) []*replay.Record
	retained []int
}

func (o *otherGames) Next(ctx context.Context, order Order) (Harvest, error) {
	h, err := o.Journal.Next(ctx, order)
	h.Games = o.change(h.Games)
	return h, err
}

func (o *otherGames) Retain(ctx context.Context, positions int) error {
	o.retained = append(o.retained, positions)
	return o.Journal.Retain(ctx, positions)
}

// withOtherGames is a loop in a new directory whose games are changed on their way.
func withOtherGames(t *testing.T, cfg Config, change func([]*replay.Record) []*replay.Record) (*Loop, *otherGames) {
	t.Helper()
	d := openTestDir(t, t.TempDir())
	games := &otherGames{Journal: NewJournal(replay.NewMemoryLog(), &fakePlayer{}, testSeed, nil), change: change}
	l, err := New(t.Context(), Setup{
		Config: cfg, Game: "tictactoe", Seed: testSeed, Weights: testWeights(), Dir: d, Window: testWindow(),
		Games: games, Judge: &fakeJudge{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		d.Close()
	})
	return l, games
}

// The games stay that the window of the newest checkpoint needs, and that of the one before.
func TestRetain(t *testing.T) {
	cfg := testConfig()
	cfg.Iterations = 8
	l, games := withOtherGames(t, cfg, func(g []*replay.Record) []*replay.Record { return g })
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	oldest, want := 0, []int(nil) // the position with which the window before began
	for _, m := range readMetrics(t, l.Dir.Path()) {
		want = append(want, int(m.Positions)-oldest)
		oldest = int(m.Positions) - m.Window
	}
	if !slices.Equal(games.retained, want) || oldest == 0 {
		t.Errorf("retained %v positions, want %v", games.retained, want)
	}
}

func TestGamesMustBeDelivered(t *testing.T) {
	for problem, change := range map[string]func([]*replay.Record) []*replay.Record{
		"iteration 1: self-play delivered 2 games, 3 were asked for": func(g []*replay.Record) []*replay.Record { return g[:2] },
		"iteration 1: game 2 is not a valid record": func(g []*replay.Record) []*replay.Record {
			g[2].Outcome = 1
			g[2].Moves = g[2].Moves[:0]
			return g
		},
	} {
		l, _ := withOtherGames(t, testConfig(), change)
		wantError(t, l.Run(t.Context()), problem)
		if l.Iteration() != 0 {
			t.Errorf("after a failure the loop is at iteration %d, want 0", l.Iteration())
		}
	}
}

// An iteration of games without a searched position has nothing to learn from and goes on.
func TestNothingToLearn(t *testing.T) {
	l, _ := withOtherGames(t, testConfig(), func(games []*replay.Record) []*replay.Record {
		for i := range games {
			games[i] = &replay.Record{Resigned: true, Outcome: -1}
		}
		return games
	})
	l.Window = filledWindow(t)
	if err := l.Run(t.Context()); err != nil || l.learner.Steps() != 0 {
		t.Errorf("%d steps, error %v", l.learner.Steps(), err)
	}
}

// metrics.jsonl is read by other programs: the names of its fields are fixed.
func TestMetricsFormat(t *testing.T) {
	m := Metrics{
		Iteration: 1, Step: 2, Games: 3, Positions: 4, Window: 5, Model: 6,
		Learning:   &Learning{Loss: 1, ValueLoss: 2, PolicyLoss: 3, L2Loss: 4, PolicyEntropy: 5, GradientNorm: 6, LearningRate: 7},
		Work:       Work{1, 2, 3, 4},
		Play:       Play{5, 6, 7, 8, 9, 10, 11},
		Gate:       &GateResult{Score{0.5, 1, 2, 1, 4}, true},
		Evaluation: map[string]Score{"uct:100": {0.75, 3, 0, 1, 4}},
		Grade:      &Grade{5, Marks{1, 2, 3, 4, map[string]float64{"end": 6}}, Marks{}},
		Rating:     &Rating{1, 2, 3},
		Seconds:    Seconds{1, 2, 3},
		Time:       time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.UTC),
	}
	const want = `{"iteration":1,"step":2,"games":3,"positions":4,"window":5,"model":6,` +
		`"loss":1,"value_loss":2,"policy_loss":3,"l2_loss":4,"policy_entropy":5,"gradient_norm":6,"learning_rate":7,` +
		`"games_per_second":1,"evaluations_per_second":2,"simulations_per_second":3,"cache_hit_rate":4,` +
		`"game_length":5,"first_player_share":6,"draw_share":7,"second_player_share":8,"resigned_share":9,` +
		`"tested_resignations":10,"false_resignations":11,` +
		`"gate":{"score":0.5,"wins":1,"draws":2,"losses":1,"games":4,"accepted":true},` +
		`"evaluation":{"uct:100":{"score":0.75,"wins":3,"draws":0,"losses":1,"games":4}},` +
		`"grade":{"positions":5,"search":{"optimal":1,"keeps_value":2,"score_lost":3,"sign_accuracy":4,"mistakes":{"end":6}},` +
		`"policy":{"optimal":0,"keeps_value":0,"score_lost":0,"sign_accuracy":0,"mistakes":null}},` +
		`"rating":{"elo":1,"low":2,"high":3},` +
		`"seconds":{"selfplay":1,"train":2,"evaluate":3},"time":"2026-02-03T04:05:06.007Z"}`
	got, err := json.Marshal(m)
	if err != nil || string(got) != want {
		t.Errorf("metrics are\n%s, want\n%s (%v)", got, want, err)
	}
	var back Metrics
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("read back as %+v (%v)", back, err)
	}
}

func TestPlay(t *testing.T) {
	moves := func(n int) []game.Action { return make([]game.Action, n) }
	got := newPlay([]*replay.Record{
		{Moves: moves(5), Outcome: 1, ResignPly: -1},
		{Moves: moves(7), Outcome: -1, ResignPly: 4, PlayedOn: true}, // the first player would have given up, and lost
		{Moves: moves(6), Outcome: 1, ResignPly: 4, PlayedOn: true},  // it would have, and won
		{Moves: moves(2), Outcome: -1, ResignPly: 2, Resigned: true},
	})
	want := Play{
		GameLength: 5, FirstPlayerShare: 0.5, SecondPlayerShare: 0.5, ResignedShare: 0.25,
		TestedResignations: 2, FalseResignations: 1,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Rates are of the games that were played, not of those that were found in the log; nothing played is no rate.
func TestWork(t *testing.T) {
	got := newWork(Stats{Games: 4, Simulations: 80, Evaluations: 40, CacheHits: 10, CacheLookups: 50, Duration: 2 * time.Second})
	if want := (Work{GamesPerSecond: 2, EvaluationsPerSecond: 20, SimulationsPerSecond: 40, CacheHitRate: 0.2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := newWork(Stats{}); got != (Work{}) {
		t.Errorf("without work: %+v", got)
	}
}
