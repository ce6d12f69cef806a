package replay

import (
	"fmt"
	"reflect"
	"testing"

	"tengen/game"
)

func TestSummary(t *testing.T) {
	entry := func(number uint64, worker string, model uint64, moves int, outcome int8) Entry {
		g := &Record{Model: model, Moves: make([]game.Action, moves), Outcome: outcome, ResignPly: -1, Opening: 1}
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
	entries[0].Game.Resigned, entries[0].Game.ResignPly = true, 4
	entries[1].Game.PlayedOn, entries[1].Game.ResignPly = true, 3 // second, which wins
	entries[2].Game.PlayedOn, entries[2].Game.ResignPly = true, 3 // second, which loses
	entries[5].Game.PlayedOn = true                               // nobody would have resigned
	s := newSummary()
	for _, e := range entries {
		if err := s.add(e); err != nil {
			t.Fatal(err)
		}
	}
	s.finish(8)
	s.byModel, s.byLength = nil, nil
	want := &Summary{
		Games: 5, Positions: 20, Searches: 25, Simulations: 250,
		Results:      map[string]int{"first": 2, "draw": 2, "second": 1},
		Lengths:      Lengths{Mean: 6, Shortest: 4, P10: 4, Median: 6, P90: 9, Longest: 9},
		Resignations: Resignations{Resigned: 1, PlayedOn: 3, Tested: 2, False: 1},
		Workers:      map[string]int{"a": 4, "b": 1},
		Damaged:      1, Missing: 3,
		Models: []*ModelGames{{1, 1, 6, 6}, {2, 2, 5, 7}, {3, 2, 8, 12}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want\n%+v", s, want)
	}
}
