package predictwinner_test

import (
	"slices"
	"strings"
	"testing"

	"games/predictwinner"
	"tengen/game"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{
		"0", "7", "4,4", "1,5,2", "1,5,233,7", "3,9,1,2", "0,0,0,0,0", "1,2,3,4,5,6,7,8,9,10",
		"10000000,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,10000000",
	} {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) { gametest.Run(t, g) })
	}
}

var parse = gametest.Parser(predictwinner.Parse)

// The higher sum wins, no matter which side took the last number. Equal sums are a draw.
func TestTheHigherSum(t *testing.T) {
	for _, c := range []struct {
		numbers, moves string
		first          int8 // the result in the first player's view
	}{
		{"7", "L", 1}, {"0", "L", 0}, {"4,4", "RL", 0}, {"4,5", "RL", 1}, {"4,5", "LL", -1},
		{"1,5,2", "LLL", -1}, {"1,5,2", "RLL", 1}, {"1,5,233,7", "LRRL", 1},
	} {
		s := gametest.Replay(t, parse(t, c.numbers), c.moves)
		z, over := s.Outcome()
		if got := game.FirstPlayerOutcome(z, s.ToMove()); !over || got != c.first {
			t.Errorf("predictwinner:%s after %s: %d, %t; want %d; %s", c.numbers, c.moves, got, over, c.first, s.Tally())
		}
	}
}

func TestMove(t *testing.T) {
	g := parse(t, "3,9,1,2")
	s := gametest.Replay(t, g, "LR")
	if left, right := s.Row(); left != 1 || right != 3 || s.Lead() != 1 {
		t.Errorf("row %d to %d, lead %d; want 1 to 3, 1", left, right, s.Lead())
	}
	if s.Cell(0) != game.First || s.Cell(3) != game.Second || s.Cell(1) != game.Nobody {
		t.Errorf("cells %v %v %v", s.Cell(0), s.Cell(1), s.Cell(3))
	}
	if got := s.Tally(); got != "first player 3, second player 2" {
		t.Errorf("tally %q", got)
	}
	planes := make([]float32, game.InputLen(g))
	s.Encode(planes)
	want := []float32{0, 1, 1, 0 /* left */, 1, 0, 0, 0 /* own */, 0, 0, 0, 1 /* the opponent's */}
	if !slices.Equal(planes, want) {
		t.Errorf("planes %v; want %v", planes, want)
	}
	if s = s.Play(predictwinner.Left); s.Lead() != -1-9 {
		t.Errorf("lead %d after 9 was taken; want -10", s.Lead())
	}
	if got := s.Legal(nil); !slices.Equal(got, []game.Action{predictwinner.Left}) {
		t.Errorf("the last number may be taken by %v; want L alone", got)
	}
	// Every move but the last is a choice of two.
	if got := game.CountGames(g).Total(); got != 8 {
		t.Errorf("%d games; want 8", got)
	}
}

func TestRefused(t *testing.T) {
	for numbers, word := range map[string]string{
		"": `""`, "-1": "number 1 is -1", "1,10000001": "number 2 is 10000001", "a": `"a"`,
		strings.Repeat("1,", 20) + "1": "21 numbers",
	} {
		if _, err := predictwinner.Parse(numbers); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("predictwinner:%s: %v; want an error with %s", numbers, err, word)
		}
	}
}

// Parsed games and moves are formatted so that they parse alike, and parsed moves can be tried.
func FuzzParse(f *testing.F) {
	f.Add("3,9,1,2", "lrL l")
	f.Add("0", "L")
	f.Fuzz(func(t *testing.T, numbers, text string) {
		gametest.Reads(t, "predictwinner:", predictwinner.Parse, numbers, text)
	})
}
