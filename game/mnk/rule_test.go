package mnk_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/lines"
	"tengen/game/mnk"
)

// rules are all rules, those of gomoku's managers under 0, 1, 8 and 9.
var rules = []mnk.Rule{mnk.Freestyle, mnk.Exact, mnk.Caro, mnk.Exact | mnk.Caro}

// wins says of a row that cannot be made longer, and of how many of its ends the opponent holds, whether it wins.
func wins(rule mnk.Rule, k, length, blocked int) bool {
	switch rule {
	case mnk.Freestyle:
		return length >= k
	case mnk.Exact:
		return length == k
	case mnk.Caro:
		return length > k || length == k && blocked < 2
	case mnk.Exact | mnk.Caro:
		return length == k && blocked < 2
	}
	panic("no such rule")
}

// won looks at each row, of any length, that cannot be made longer.
func won(g *mnk.Game, cells []game.Side, side game.Side) bool {
	for length := g.K(); length <= mnk.MaxSide; length++ {
		ends := lines.Ends(g.Board(), length)
		for i, row := range lines.All(g.Board(), length) {
			full, longer, blocked := true, false, 0
			for _, cell := range row {
				full = full && cells[cell] == side
			}
			for _, end := range ends[i] {
				longer = longer || end >= 0 && cells[end] == side
				if end >= 0 && cells[end] == side.Opponent() {
					blocked++
				}
			}
			if full && !longer && wins(g.Rule(), g.K(), length, blocked) {
				return true
			}
		}
	}
	return false
}

// TestEveryRowByItsEnds makes each row of k to k+3 stones on the board, with each of its stones the last, between empty
// cells, opposing stones and edges.
func TestEveryRowByItsEnds(t *testing.T) {
	for _, rule := range rules {
		for _, board := range []struct{ side, k int }{{7, 3}, {9, 5}} {
			size := game.Size{Rows: board.side, Columns: board.side}
			g, err := mnk.NewByRule(size, board.k, rule)
			if err != nil {
				t.Fatal(err)
			}
			for length := board.k; length <= min(board.k+3, board.side); length++ {
				for _, row := range every(size, length) {
					for blocks := range 4 {
						checkRow(t, g, rule, board.k, row, blocks)
					}
				}
			}
		}
	}
}

// checkRow blocks one or both ends of a row as the bits of blocks say, where there are cells, and fills it.
func checkRow(t *testing.T, g *mnk.Game, rule mnk.Rule, k int, row []game.Action, blocks int) {
	t.Helper()
	size := g.Board()
	cells := make([]game.Side, size.Cells())
	blocked := 0
	for end, at := range [2]game.Action{row[0], row[len(row)-1]} {
		step := 1 // away from the row, which has two cells or more
		if end == 0 {
			step = -1
		}
		columns := size.Columns
		rowStep, columnStep := int(row[1])/columns-int(row[0])/columns, int(row[1])%columns-int(row[0])%columns
		r, c := int(at)/columns+step*rowStep, int(at)%columns+step*columnStep
		if blocks>>end&1 == 0 || r < 0 || r >= size.Rows || c < 0 || c >= columns {
			continue
		}
		cells[r*columns+c] = game.Second
		blocked++
	}
	for last := range row {
		if last >= k || len(row)-1-last >= k {
			continue // there is a row of k or more before the last stone, which may win
		}
		z, over := join(t, g, cells, row, last).Outcome()
		if want := wins(rule, k, len(row), blocked); over != want || want != (z == -1) {
			t.Fatalf("%s: %s with %s last, blocked at %d ends: outcome %v, %t; that it wins is %t",
				g.Name(), game.FormatMoves(g.Start(), row), g.Start().Format(row[last]), blocked, z, over, want)
		}
	}
}

