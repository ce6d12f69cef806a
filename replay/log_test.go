package replay

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// testLog is what every Log must do.
func testLog(t *testing.T, open func() Log) {
	ctx := context.Background()
	read := func(t *testing.T, l Log, after uint64) (sequences []uint64, games []*Game) {
		t.Helper()
		err := l.Read(ctx, after, func(e Entry) error {
			sequences, games = append(sequences, e.Sequence), append(games, e.Game)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return sequences, games
	}
	filled := func(t *testing.T, n int) (Log, []uint64) {
		l := open()
		t.Cleanup(func() { l.Close() })
		var sequences []uint64
		for i := range n {
			sequence, err := l.Append(ctx, "a", ticTacToe(uint64(i), 1, firstWins...))
			if err != nil {
				t.Fatal(err)
			}
			sequences = append(sequences, sequence)
		}
		return l, sequences
	}

	t.Run("reads back in order", func(t *testing.T) {
		l, appended := filled(t, 4)
		sequences, games := read(t, l, 0)
		if !reflect.DeepEqual(sequences, appended) {
			t.Errorf("sequence numbers %v, Append said %v", sequences, appended)
		}
		for i, g := range games {
			if want := ticTacToe(uint64(i), 1, firstWins...); !reflect.DeepEqual(g, want) {
				t.Errorf("game %d reads\n%+v, want\n%+v", i, g, want)
			}
		}
		if sequences, _ := read(t, l, appended[1]); !reflect.DeepEqual(sequences, appended[2:]) {
			t.Errorf("after %d: %v, want %v", appended[1], sequences, appended[2:])
		}
	})
	t.Run("a game sent twice counts once", func(t *testing.T) {
		l, appended := filled(t, 3)
		sequence, err := l.Append(ctx, "a", ticTacToe(1, 1, firstWins...))
		if err != nil || sequence != appended[1] {
			t.Errorf("sequence number %d, error %v; want %d", sequence, err, appended[1])
		}
		if sequences, _ := read(t, l, 0); len(sequences) != 3 {
			t.Errorf("%d games, want 3", len(sequences))
		}
	})
	t.Run("retains the newest positions", func(t *testing.T) {
		l, appended := filled(t, 5)
		if err := l.Retain(ctx, 12); err != nil { // three games of 5 positions hold it, two do not
			t.Fatal(err)
		}
		if sequences, _ := read(t, l, 0); !reflect.DeepEqual(sequences, appended[2:]) {
			t.Errorf("kept %v, want %v", sequences, appended[2:])
		}
		next, err := l.Append(ctx, "a", ticTacToe(9, 1, firstWins...))
		if err != nil || next <= appended[4] {
			t.Errorf("next sequence number %d after %d, error %v", next, appended[4], err)
		}
	})
	t.Run("passes errors on", func(t *testing.T) {
		l, _ := filled(t, 2)
		stop := errors.New("stop")
		if err := l.Read(ctx, 0, func(Entry) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("error %v, want %v", err, stop)
		}
		if _, err := l.Append(ctx, "a", &Game{Opening: 1}); err == nil {
			t.Error("a contradictory game was taken in")
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := l.Append(cancelled, "a", ticTacToe(7, 1, firstWins...)); !errors.Is(err, context.Canceled) {
			t.Errorf("Append with a cancelled context: %v", err)
		}
		if err := l.Read(cancelled, 0, func(Entry) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("Read with a cancelled context: %v", err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		l, _ := filled(t, 1)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		_, appended := l.Append(ctx, "a", ticTacToe(7, 1, firstWins...))
		for name, err := range map[string]error{
			"Append": appended,
			"Read":   l.Read(ctx, 0, func(Entry) error { return nil }),
			"Retain": l.Retain(ctx, 0),
			"Close":  l.Close(),
		} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s after Close: %v", name, err)
			}
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		l, _ := filled(t, 0)
		errs := make(chan error, 40)
		var wait sync.WaitGroup
		for i := range 40 {
			wait.Go(func() {
				_, err := l.Append(ctx, "a", ticTacToe(uint64(i/2), 1, firstWins...))
				errs <- err
			})
		}
		wait.Wait()
		for range 40 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		_, games := read(t, l, 0)
		seen := map[uint64]bool{}
		for _, g := range games {
			seen[g.Number] = true
		}
		if len(games) != 20 || len(seen) != 20 {
			t.Errorf("%d games, %d different, want 20", len(games), len(seen))
		}
	})
}

func TestMemoryLog(t *testing.T) {
	testLog(t, func() Log { return NewMemoryLog() })
}

// A restart fills the window from the log.
func ExampleLog() {
	ctx := context.Background()
	log := NewMemoryLog()
	defer log.Close()
	log.Append(ctx, "a", ticTacToe(0, 1, firstWins...))
	log.Append(ctx, "a", ticTacToe(1, 0, draw...))

	w := window(Default())
	err := log.Read(ctx, 0, func(e Entry) error { return w.Add(e.Game) })
	fmt.Println(w.Games(), w.Len(), err)
	// Output: 2 14 <nil>
}
