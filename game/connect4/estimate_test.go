package connect4_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/connect4"
)

func TestEstimateByHand(t *testing.T) {
	g := connect4.Standard()
	for _, test := range []struct {
		moves string
		want  int
	}{
		{"", 0},
		{"1", -3 * 4},           // the corner is on three lines
		{"4", -(4 + 1 + 2) * 4}, // the foot of the centre column: 4 along the row, 1 up, 1 on each diagonal
		{"17", 0},
		{"121", -(16 + 4*4) + 3*4},
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

// The estimate is what a plain loop over the lines of the drawn board counts, and that of the mirror image.
func TestEstimateCountsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		rows := rapid.IntRange(1, 8).Draw(t, "rows")
		k := rapid.IntRange(1, max(columns, rows)).Draw(t, "k")
		g, err := connect4.New(game.Size{Rows: rows, Columns: columns}, k)
		if err != nil {
			t.Fatal(err)
		}
		mirror := g.Symmetries()[1].Actions
		s, image := g.Start(), g.Start()
		planes := make([]float32, game.InputLen(g))
		for {
			s.Encode(planes)
			if got, want := s.Estimate(), countLines(planes, columns, rows, k); got != want {
				t.Fatalf("%s, %v: estimate %d; want %d", g.Name(), planes[:2*columns*rows], got, want)
			}
			if got, want := image.Estimate(), s.Estimate(); got != want {
				t.Fatalf("the image has estimate %d; want %d", got, want)
			}
			legal := s.Legal(nil)
			if len(legal) == 0 {
				return
			}
			a := rapid.SampledFrom(legal).Draw(t, "move")
			s, image = s.Play(a), image.Play(mirror[a])
		}
	})
}

// countLines is Estimate from the planes, line by line.
func countLines(planes []float32, columns, rows, k int) int {
	own, opponent := planes[:columns*rows], planes[columns*rows:]
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
				switch {
				case ours > 0 && theirs == 0:
					worth += 1 << (2 * min(ours, 8))
				case theirs > 0 && ours == 0:
					worth -= 1 << (2 * min(theirs, 8))
				}
			}
		}
	}
	return worth
}

func BenchmarkEstimate(b *testing.B) {
	g := connect4.Standard()
	s := g.Start()
	for _, a := range []game.Action{3, 3, 3, 2, 4, 1, 5, 0} {
		s = s.Play(a)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Estimate()
	}
}
