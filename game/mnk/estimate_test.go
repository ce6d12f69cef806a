package mnk_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/mnk"
)

func TestEstimateByHand(t *testing.T) {
	g := mnk.TicTacToe()
	for _, test := range []struct {
		moves string
		want  int
	}{
		{"", 0},
		{"a1", -3 * 4},
		{"b2", -4 * 4},
		{"a1 c3", 0},
		{"b2 a3 a2", -(16 + 2*4) + 4}, // the row of two, the centre's column and diagonal, against the top row
	} {
		moves, err := g.ParseMoves(test.moves)
		if err != nil {
			t.Fatal(err)
		}
		s, err := game.Replay(g, moves)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Estimate(); got != test.want {
			t.Errorf("%q: estimate %d; want %d", test.moves, got, test.want)
		}
	}
}

// The estimate is what a plain loop over the lines of the drawn board counts, and that of every image.
func TestEstimateCountsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, mnk.MaxSide).Draw(t, "columns")
		rows := rapid.IntRange(1, mnk.MaxSide).Draw(t, "rows")
		k := rapid.IntRange(1, max(columns, rows)).Draw(t, "k")
		rule := rapid.SampledFrom(rules).Draw(t, "rule")
		g, err := mnk.NewByRule(game.Size{Rows: rows, Columns: columns}, k, rule)
		if err != nil {
			t.Skip(err)
		}
		symmetry := rapid.SampledFrom(g.Symmetries()).Draw(t, "symmetry").Actions
		s, image := g.Start(), g.Start()
		planes := make([]float32, game.InputLen(g))
		for range rapid.IntRange(0, columns*rows).Draw(t, "plies") {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				break
			}
			a := rapid.SampledFrom(legal).Draw(t, "move")
			s, image = s.Play(a), image.Play(symmetry[a])
		}
		s.Encode(planes)
		if got, want := s.Estimate(), countLines(planes, columns, rows, k, rule); got != want {
			t.Fatalf("%s, %v: estimate %d; want %d", g.Name(), planes[:2*columns*rows], got, want)
		}
		if got, want := image.Estimate(), s.Estimate(); got != want {
			t.Fatalf("the image has estimate %d; want %d", got, want)
		}
	})
}

// countLines is Estimate from the planes, line by line.
func countLines(planes []float32, columns, rows, k int, rule mnk.Rule) int {
	own, opponent := planes[:columns*rows], planes[columns*rows:]
	at := func(plane []float32, row, column int) int {
		if row < 0 || row >= rows || column < 0 || column >= columns {
			return 0
		}
		return int(plane[row*columns+column])
	}
	worth := 0
	for row := range rows {
		for column := range columns {
			for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				lastRow, lastColumn := row+(k-1)*d[0], column+(k-1)*d[1]
				if lastRow >= rows || lastColumn < 0 || lastColumn >= columns {
					continue
				}
				ours, theirs := 0, 0
				for i := range k {
					cell := (row+i*d[0])*columns + column + i*d[1]
					ours += int(own[cell])
					theirs += int(opponent[cell])
				}
				ownEnds := at(own, row-d[0], column-d[1]) + at(own, row+k*d[0], column+k*d[1])
				theirEnds := at(opponent, row-d[0], column-d[1]) + at(opponent, row+k*d[0], column+k*d[1])
				spoilt := func(same, other int) bool { return rule&mnk.Exact != 0 && same > 0 || rule&mnk.Caro != 0 && other == 2 }
				switch {
				case ours > 0 && theirs == 0 && !spoilt(ownEnds, theirEnds):
					worth += 1 << (2 * min(ours, 8))
				case theirs > 0 && ours == 0 && !spoilt(theirEnds, ownEnds):
					worth -= 1 << (2 * min(theirs, 8))
				}
			}
		}
	}
	return worth
}

func BenchmarkEstimate(b *testing.B) {
	for _, numbers := range []string{"3,3,3", "6,6,4", "15,15,5", "20,20,6"} {
		b.Run(numbers, func(b *testing.B) {
			s := parse(b, numbers).Start()
			for a := range game.Action(6) {
				s = s.Play(a * 7 % 9)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.Estimate()
			}
		})
	}
}
