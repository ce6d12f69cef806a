package replay

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"tengen/game"
)

func TestSummary(t *testing.T) {
	entry := func(number uint64, worker string, model uint64, moves int, outcome int8) Entry {
		g := &Record{Model: model, Moves: make([]game.Action, moves), Outcome: outcome, Opening: 1}
		for range moves - 1 {
			g.AppendSearch([]float32{1}, 0, 10, FullWeight)
		}
		g.Weights[0] = 0
		return Entry{Number: number, Worker: worker, Game: g}
	}
	entries := []Entry{
		entry(5, "a", 2, 4, 1), entry(6, "b", 1, 6, -1), entry(7, "a", 2, 9, 1), entry(8, "a", 3, 5, 0),
		{Number: 10, Err: fmt.Errorf("10: %w", ErrDamaged)},
		entry(12, "a", 3, 6, 0),
	}
	s, err := Summarize(t.Context(), fixedLog(entries), 5, 13)
	noError(t, err)
	want := &Summary{
		Games: 5, Positions: 20, Searches: 25, Simulations: 250, Oldest: 5, Newest: 12,
		Results: map[string]int{"first": 2, "draw": 2, "second": 1},
		Lengths: Lengths{Mean: 6, Shortest: 4, P10: 4, Median: 6, P90: 9, Longest: 9},
		Workers: map[string]int{"a": 4, "b": 1},
		Damaged: 1, Missing: 3,
		Models: []*ModelGames{{1, 1, 6, 6}, {2, 2, 5, 7}, {3, 2, 8, 12}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want\n%+v", s, want)
	}
}

// fixedLog holds these entries, or fails.
type fixedLog []Entry

func (l fixedLog) Read(_ context.Context, _, _ uint64, yield func(Entry) error) error {
	if l == nil {
		return ErrDamaged
	}
	for _, e := range l {
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

// A log without games has a summary, one that cannot be read has not.
func TestSummaryOfNothing(t *testing.T) {
	if s, err := Summarize(t.Context(), fixedLog{}, 0, 0); err != nil || s.Games != 0 || s.Oldest != 0 || s.Newest != 0 {
		t.Errorf("error %v, %+v", err, s)
	}
	if _, err := Summarize(t.Context(), fixedLog(nil), 0, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v, want %v", err, ErrDamaged)
	}
}
