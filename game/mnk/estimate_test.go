package mnk_test

import (
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/gametest"
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
		if got := gametest.Replay(t, g, test.moves).Estimate(); got != test.want {
			t.Errorf("%q: estimate %d; want %d", test.moves, got, test.want)
		}
	}
}

// The estimate is what a plain loop over the lines counts. Images have the same.
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
		for range rapid.IntRange(0, columns*rows).Draw(t, "plies") {
			a := rapid.SampledFrom(s.Legal(nil)).Draw(t, "move")
			next := s.Play(a)
			if _, over := next.Outcome(); over {
				break
			}
			s, image = next, image.Play(symmetry[a])
		}
		if got, want := s.Estimate(), gametest.LineEstimate(s); got != want {
			t.Fatalf("%s, %x: estimate %d; want %d", g.Name(), s.Key(), got, want)
		}
		if got, want := image.Estimate(), s.Estimate(); got != want {
			t.Fatalf("the image has estimate %d; want %d", got, want)
		}
	})
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