// One row that wins is enough, whatever other rows the same stone makes.
func TestOneOfSeveralRowsWins(t *testing.T) {
	for _, test := range []struct {
		numbers string
		rows    []string
		over    bool
	}{
		{"7,7,3,exact", []string{"..X....", "..X....", "XX.XX..", ".......", ".......", ".......", "......."}, true},
		{"7,7,3,exact", []string{"..X....", ".......", "XX.XX..", ".......", ".......", ".......", "......."}, false},
		{"7,7,3,caro", []string{".OXX.O.", ".......", ".......", ".......", ".......", ".......", "......."}, false},
		{"7,7,3,caro", []string{".OXX.O.", "....X..", "....X..", ".......", ".......", ".......", "......."}, true},
		{"7,7,3,exact,caro", []string{".OXX.O.", "....X..", "....X..", "....O..", ".......", ".......", "......."}, true},
	} {
		g := parse(t, test.numbers)
		s, err := g.FromStones(gametest.Stones(test.rows...), game.First, game.None)
		if err != nil {
			t.Fatal(err)
		}
		a := game.Action(2*7 + 2)
		if test.rows[0] != "..X...." {
			a = 4
		}
		if _, over := s.Play(a).Outcome(); over != test.over {
			t.Errorf("%s, %q and %s: over %t; want %t", test.numbers, test.rows, g.Start().Format(a), over, test.over)
		}
	}
}

// Boards that are set up are judged as those that are played.
func TestRulesOfRandomStones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(rules).Draw(t, "rule")
		size := game.Size{Rows: rapid.IntRange(5, 20).Draw(t, "rows"), Columns: rapid.IntRange(5, 20).Draw(t, "columns")}
		k := rapid.IntRange(3, 5).Draw(t, "k")
		g, err := mnk.NewByRule(size, k, rule)
		if err != nil {
			t.Fatal(err)
		}
		// Stones in clumps, so that there are rows.
		cells := make([]game.Side, size.Cells())
		for range rapid.IntRange(0, 12).Draw(t, "strokes") {
			at := rapid.IntRange(0, len(cells)-1).Draw(t, "cell")
			side := rapid.SampledFrom([]game.Side{game.First, game.Second}).Draw(t, "side")
			stride := rapid.SampledFrom([]int{1, size.Columns - 1, size.Columns, size.Columns + 1}).Draw(t, "stride")
			for range rapid.IntRange(1, 7).Draw(t, "stones") {
				if at < len(cells) {
					cells[at] = side
				}
				at += stride
			}
		}
		moverWon, otherWon := won(g, cells, game.First), won(g, cells, game.Second)
		s, err := g.FromStones(cells, game.First, game.None)
		if (err != nil) != moverWon {
			t.Fatalf("set up with %v; that the side to move has won is %t", err, moverWon)
		}
		if err != nil {
			return
		}
		if z, _ := s.Outcome(); (z == -1) != otherWon {
			t.Fatalf("outcome %v; that the opponent has won is %t", z, otherWon)
		}
		if legal := s.Legal(nil); len(legal) > 0 {
			a := rapid.SampledFrom(legal).Draw(t, "move")
			cells[a] = game.First
			if z, _ := s.Play(a).Outcome(); (z == -1) != won(g, cells, game.First) {
				t.Fatalf("after %s, the outcome is %v; that it wins is %t", g.Start().Format(a), z, z == 0)
			}
		}
	})
}

func TestRuleNames(t *testing.T) {
	for rule, want := range map[mnk.Rule]string{
		mnk.Freestyle: "freestyle", mnk.Exact: "exact", mnk.Caro: "caro", mnk.Exact | mnk.Caro: "exact,caro",
	} {
		if got := fmt.Sprint(rule); got != want {
			t.Errorf("rule %d is %q; want %q", uint8(rule), got, want)
		}
	}
	if _, err := mnk.NewByRule(game.Size{Rows: 5, Columns: 5}, 5, 4); err == nil {
		t.Error("there is a rule 4")
	}
}
