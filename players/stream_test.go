package players_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/internal/random"
	"tengen/players"
)

// send hands out the positions as requests, each with a generator of its own, until all are taken or ctx ends. answer is
// told the number of each.
func send(ctx context.Context, positions []connect4.State, requests chan<- players.Request[connect4.State],
	answer func(i int, a *players.Analysis) error) {
	defer close(requests)
	for i, s := range positions {
		r := players.Request[connect4.State]{Position: s, Rng: random.New(3, random.Test, uint64(i)), Answer: func(a *players.Analysis) error {
			return answer(i, a)
		}}
		select {
		case requests <- r:
		case <-ctx.Done():
			return
		}
	}
}

// The answers are those that a player gives one by one, in the order of the requests, whatever the workers.
func TestAnalyzeAll(t *testing.T) {
	positions, rngs := openingPositions(t, connect4.Standard(), 6, 150)
	b := connect4Builder(uneven, 16)
	for _, text := range []string{"net:m:20", "net:m:0", "uct:20", "alphabeta:2"} {
		p := newPlayer(t, b, text)
		var want []*players.Analysis
		for i, rng := range rngs() {
			a, err := analyzeOne(t.Context(), p, positions[i], rng)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, a)
		}
		for _, c := range []struct{ workers, buffer int }{{1, 0}, {3, 0}, {3, 1000}} {
			var got []*players.Analysis
			requests := make(chan players.Request[connect4.State], c.buffer)
			go send(t.Context(), positions, requests, func(i int, a *players.Analysis) error {
				if i != len(got) {
					t.Errorf("%s: answer %d comes after %d others", text, i, len(got))
				}
				got = append(got, a)
				return nil
			})
			if err := players.AnalyzeAll(t.Context(), build(t, b, text).New, c.workers, requests, itself); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d workers: the answers are not those of a player asked one by one", text, c.workers)
			}
		}
	}
}

// A request is answered though no further one comes, and players are made when they are needed.
func TestAnalyzeAllAnswersAtOnce(t *testing.T) {
	factory := build(t, connect4Builder(even, 16), "net:m:10").New
	made := make(chan struct{}, 100)
	requests := make(chan players.Request[connect4.State])
	answers := make(chan *players.Analysis)
	done := make(chan error)
	go func() {
		done <- players.AnalyzeAll(t.Context(), func() (players.Answerer[connect4.State], error) {
			made <- struct{}{}
			return factory()
		}, 3, requests, itself)
	}()
	for i := range uint64(3) {
		requests <- players.Request[connect4.State]{Position: gametest.Replay(t, connect4.Standard(), "44"), Rng: random.New(i, random.Test), Answer: func(a *players.Analysis) error {
			answers <- a
			return nil
		}}
		if a := <-answers; a.Simulations != 10 {
			t.Errorf("answer %d has %d simulations", i, a.Simulations)
		}
	}
	close(requests)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := len(made); n < 1 || n > 3 {
		t.Errorf("%d players for three requests", n)
	}
}

// itself returns the request.
func itself(r players.Request[connect4.State]) players.Request[connect4.State] { return r }

// analyst is a player of which only Analyze is asked.
type analyst func(ctx context.Context, positions []connect4.State, dst []*players.Analysis) error

func (f analyst) Choose(context.Context, []connect4.State, []*rand.Rand, []game.Action) error {
	panic("nobody should ask")
}

func (f analyst) Analyze(ctx context.Context, positions []connect4.State, _ []*rand.Rand, dst []*players.Analysis) error {
	return f(ctx, positions, dst)
}

func (f analyst) Together() int { return 100 }

// factory makes the same player every time.
func (f analyst) factory() (players.Answerer[connect4.State], error) { return f, nil }

