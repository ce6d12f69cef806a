package solver

import (
	"testing"

	"tengen/game"
)

// A bucket keeps the deepest entry and the latest of the others.
func TestTranspositionsReplace(t *testing.T) {
	table := newTranspositionTable(2)
	deep, shallow, deeper := game.Key{0, 0}, game.Key{1, 0}, game.Key{0, 1}
	find := func(want map[game.Key]Value) {
		t.Helper()
		for _, key := range []game.Key{deep, shallow, deeper} {
			e := table.get(key)
			value, stored := want[key]
			if (e != nil) != stored || stored && e.value != value {
				t.Errorf("key %v: %+v; want %v", key, e, want)
			}
		}
	}
	find(nil)
	table.put(entry{key: deep, depth: 5, value: 1})
	table.put(entry{key: shallow, depth: 2, value: 2})
	find(map[game.Key]Value{deep: 1, shallow: 2})
	table.put(entry{key: deeper, depth: 7, value: 3}) // moves the deep one to the second place
	find(map[game.Key]Value{deep: 1, deeper: 3})
	table.put(entry{key: shallow, depth: 2, value: 4})
	find(map[game.Key]Value{shallow: 4, deeper: 3})
	table.put(entry{key: deeper, depth: 1, value: 5}) // a position has one entry
	find(map[game.Key]Value{shallow: 4, deeper: 5})
	table.forget()
	find(nil)
}

// Generations count up to their end and begin anew without bringing old entries back.
func TestTranspositionsForgetForEver(t *testing.T) {
	table := newTranspositionTable(1)
	key := game.Key{7, 7}
	table.put(entry{key: key})
	table.generation = 1<<32 - 1
	table.forget()
	if e := table.get(key); e != nil {
		t.Errorf("%+v came back", e)
	}
}
