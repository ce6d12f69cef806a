package train

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/internal/parallel"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

// The cycle with nothing special: which model plays, which games are numbered how, what is written.
func TestLoop(t *testing.T) {
	path, start, cpu := t.TempDir(), time.Now(), parallel.CPUTime()
	r := newRun()
	noError(t, r.in(t, path))
	most, mostCPU := time.Since(start).Seconds(), (parallel.CPUTime() - cpu).Seconds()
	// The first iteration's games do not fill a batch: nothing is learned, and the initial model plays once more.
	if want := []uint64{0, 0, 2}; !slices.Equal(r.player.models, want) {
		t.Errorf("models %v played, want %v", r.player.models, want)
	}
	all := readMetrics(t, path)
	if len(all) != 3 {
		t.Fatalf("%d lines of metrics, want 3", len(all))
	}
	if sum, cpu := checkpoint.Spent(all); sum.Total > most || cpu > mostCPU+1e-6 {
		t.Errorf("the iterations took %v s and %v s of processor time, the run %v s and %v s", sum.Total, cpu, most, mostCPU)
	}
	step, positions, last := uint64(0), uint64(0), start.Truncate(time.Millisecond)
	for i, m := range all {
		if m.Time.Location() != time.UTC || m.Time != m.Time.Truncate(time.Millisecond) || m.Time.Before(last) || m.Time.After(time.Now()) {
			t.Errorf("iteration %d ended at %v", i+1, m.Time)
		}
		fresh := m.Positions - positions
		if learned := m.Learning != nil; learned != (i > 0) {
			t.Errorf("iteration %d learned: %v", i+1, learned)
		} else if learned {
			step += uint64(math.Ceil(2 * float64(fresh) / 32))
		}
		if counted := m.CPUSeconds > 0; counted != (parallel.CPUTime() > 0) {
			t.Errorf("iteration %d took %v s of processor time", i+1, m.CPUSeconds)
		}
		if c := m.CoreSeconds; c.Network != 1.5 || c.Search != 0.25 || c.Train > m.CPUSeconds {
			t.Errorf("the cores of iteration %d did %+v", i+1, c)
		}
		if s := m.Seconds; s.Wait != 0 || s.Total <= 0 || s.Total < s.SelfPlay+s.Train+s.Evaluate {
			t.Errorf("iteration %d took %+v", i+1, s)
		}
		if m.Iteration != i+1 || m.Games != uint64(3*(i+1)) || m.Step != step {
			t.Errorf("iteration %d: %+v, want step %d", i+1, m, step)
		}
		if evaluated := m.Evaluation != nil; evaluated != (i > 0) {
			t.Errorf("iteration %d evaluated: %v", i+1, evaluated)
		}
		positions, last = m.Positions, m.Time
	}
	model, _, err := checkpoint.LoadNewest(path)
	noError(t, err)
	if model.Iteration != 3 || model.Step != int(step) || model.Figures["games"] != "9" {
		t.Errorf("the model says iteration %d, step %d, %v", model.Iteration, model.Step, model.Figures)
	}
}

// With an average, the mean of the weights is published and evaluated; the checkpoint has it beside the weights.
func TestAverageIsWhatPlays(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	r.cfg.Iterations, r.cfg.Average = 2, 0.9
	noError(t, r.in(t, path))
	model, _, err := checkpoint.LoadNewest(path)
	if err != nil || model.Iteration != 2 {
		t.Fatalf("model %+v, error %v", model, err)
	}
	d := openTestDir(t, path)
	defer d.Close()
	c, _ := d.Newest()
	of := func(what string) uint64 {
		var params []net.Param
		for _, p := range c.Tensors {
			if strings.HasPrefix(p.Name, what) {
				params = append(params, p)
			}
		}
		return fingerprint(&net.Weights{Params: params})
	}
	mean := fingerprint(model.Weights)
	if of("average/") != mean || of("weights/") == mean {
		t.Errorf("the model has %x, in the checkpoint the mean is %x, the weights %x", mean, of("average/"), of("weights/"))
	}
	if want := []uint64{mean}; !slices.Equal(r.arena.evaluated, want) {
		t.Errorf("weights %x were evaluated, want %x", r.arena.evaluated, want)
	}
}

