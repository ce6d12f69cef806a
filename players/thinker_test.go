package players

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/solver"
)

// A draw has the value 0 for both sides, never -0, which JSON would show.
func TestDrawHasNoSign(t *testing.T) {
	if v := float64(finished(float32(math.Copysign(0, -1))).Value); v != 0 || math.Signbit(v) {
		t.Errorf("the value is %v", v)
	}
}

// A thought that was cancelled before it began, or has no time, has an answer all the same.
func TestNoTimeIsAnAnswer(t *testing.T) {
	for _, text := range everyKind {
		thinker, limit := build(t, text, options())
		for _, limit := range []Limit{limit, {}} {
			thinker.Reset(At(gametest.Replay(t, connect4.Standard(), "4435")))
			answer, err := thinker.Think(ended(t), limit, nil)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if err := checkAnswer(thinker.line.Position, answer); err != nil {
				t.Errorf("%s, cancelled: %v", text, err)
			}
		}
		thinker.Reset(At(connect4.Standard().Start()))
		if err := checkAnswer(thinker.line.Position, think(t, thinker, Limit{Time: 1})); err != nil {
			t.Errorf("%s, without time: %v", text, err)
		}
	}
}

// Each evaluation takes 10 ms here, of a clock that nothing else moves.
func TestReportsAndTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Interval = 100 * time.Millisecond
		tick := func(int) error { time.Sleep(10 * time.Millisecond); return nil }
		thinker := netThinker(mnk.Gomoku(), fakes[mnk.State](2, tick), o)
		start := time.Now()
		var reports []Report
		answer, err := thinker.Think(t.Context(), Limit{Time: time.Second}, func(r Report) { reports = append(reports, r) })
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < time.Second || took > time.Second+20*time.Millisecond || answer.Elapsed != took {
			t.Errorf("a second took %v, the answer says %v", took, answer.Elapsed)
		}
		if last := reports[len(reports)-1]; !reflect.DeepEqual(last, answer) {
			t.Errorf("the last report is %+v, the answer %+v", last, answer)
		}
		if err := checkAnswer(thinker.line.Position, answer); err != nil {
			t.Error(err)
		}
		partial := reports[:len(reports)-1]
		if len(partial) < 8 || len(partial) > 10 {
			t.Errorf("%d partial reports in a second, one every 100 ms at most", len(partial))
		}
		before := Report{Analysis: finished(0)}
		for _, r := range partial {
			if r.Final || r.Elapsed-before.Elapsed < o.Interval || r.Simulations <= before.Simulations {
				t.Errorf("%d simulations after %v, then %d after %v, final %v",
					before.Simulations, before.Elapsed, r.Simulations, r.Elapsed, r.Final)
			}
			if want := float64(r.Simulations) / r.Elapsed.Seconds(); r.PerSecond() != want {
				t.Errorf("%v simulations a second, want %v", r.PerSecond(), want)
			}
			before = r
		}
	})
}

// Whoever is slow to take reports gets fewer of them, and the thought does not wait.
func TestSlowReaderMissesReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Interval = 1
		tick := func(int) error { time.Sleep(10 * time.Millisecond); return nil }
		thinker := netThinker(connect4.Standard(), fakes[connect4.State](1, tick), o)
		var ages []time.Duration
		start := time.Now()
		answer, err := thinker.Think(t.Context(), Limit{Time: time.Second}, func(r Report) {
			ages = append(ages, time.Since(start)-r.Elapsed)
			time.Sleep(400 * time.Millisecond)
		})
		if err != nil {
			t.Fatal(err)
		}
		// After 10, 410 and 810 ms, perhaps once more after 1,210 ms, and at last the answer.
		if answer.Elapsed > time.Second+20*time.Millisecond || len(ages) < 4 || len(ages) > 5 {
			t.Errorf("%d reports in %v, want 4 or 5 in a second", len(ages), answer.Elapsed)
		}
		for i, age := range ages[:3] {
			if age > 20*time.Millisecond {
				t.Errorf("report %d was %v old, want the newest", i+1, age)
			}
		}
	})
}

