package evalcache

import (
	"errors"
	"slices"
	"testing"

	"tengen/game/connect4"
	"tengen/mcts"
)

// teller says of a position what depends on it alone, and counts how many it was asked about.
type teller struct {
	mcts.Uniform[connect4.State]
	asked int
	err   error
}

func (e *teller) Evaluate(leaves []connect4.State, priors [][]float32, values []float32) error {
	e.asked += len(leaves)
	if e.err != nil {
		return e.err
	}
	err := e.Uniform.Evaluate(leaves, priors, values)
	for i, s := range leaves {
		values[i] = float32(s.Key()[0]%1000)/1000 - 0.5
	}
	return err
}

// A search with a cache is the same search, asks about less, and asks nothing when it is done again.
func TestSearchWithCache(t *testing.T) {
	config := mcts.Default()
	config.Simulations = 2000
	search := func(ev mcts.Evaluator[connect4.State]) []mcts.Stat {
		s := mcts.New[connect4.State](config, 7)
		s.Reset(connect4.Standard().Start())
		o := mcts.DriveOptions{Batch: 8, InFlight: func(int) int { return 8 }}
		if err := mcts.Drive(t.Context(), []*mcts.Search[connect4.State]{s}, []mcts.Evaluator[connect4.State]{ev}, o); err != nil {
			t.Fatal(err)
		}
		return s.Stats(nil)
	}
	plain, behind := &teller{}, &teller{}
	cached := New(8, board).Before(behind)
	want := search(plain)
	if got := search(cached); !slices.Equal(got, want) {
		t.Errorf("with a cache %v, without %v", got, want)
	}
	if behind.asked == 0 || behind.asked >= plain.asked {
		t.Errorf("asked %d times with a cache, %d times without", behind.asked, plain.asked)
	}
	first := behind.asked
	if got := search(cached); !slices.Equal(got, want) {
		t.Errorf("the second time %v, the first time %v", got, want)
	}
	if again := behind.asked - first; again > first/10 { // some entries have replaced others
		t.Errorf("asked %d times again, %d times at first", again, first)
	}
}

// After an error nothing is kept.
func TestErrorIsNotKept(t *testing.T) {
	broken := errors.New("broken")
	behind := &teller{err: broken}
	ev := New(1, board).Before(behind)
	leaves, priors, values := []connect4.State{connect4.Standard().Start()}, [][]float32{make([]float32, 7)}, []float32{9}
	for range 2 {
		if err := ev.Evaluate(leaves, priors, values); !errors.Is(err, broken) {
			t.Errorf("the error is %v, want %v", err, broken)
		}
	}
	if behind.asked != 2 {
		t.Errorf("asked %d times, want 2", behind.asked)
	}
}