func TestKeep(t *testing.T) {
	path := t.TempDir()
	r := newRun()
	r.cfg.Keep = 2
	noError(t, r.in(t, path))
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
	r.cfg.LearningRate = 1e30 // far out of range: with less, Adam grows slowly
	err := r.in(t, path)
	wantError(t, err, "training diverged at step ")
	good, _, loadErr := checkpoint.LoadNewest(path)
	if loadErr != nil {
		t.Fatal(loadErr)
	}
	wantError(t, err, filepath.Join(path, checkpoint.ModelName(good.Iteration)))
	noError(t, good.Weights.Finite())
	r.cfg.LearningRate = 0.01
	if err := r.in(t, path); err != nil {
		t.Errorf("the run cannot continue with other settings: %v", err)
	}
}

func TestObserver(t *testing.T) {
	r := newRun()
	r.cfg.Iterations = 2
	var events []Event
	r.observe = func(e Event) { events = append(events, e) }
	noError(t, r.in(t, t.TempDir()))
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
			if i > 0 && events[i-1].Done != events[i-1].Total {
				t.Errorf("%s ends at %d of %d", events[i-1].Phase, events[i-1].Done, events[i-1].Total)
			}
		}
	}
	want := []Phase{
		PhaseSelfPlay, PhaseTrain, PhasePublish, PhaseDone,
		PhaseSelfPlay, PhaseTrain, PhaseEvaluate, PhasePublish, PhaseDone,
	}
	want = slices.Delete(want, 1, 2) // the first iteration does not fill a batch
	if !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
}

// Progress that arrives late, from another goroutine, is not reported: it never runs backwards.
func TestObserverNeverGoesBack(t *testing.T) {
	var done []int
	l := &Loop{setup: Setup{Observe: func(e Event) { done = append(done, e.Done) }}}
	for _, n := range []int{0, 0, 2, 1, 3} { // the second event of a phase may say no more than the first, see Pace
		l.report(&checkpoint.Metrics{Iteration: 1}, PhaseSelfPlay, n, 3)
	}
	l.report(&checkpoint.Metrics{Iteration: 2}, PhaseSelfPlay, 0, 3)
	if want := []int{0, 0, 2, 3, 0}; !slices.Equal(done, want) {
		t.Errorf("reported %v, want %v", done, want)
	}
}

// With Ahead, the games of an iteration are played while the loop learns from those before, by the model that was the newest then.
func TestAhead(t *testing.T) {
	path, played := t.TempDir(), make(chan struct{})
	r := newRun()
	r.ahead, r.cfg.Iterations = 1, 4
	r.player.fail = func(game uint64) error {
		if game == 8 {
			close(played)
		}
		return nil
	}
	var events []Event
	r.observe = func(e Event) {
		events = append(events, e)
		if e.Iteration == 2 && e.Phase == PhaseTrain {
			<-played
		}
	}
	noError(t, r.in(t, path))
	if want := []uint64{0, 0, 0, 2}; !slices.Equal(r.player.models, want) {
		t.Errorf("models %v played, want %v", r.player.models, want)
	}
	parts, other := newRun(), t.TempDir() // the same run, which ends after three iterations and goes on
	for _, n := range []int{3, 4} {
		parts.ahead, parts.cfg.Iterations = 1, n
		noError(t, parts.in(t, other))
	}
	if !slices.Equal(parts.player.models, r.player.models) {
		t.Errorf("models %v played where the run was stopped, want %v", parts.player.models, r.player.models)
	}
	if !slices.IsSortedFunc(events, func(a, b Event) int { return a.Iteration - b.Iteration }) {
		t.Errorf("the iterations of the events are not in order: %v", events)
	}
	playedBy := checkpoint.PlayedBy(path, r.cfg.GamesPerIteration)
	log := &folderLog{path: filepath.Join(path, gamesFolder)}
	err := log.Read(t.Context(), 0, 12, func(e replay.Entry) error {
		model, _, err := playedBy(e.Number)
		if model != e.Game.Model {
			t.Errorf("game %d was played by model %d, not by %d", e.Number, e.Game.Model, model)
		}
		return err
	})
	noError(t, err)
}

