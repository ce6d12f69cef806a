package connect4_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
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
		if got := gametest.Replay(t, g, test.moves).Estimate(); got != test.want {
			t.Errorf("%q: estimate %d; want %d", test.moves, got, test.want)
		}
	}
}

// The estimate is what a plain loop over the lines counts. The mirror image has the same.
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
		for {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				return
			}
			if got, want := s.Estimate(), gametest.LineEstimate(s); got != want {
				t.Fatalf("%s, %x: estimate %d; want %d", g.Name(), s.Key(), got, want)
			}
			if got, want := image.Estimate(), s.Estimate(); got != want {
				t.Fatalf("the image has estimate %d; want %d", got, want)
			}
			a := rapid.SampledFrom(legal).Draw(t, "move")
			s, image = s.Play(a), image.Play(mirror[a])
		}
	})
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