// After a stop, nothing is evaluated but what is being evaluated already.
func TestStopWaitsForTheBatchesInFlight(t *testing.T) {
	for name, stop := range map[string]func(*Thinker[connect4.State], context.CancelFunc){
		"Stop":    func(thinker *Thinker[connect4.State], _ context.CancelFunc) { thinker.Stop() },
		"context": func(_ *Thinker[connect4.State], cancel context.CancelFunc) { cancel() },
		"Set": func(thinker *Thinker[connect4.State], _ context.CancelFunc) {
			thinker.Set(At(connect4.Standard().Start()))
		},
		"Ponder": func(thinker *Thinker[connect4.State], _ context.CancelFunc) { thinker.Ponder() },
	} {
		synctest.Test(t, func(t *testing.T) {
			var closed atomic.Bool
			var begun atomic.Int32
			gate := make(chan bool)
			thinker := newFake(func(int) error {
				begun.Add(1)
				if closed.Load() {
					<-gate
				}
				return nil
			})
			think(t, thinker, Limit{Simulations: 500})
			closed.Store(true)
			begun.Store(0)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answers := make(chan Report, 1)
			go func() {
				answer, err := thinker.Think(ctx, Limit{Time: 10 * time.Second}, nil)
				if err != nil {
					t.Error(err)
				}
				answers <- answer
			}()
			synctest.Wait()
			go stop(thinker, cancel)
			synctest.Wait()
			if begun.Load() != 2 || len(answers) != 0 {
				t.Errorf("%s: %d evaluations and %d answers before an evaluation ends, want 2 and none", name, begun.Load(), len(answers))
			}
			gate <- true
			gate <- true
			synctest.Wait()
			if want := map[bool]int32{false: 2, true: 4}[name == "Ponder"]; begun.Load() != want || len(answers) != 1 {
				t.Errorf("%s: %d evaluations and %d answers after those in flight have ended, want %d and 1",
					name, begun.Load(), len(answers), want)
			}
			if answer := <-answers; answer.Simulations != 508 {
				t.Errorf("%s: %d simulations, want 500 and two batches of 4", name, answer.Simulations)
			}
			close(gate)
			thinker.Stop()
		})
	}
}

// What is known stays where the game goes on by one or two moves, and nowhere else.
func TestTreeIsKept(t *testing.T) {
	g := connect4.Standard()
	start := g.Start()
	thought := func() (*Thinker[connect4.State], Report) {
		thinker := newFake(nil)
		return thinker, think(t, thinker, Limit{Simulations: 500})
	}
	below := func(r Report) int { return r.Moves[r.Best].Visits }

	thinker, before := thought()
	advance(thinker, before.Best)
	after := think(t, thinker, Limit{Simulations: 1})
	if after.Kept != below(before) || after.Simulations != after.Kept {
		t.Errorf("Set kept %d of the %d simulations below the move", after.Kept, below(before))
	}
	second := start.Play(before.Best).Play(after.Best)
	advance(thinker, after.Best)
	if twice := think(t, thinker, Limit{Simulations: 1}); twice.Kept != below(after) {
		t.Errorf("Set kept %d of the %d simulations below the second move", twice.Kept, below(after))
	}
	for name, test := range map[string]struct {
		to   connect4.State
		want int
	}{
		"the same position": {start, before.Simulations},
		"one move":          {start.Play(before.Best), below(before)},
		"two moves":         {second, below(after)},
		"three moves":       {second.Play(0), 0},
	} {
		thinker, _ := thought()
		thinker.Set(At(test.to))
		if r := think(t, thinker, Limit{Simulations: 1}); r.Kept != test.want {
			t.Errorf("Set to %s: kept %d simulations, want %d", name, r.Kept, test.want)
		}
		thinker.Set(At(start))
		if r := think(t, thinker, Limit{Simulations: 1}); test.want != before.Simulations && r.Kept != 0 {
			t.Errorf("Set back to the start kept %d simulations", r.Kept)
		}
		thinker.Reset(At(thinker.line.Position))
		if r := think(t, thinker, Limit{Simulations: 1}); r.Kept != 0 {
			t.Errorf("Reset kept %d simulations", r.Kept)
		}
	}
}

// Positions with the same stones and another last move are not the same to a network.
func TestSetSeesTheLastMove(t *testing.T) {
	g := connect4.Standard()
	thinker := newFake(nil)
	thinker.Set(At(gametest.Replay(t, g, "123")))
	think(t, thinker, Limit{Simulations: 100})
	thinker.Set(At(gametest.Replay(t, g, "321")))
	if r := think(t, thinker, Limit{Simulations: 100}); r.Kept != 0 {
		t.Errorf("kept %d simulations", r.Kept)
	}
}

// Pondering goes on until it is stopped, or the tree is full, and what it found serves the next thought.
func TestPonder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed atomic.Bool
		gate := make(chan bool)
		o := options()
		o.MaxNodes = 700
		thinker := netThinker(connect4.Standard(), fakes[connect4.State](2, func(int) error {
			if closed.Load() {
				<-gate
			}
			return nil
		}), o)
		closed.Store(true)
		thinker.Ponder()
		synctest.Wait()
		close(gate)
		synctest.Wait()
		if answer := think(t, thinker, Limit{}); answer.Kept > 700 || answer.Kept < 600 || answer.Simulations != answer.Kept {
			t.Errorf("%d simulations pondered, %d thought, want about the 700 positions that the tree may hold", answer.Kept, answer.Simulations)
		}
		advance(thinker, 3)
		thinker.Ponder()
		thinker.Stop()
		thinker.Stop()
	})
}