// An iteration plays for 3 s and learns for 10: workers have nothing to play for 10 s, or for 7 if they play ahead. Where
// they play for 12 s, they have something to play all the time. Verifying takes 1 s more, without anything to play.
func TestRest(t *testing.T) {
	for _, test := range []struct {
		ahead int
		play  time.Duration
		want  checkpoint.Seconds // of the third iteration
	}{
		{0, 3 * time.Second, checkpoint.Seconds{SelfPlay: 3, Verify: 1, Total: 14, Rest: 11}},
		{1, 3 * time.Second, checkpoint.Seconds{Total: 10, Rest: 7}},
		{1, 12 * time.Second, checkpoint.Seconds{SelfPlay: 2, Verify: 1, Total: 13, Rest: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRun()
			r.ahead, r.cfg.Iterations, r.cfg.EvaluateEvery = test.ahead, 4, 0
			r.player.takes, r.player.verifying = test.play+time.Second, time.Second
			var got checkpoint.Seconds
			r.observe = func(e Event) {
				if e.Phase == PhaseTrain && e.Done == 0 {
					time.Sleep(10 * time.Second)
				}
				if e.Phase == PhaseDone && e.Iteration == 3 {
					got = e.Metrics.Seconds
				}
			}
			noError(t, r.in(t, t.TempDir()))
			if got.Train = 0; got != test.want {
				t.Errorf("ahead %d, %v of play: %+v, want %+v", test.ahead, test.play, got, test.want)
			}
		})
	}
}

// A run without evaluations asks for none.
func TestRunWithoutEvaluations(t *testing.T) {
	r := newRun()
	r.cfg.EvaluateEvery = 0
	if err := r.in(t, t.TempDir()); err != nil || len(r.arena.evaluated) > 0 {
		t.Errorf("%d evaluations, error %v", len(r.arena.evaluated), err)
	}
}

// The games stay that the window of the newest checkpoint needs, and that of the one before.
func TestRetain(t *testing.T) {
	r := newRun()
	r.cfg.Iterations, r.keep = 8, 1
	var retained, needed []uint64
	r.drop = func(below uint64) error {
		retained = append(retained, below)
		needed = append(needed, uint64(3*len(retained)-r.window.Games()))
		return nil
	}
	noError(t, r.in(t, t.TempDir()))
	want := append([]uint64{0}, needed[:7]...) // a window never needs what the one before did not
	if !slices.Equal(retained, want) || want[7] == 0 {
		t.Errorf("retained games from %v on, want %v", retained, want)
	}
}

// When games of before turn out to be false, the window holds those that were played in their places, also if they turn
// out to be while the iteration with them is not committed.
func TestWindowForgetsFalseGames(t *testing.T) {
	for ahead := range 2 {
		t.Run(fmt.Sprint("ahead ", ahead), func(t *testing.T) { testWindowForgetsFalseGames(t, ahead) })
	}
}

