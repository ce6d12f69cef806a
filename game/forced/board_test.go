package forced

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// What the board keeps stone by stone is what a count of its lines gives, whatever was put and lifted before.
func TestBoardCountsLines(t *testing.T) {
	t.Run("connect four", func(t *testing.T) { checkBoard(t, connect4.Standard().Start().Lines()) })
	for _, numbers := range []string{"6,6,4", "9,8,5", "4,4,2", "3,2,1", "5,5,3", "6,6,4,exact", "5,5,2,caro", "6,5,3,exact,caro"} {
		t.Run(numbers, func(t *testing.T) {
			g, err := mnk.Parse(numbers)
			if err != nil {
				t.Fatal(err)
			}
			checkBoard(t, g.Start().Lines())
		})
	}
}

func checkBoard(t *testing.T, set *game.LineSet) {
	rapid.Check(t, func(t *rapid.T) {
		n := len(set.Actions)
		b := newBoard(set)
		held := make([]int, n) // -1: empty
		for cell := range held {
			held[cell] = -1
		}
		for range rapid.IntRange(0, 60).Draw(t, "stones") {
			cell := rapid.IntRange(0, n-1).Draw(t, "cell")
			if held[cell] >= 0 {
				b.lift(held[cell], int16(cell))
				held[cell] = -1
				continue
			}
			held[cell] = rapid.IntRange(0, 1).Draw(t, "side")
			b.put(held[cell], int16(cell))
		}
		checkCounts(t, b, held)

		want := [2]cells{newCells(n), newCells(n)}
		for cell := range held {
			if held[cell] = rapid.IntRange(-1, 1).Draw(t, "holder"); held[cell] >= 0 {
				want[held[cell]].add(int16(cell))
			}
		}
		b.become(want)
		checkCounts(t, b, held)
		for cell, below := range set.Below {
			free := held[cell] < 0 && (below < 0 || held[below] >= 0)
			if b.playable.has(int16(cell)) != free {
				t.Fatalf("cell %d is playable: %t", cell, !free)
			}
		}
	})
}

// A stone opens the cell above it, also the first of the board.
func TestOpens(t *testing.T) {
	b := newBoard(connect4.Standard().Start().Lines())
	for cell := int16(1); cell <= 3; cell++ { // of the top row, which cells 0 and 4 complete
		b.put(0, cell)
	}
	for _, test := range []struct {
		side  int
		cell  int16
		opens bool
	}{{0, 7, true}, {0, 11, true}, {1, 7, false}, {0, 14, false}, {0, 8, false}, {0, 0, false}} {
		if got := b.opens(test.side, test.cell); got != test.opens {
			t.Errorf("a stone on cell %d opens a completion for side %d: %t", test.cell, test.side, got)
		}
	}
	if b.play(1, 7); !b.playable.has(0) || b.playable.has(7) {
		t.Error("the cell above a stone is not playable")
	}
	if b.undo(1, 7); b.playable.has(0) || !b.playable.has(7) {
		t.Error("the cell above one without a stone is playable")
	}
}

// checkCounts counts the lines of the stones held.
func checkCounts(t *rapid.T, b *board, held []int) {
	key := uint64(0)
	for cell, side := range held {
		if side >= 0 {
			key ^= b.keys[side][cell]
		}
	}
	if b.key != key {
		t.Fatalf("key %x, want %x", b.key, key)
	}
	for side := range 2 {
		completing, making := newMultiset(len(held)), newMultiset(len(held))
		for i, line := range b.set.Cells {
			of := [2]game.Side{game.First, game.Second}
			if b.set.Spoilt(i, of[side], func(cell int) game.Side {
				if held[cell] < 0 {
					return game.Nobody
				}
				return of[held[cell]]
			}) {
				continue
			}
			if slices.ContainsFunc(line, func(cell int16) bool { return held[cell] == 1-side }) {
				continue
			}
			var empty []int16
			for _, cell := range line {
				if held[cell] < 0 {
					empty = append(empty, cell)
				}
			}
			for _, cell := range empty {
				switch len(empty) {
				case 1:
					completing.change(cell, 1)
				case 2:
					making.change(cell, 1)
				}
			}
		}
		if !slices.Equal(b.completing[side].counts, completing.counts) || !slices.Equal(b.completing[side].cells, completing.cells) {
			t.Fatalf("%v: side %d completes lines on %v, want %v", held, side, b.completing[side], completing)
		}
		if !slices.Equal(b.making[side].counts, making.counts) || !slices.Equal(b.making[side].cells, making.cells) {
			t.Fatalf("%v: side %d makes lines on %v, want %v", held, side, b.making[side], making)
		}
	}
}
