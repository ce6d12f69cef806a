package caniwin_test

import (
	"slices"
	"strings"
	"testing"

	"games/caniwin"
	"tengen/game"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, numbers := range []string{
		"1,1", "1,300", "2,3", "2,4", "9,20", "10,11", "10,40", "10,55", "10,56", "20,210", "20,300",
	} {
		g := parse(t, numbers)
		t.Run(numbers, func(t *testing.T) { gametest.Run(t, g) })
	}
}

var parse = gametest.Parser(caniwin.Parse)

// The side that reaches the total wins. If the numbers run out first, the game is a draw.
func TestTheTotal(t *testing.T) {
	for _, c := range []struct {
		numbers, moves string
		want           float32 // for the side to move at the end
	}{
		{"10,11", "1 10", -1}, {"10,11", "10 9", -1}, {"10,1", "10", -1}, {"2,3", "1 2", -1}, {"2,4", "1 2", 0},
		{"1,1", "1", -1}, {"1,2", "1", 0},
	} {
		s := gametest.Replay(t, parse(t, c.numbers), c.moves)
		if z, over := s.Outcome(); !over || z != c.want {
			t.Errorf("caniwin:%s after %s: %v, %t; want %v", c.numbers, c.moves, z, over, c.want)
		}
	}
}

func TestMove(t *testing.T) {
	g := parse(t, "4,7")
	s := gametest.Replay(t, g, "3 1")
	if s.Missing() != 3 || s.Taken() != 0b101 ||
		s.Cell(0) != game.Second || s.Cell(2) != game.First {
		t.Errorf("missing %d, taken %b, cells %v %v",
			s.Missing(), s.Taken(), s.Cell(0), s.Cell(2))
	}
	if got := s.Tally(); got != "4 of 7" {
		t.Errorf("tally %q", got)
	}
	if got := strings.Join(game.MoveList(s, s.Legal(nil)), " "); got != "2 4" {
		t.Errorf("legal moves %q", got)
	}
	planes := make([]float32, game.InputLen(g))
	s.Encode(planes)
	if want := []float32{0, 1, 0, 1 /* left */, 1, 1, 1, 0, 0, 0, 0, 0 /* missing */}; !slices.Equal(planes, want) {
		t.Errorf("planes %v; want %v", planes, want)
	}
}

// The smallest numbers make the longest game.
func TestMaxPlies(t *testing.T) {
	for numbers, want := range map[string]int{"10,11": 5, "10,1": 1, "10,10": 4, "10,55": 10, "10,56": 10, "20,300": 20} {
		if got := parse(t, numbers).MaxPlies(); got != want {
			t.Errorf("caniwin:%s: at most %d plies; want %d", numbers, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for numbers, word := range map[string]string{
		"": "not two numbers", "10": "not two numbers", "10,a": `"a"`, "0,5": "from 1 to 20", "21,5": "from 1 to 20",
		"5,0": "the total is 0", "5,301": "the total is 301",
	} {
		if _, err := caniwin.Parse(numbers); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("caniwin:%s: %v; want an error with %s", numbers, err, word)
		}
	}
}

// Parsed games and moves are formatted so that they parse alike, and parsed moves can be tried.
func FuzzParse(f *testing.F) {
	f.Add("10,11", "3 10")
	f.Add("9,20", "987")
	f.Add("20,300", "20 1")
	f.Fuzz(func(t *testing.T, numbers, text string) { gametest.Reads(t, "caniwin:", caniwin.Parse, numbers, text) })
}