func testWindowForgetsFalseGames(t *testing.T, ahead int) {
	path, r := t.TempDir(), newRun()
	r.ahead, r.cfg.Iterations, r.cheated = ahead, 2, &cheatedPlayer{banned: []string{"cheat"}}
	if ahead > 0 {
		dealtWith := make(chan struct{})
		r.cheated.after = sync.OnceFunc(func() { close(dealtWith) })
		r.observe = func(e Event) {
			if e.Iteration == 1 && e.Phase == PhasePublish {
				<-dealtWith
			}
		}
	}
	noError(t, r.in(t, path))
	var games []*replay.Record
	for _, e := range (&folderLog{path: filepath.Join(path, gamesFolder)}).entries(t) {
		if e.Worker == "cheat" {
			t.Errorf("game %d of a cheat stays", e.Number)
		}
		games = append(games, e.Game)
	}
	want := testWindow()
	noError(t, want.Restore(t.Context(), r.window.Positions(), games[len(games)-r.window.Games():]))
	sample := func(w Window) *game.Batch {
		b := game.NewBatch(256, 36, 9)
		w.Sample(rand.New(rand.NewPCG(1, 2)), b)
		return b
	}
	if !reflect.DeepEqual(sample(r.window), sample(want)) {
		t.Error("the window holds other games than the log")
	}
}

// A log that cannot drop games ends the run, which stays committed, and so does an evaluation that cannot be played.
func TestLoopPassesErrorsOn(t *testing.T) {
	path, r := t.TempDir(), newRun()
	r.keep, r.drop = 1, func(uint64) error { return errNoRoom }
	wantError(t, r.in(t, path), "iteration 1: cannot drop old games: no space left on device")
	if n := len(readMetrics(t, path)); n != 1 {
		t.Errorf("%d iterations are committed, want 1", n)
	}
	r = newRun()
	r.arena.fail = func() error { return errNoRoom }
	wantError(t, r.in(t, t.TempDir()), "evaluation: no space left on device")
}

// The time for which a process waits for the games of others, or verifies them, is no self-play.
func TestWaiting(t *testing.T) {
	for _, test := range []struct{ waiting, verifying time.Duration }{{0, 0}, {time.Hour, 0}, {0, time.Hour}, {time.Hour, time.Nanosecond}} {
		path, r := t.TempDir(), newRun()
		r.cfg.Iterations, r.player.waiting, r.player.verifying = 1, test.waiting, test.verifying
		noError(t, r.in(t, path))
		s := readMetrics(t, path)[0].Seconds
		if (s.SelfPlay > 0) != (test.waiting+test.verifying == 0) || (s.Wait > 0) != (test.waiting > 0) ||
			(s.Verify > 0) != (test.verifying > 0) || s.Wait+s.Verify > s.Total {
			t.Errorf("%+v: the iteration took %+v", test, s)
		}
	}
}

// Games that are missing or break the rules end the run before it learns from them.
func TestGamesMustBeDelivered(t *testing.T) {
	for problem, change := range map[string]func(g *replay.Record) bool{
		"iteration 1: self-play delivered 2 games, but should have delivered 3": func(g *replay.Record) bool { return g.Number != 1 },
		"iteration 1: game 2 is not a valid record": func(g *replay.Record) bool {
			if g.Number == 2 {
				*g = replay.Record{Number: 2, Seed: testSeed}
			}
			return true
		},
	} {
		path, r := t.TempDir(), newRun()
		r.player.change = change
		wantError(t, r.in(t, path), problem)
		if n := len(readMetrics(t, path)); n != 0 {
			t.Errorf("after a failure, %d iterations are committed", n)
		}
	}
}

// An iteration of games without a position to learn from takes no step and continues.
func TestNothingToLearn(t *testing.T) {
	path, r := t.TempDir(), longRun()
	r.player.change = func(g *replay.Record) bool {
		if g.Number >= 9 {
			clear(g.Weights)
		}
		return true
	}
	noError(t, r.in(t, path))
	if m := readMetrics(t, path); m[2].Learning == nil || m[3].Learning != nil || m[3].Step != m[2].Step {
		t.Errorf("steps %d, then %d; learned %+v", m[2].Step, m[3].Step, m[3].Learning)
	}
}