// When the game is over, there is nothing to think about, and no harm done.
func TestFinishedGame(t *testing.T) {
	for _, text := range everyKind {
		thinker, limit := build(t, text, options())
		thinker.Set(At(gametest.Replay(t, connect4.Standard(), "121212")))
		thinker.Ponder()
		advance(thinker, 0)
		thinker.Ponder()
		reports := 0
		answer, err := thinker.Think(t.Context(), limit, func(Report) { reports++ })
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if answer.Best != game.None || answer.Proven != game.Loss || answer.Value != -1 || !answer.Final || reports != 1 {
			t.Errorf("%s: %+v in %d reports, want a loss without a move in one", text, answer.Analysis, reports)
		}
		thinker.Reset(At(connect4.Standard().Start()))
		if err := checkAnswer(thinker.line.Position, think(t, thinker, Limit{Simulations: 10, Time: 1})); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// An evaluator's failure is an error, and the thinker can go on.
func TestFailure(t *testing.T) {
	broken := errors.New("broken")
	var fails atomic.Bool
	var calls atomic.Int32
	thinker := newFake(func(int) error {
		if calls.Add(1); fails.Load() && calls.Load() > 10 {
			return broken
		}
		return nil
	})
	want := think(t, thinker, Limit{Simulations: 300})
	fails.Store(true)
	if _, err := thinker.Think(t.Context(), Limit{Simulations: 1000}, func(Report) {}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	thinker.Ponder()
	advance(thinker, 0)
	if _, err := thinker.Think(t.Context(), Limit{}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	fails.Store(false)
	thinker.Reset(At(connect4.Standard().Start()))
	got := think(t, thinker, Limit{Simulations: 300})
	if !reflect.DeepEqual(got.Analysis, want.Analysis) {
		t.Errorf("%+v after a failure, %+v before", got.Analysis, want.Analysis)
	}
}

// Any calls at once, of several goroutines, leave a thinker that works and no goroutine: TestMain looks for those.
func TestAnyCallsAtOnce(t *testing.T) {
	const goroutines = 4
	calls := fulltest.Pick(60, 250)
	for _, text := range everyKind {
		o := options()
		o.MaxNodes = 3000
		o.Interval = 1
		thinker, limit := build(t, text, o)
		if limit == (Limit{}) {
			limit.Time = time.Millisecond // a solver has no partial results to end its thoughts by
		}
		var wait sync.WaitGroup
		for i := range goroutines {
			wait.Go(func() {
				rng := random.New(1, random.Test, uint64(i))
				for range calls {
					anyCall(t, thinker, limit, rng)
				}
			})
		}
		wait.Wait()
		thinker.Stop()
		thinker.Reset(At(connect4.Standard().Start()))
		if err := checkAnswer(thinker.line.Position, think(t, thinker, Limit{Simulations: 100, Time: 1})); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// anyCall makes one call, chosen at random.
func anyCall(t *testing.T, thinker *Thinker[connect4.State], limit Limit, rng *rand.Rand) {
	start := connect4.Standard().Start()
	positions := []connect4.State{start, start.Play(0), start.Play(0).Play(1)}
	switch rng.IntN(6) {
	case 0:
		thinker.Ponder()
	case 1:
		thinker.Stop()
	case 2:
		thinker.Set(At(positions[rng.IntN(len(positions))]))
	case 3:
		thinker.Reset(At(positions[rng.IntN(len(positions))]))
	case 4:
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if _, err := thinker.Think(ctx, limit, func(Report) { cancel() }); err != nil {
			t.Error(err)
		}
	case 5:
		if _, err := thinker.Think(t.Context(), Limit{Simulations: 50, Time: time.Millisecond}, nil); err != nil {
			t.Error(err)
		}
	}
}

// A panic, on whichever goroutine, is an error of the thought and does not end the process.
func TestPanicIsAnError(t *testing.T) {
	panics := func(int) error { panic("out of ideas") }
	for name, thinker := range map[string]*Thinker[connect4.State]{
		"evaluator": newFake(panics),
		"solver":    exactThinker(asked(func() (solver.Score, error) { panic("out of ideas") })),
	} {
		_, err := thinker.Think(t.Context(), Limit{Simulations: 10}, nil)
		if !errors.Is(err, ErrPanic) || !strings.Contains(err.Error(), "out of ideas") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