// What is waiting when a worker comes back is analyzed in one call.
func TestAnalyzeAllBatchesWhatIsWaiting(t *testing.T) {
	called, free := make(chan int), make(chan struct{})
	gated := analyst(func(_ context.Context, positions []connect4.State, dst []*players.Analysis) error {
		called <- len(positions)
		<-free
		for i := range dst {
			dst[i] = &players.Analysis{}
		}
		return nil
	})
	requests := make(chan players.Request[connect4.State])
	done := make(chan error)
	go func() { done <- players.AnalyzeAll(t.Context(), gated.factory, 1, requests, itself) }()
	request := players.Request[connect4.State]{Answer: func(*players.Analysis) error { return nil }}
	requests <- request
	if n := <-called; n != 1 {
		t.Errorf("the first call has %d positions, want the one that there is", n)
	}
	for range 11 {
		requests <- request // when one is taken, those before it are waiting
	}
	free <- struct{}{}
	if n := <-called; n < 10 {
		t.Errorf("the second call has %d positions, want those that are waiting, 10 at least", n)
	}
	close(requests)
	close(free)
	for {
		select {
		case <-called:
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}

// A request to skip receives nil in its turn, and the player never gets it.
func TestAnalyzeAllSkips(t *testing.T) {
	analyzed := 0
	counting := analyst(func(_ context.Context, positions []connect4.State, dst []*players.Analysis) error {
		analyzed += len(positions)
		for i := range dst {
			dst[i] = &players.Analysis{}
		}
		return nil
	})
	skips := []bool{false, true, true, false, true, false}
	requests := make(chan players.Request[connect4.State], len(skips))
	var skipped []bool
	for _, skip := range skips {
		requests <- players.Request[connect4.State]{Skip: skip, Answer: func(a *players.Analysis) error {
			skipped = append(skipped, a == nil)
			return nil
		}}
	}
	close(requests)
	if err := players.AnalyzeAll(t.Context(), counting.factory, 1, requests, itself); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(skipped, skips) || analyzed != 3 {
		t.Errorf("skipped are %v and the player analyzed %d positions, want %v and 3", skipped, analyzed, skips)
	}
}

// The first error in the order of the requests ends the work: what comes before it is answered, what comes after is not.
func TestAnalyzeAllFails(t *testing.T) {
	positions, _ := openingPositions(t, connect4.Standard(), 6, 100)
	broken := errors.New("broken")
	const bad = 40
	one := analyst(func(_ context.Context, asked []connect4.State, dst []*players.Analysis) error {
		for i, s := range asked {
			dst[i] = &players.Analysis{}
			if s == positions[bad] {
				return broken
			}
		}
		return nil
	})
	none := func() (players.Answerer[connect4.State], error) { return nil, broken }
	for name, c := range map[string]struct {
		factory  func() (players.Answerer[connect4.State], error)
		answer   func(i int) error
		from, to int // answers
	}{
		"player":  {one.factory, func(int) error { return nil }, 0, bad},
		"factory": {none, func(int) error { return nil }, 0, 0},
		"answer": {build(t, connect4Builder(even, 1), "random").New, func(i int) error {
			if i == bad {
				return broken
			}
			return nil
		}, bad + 1, bad + 1},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		requests := make(chan players.Request[connect4.State])
		sent := make(chan struct{})
		var answered []int
		go func() {
			defer close(sent)
			send(ctx, positions, requests, func(i int, _ *players.Analysis) error {
				answered = append(answered, i)
				return c.answer(i)
			})
		}()
		err := players.AnalyzeAll(ctx, c.factory, 3, requests, itself)
		cancel()
		<-sent
		if !errors.Is(err, broken) || len(answered) < c.from || len(answered) > c.to || !slices.IsSorted(answered) {
			t.Errorf("%s: error %v after the answers %v, want %v after %d to %d", name, err, answered, broken, c.from, c.to)
		}
	}
}

// When ctx ends, AnalyzeAll returns, whether players think or wait for requests, and leaves no goroutine behind.
func TestAnalyzeAllIsCancelled(t *testing.T) {
	for _, asked := range []int{0, 1, 5, 200} {
		ctx, cancel := context.WithCancel(t.Context())
		thinking := make(chan struct{}, 1)
		thinker := analyst(func(ctx context.Context, _ []connect4.State, _ []*players.Analysis) error {
			select {
			case thinking <- struct{}{}:
			default:
			}
			<-ctx.Done()
			return ctx.Err()
		})
		requests := make(chan players.Request[connect4.State], asked)
		for range asked {
			requests <- players.Request[connect4.State]{Answer: func(*players.Analysis) error {
				t.Error("a request was answered")
				return nil
			}}
		}
		done := make(chan error)
		go func() { done <- players.AnalyzeAll(ctx, thinker.factory, 2, requests, itself) }()
		if asked > 0 {
			<-thinking
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%d requests: error %v, want %v", asked, err, context.Canceled)
		}
	}
}