// A window that holds one batch is enough to learn from, a smaller one is not.
func TestLearnsFromOneBatch(t *testing.T) {
	w, g := filledWindow(t), fakeGame(12, 0, 0)
	noError(t, w.Add(g))
	most := w.Len() / 2 * 2 // batches are even
	for _, size := range []int{most, most + 2} {
		cfg := testConfig()
		cfg.BatchSize = size
		setup := Setup{Config: cfg, Window: filledWindow(t), Observe: func(Event) {}}
		l := &Loop{setup: setup, learner: newTestLearner(t, cfg)}
		var m checkpoint.Metrics
		if err := l.learn(t.Context(), &m, []*replay.Record{g}); err != nil || (m.Learning != nil) != (size == most) {
			t.Errorf("a window of %d positions, batches of %d: learned %v, error %v", w.Len(), size, m.Learning != nil, err)
		}
	}
}

func TestPlay(t *testing.T) {
	moves := func(n int) []game.Action { return make([]game.Action, n) }
	got := newPlay([]*replay.Record{
		{Moves: moves(5), Outcome: 1},
		{Moves: moves(7), Outcome: -1},
		{Moves: moves(6), Outcome: 1},
		{Moves: moves(2), Outcome: -1},
		{Moves: moves(9), Outcome: 0},
		{Moves: moves(5), Outcome: 1},
		{Moves: moves(6), Opening: 6, Outcome: 1},
		{Moves: moves(8), Outcome: 1},
	})
	want := checkpoint.Play{
		GameLength: 6, OpeningShare: 0.125, FirstPlayerShare: 0.625, DrawShare: 0.125, SecondPlayerShare: 0.25,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What is reported of an iteration's steps is their mean, but for the learning rate, which is that of the last one.
func TestLearningIsTheMeanOfTheSteps(t *testing.T) {
	var got checkpoint.Learning
	for i := range 4 {
		x := float32(i)
		terms := []net.Term{{Name: "value", Loss: x}, {Name: "policy", Loss: 10 + x}}
		losses := net.Losses{Terms: terms, Total: 20 + x, Entropy: 30 + x}
		addStep(&got, StepResult{Losses: losses, L2: 40 + x, GradientNorm: 50 + float64(i), LearningRate: 60 + float64(i)}, 4)
	}
	want := checkpoint.Learning{
		Loss: 63, Terms: []checkpoint.Term{{Name: "value", Loss: 1.5}, {Name: "policy", Loss: 11.5}}, L2Loss: 41.5,
		PolicyEntropy: 31.5, GradientNorm: 51.5, LearningRate: 63,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A model file has the counts and, where something was learned, the losses.
func TestFigures(t *testing.T) {
	m := &checkpoint.Metrics{Games: 9, Positions: 75}
	want := map[string]string{"games": "9", "positions": "75"}
	if got := figures(m); !maps.Equal(got, want) {
		t.Errorf("nothing learned: %v, want %v", got, want)
	}
	m.Learning = &checkpoint.Learning{Terms: []checkpoint.Term{{Name: "value", Loss: 0.123456}, {Name: "policy", Loss: 2}}}
	want["value_loss"], want["policy_loss"] = "0.1235", "2"
	if got := figures(m); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Rates are of the games that were played, not of those that were found in the log; nothing played is no rate.
func TestWork(t *testing.T) {
	got := newWork(replay.Stats{Games: 4, Simulations: 80, Evaluations: 40, CacheHits: 10, CacheLookups: 50, Duration: 2 * time.Second,
		Verified: 3, Verifying: time.Second})
	want := checkpoint.Work{GamesPerSecond: 2, EvaluationsPerSecond: 20, SimulationsPerSecond: 40, CacheHitRate: 0.2, Verified: 3}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := newWork(replay.Stats{}); got != (checkpoint.Work{}) {
		t.Errorf("without work: %+v", got)
	}
}
