package nim_test

import (
	"strings"
	"testing"

	"games/nim"
	"tengen/game"
	"tengen/game/gametest"
)

func TestConformance(t *testing.T) {
	for _, piles := range []string{
		"1", "12", "1,1", "2,2,2", "3,2,3,2,3", "1,3,5,7", "1,3,5,7,misere", "1,2,3,misere", "12,1,12", "1,1,1,1,1,1,1,1",
		"21,max3", "5,3,5,max2,misere",
	} {
		g := parse(t, piles)
		t.Run(piles, func(t *testing.T) { gametest.Run(t, g) })
	}
}

var parse = gametest.Parser(nim.Parse)

// The side that takes the last thing wins, or loses in misère Nim.
func TestTheLastThing(t *testing.T) {
	for _, c := range []struct {
		piles, moves string
		want         float32 // for the side to move at the end
	}{
		{"1", "1:0", -1}, {"1,misere", "1:0", 1},
		{"1,2", "2:0 1:0", -1}, {"1,2", "2:1 1:0 2:0", -1}, {"1,2,misere", "2:1 1:0 2:0", 1},
	} {
		s := gametest.Replay(t, parse(t, c.piles), c.moves)
		if z, over := s.Outcome(); !over || z != c.want {
			t.Errorf("nim:%s after %s: %v, %t; want %v", c.piles, c.moves, z, over, c.want)
		}
	}
}

// A move names what it leaves, and the planes show what is left.
func TestMove(t *testing.T) {
	g := parse(t, "1,3")
	s := gametest.Replay(t, g, "2:1")
	if got := s.Piles(); got != [nim.MaxPiles]uint8{1, 1} {
		t.Errorf("piles %v", got)
	}
	if got := legal(s); got != "1:0 2:0" {
		t.Errorf("legal moves %q", got)
	}
	planes := make([]float32, game.InputLen(g))
	s.Encode(planes)
	want := []float32{0, 0, 0, 0, 1, 1 /* things */, 0, 0, 0, 0, 1, 1 /* tops */}
	for i := range want {
		if planes[i] != want[i] {
			t.Fatalf("planes %v; want %v", planes, want)
		}
	}
	if target := g.Start().Target(gametest.Moves(t, g, "2:1")[0]); target != game.Onto(3) {
		t.Errorf("the target is %v; want cell 3, the lowest that is taken", target)
	}
}

// A move takes one to three things from the pile of 21.
func TestMost(t *testing.T) {
	g := parse(t, "21,max3")
	if got := legal(g.Start()); got != "1:20 1:19 1:18" {
		t.Errorf("legal moves %q", got)
	}
	if got := legal(gametest.Replay(t, g, "1:18 1:15 1:12 1:9 1:6 1:3 1:2")); got != "1:1 1:0" {
		t.Errorf("legal moves %q at the end", got)
	}
	if got := parse(t, "9,misere,max2").Name(); got != "nim:9,max2,misere" {
		t.Errorf("it is called %s", got)
	}
}

// Equal piles rotate. For 1,1, the numbers of positions by ply are counted by hand: one, two, one.
func TestSymmetriesAndCounts(t *testing.T) {
	for piles, want := range map[string]int{"1,2,3": 1, "2,2": 2, "3,3,3": 3, "2,3,2,3": 4, "1,1,1,1,1,1,1,1": 8} {
		if got := len(parse(t, piles).Symmetries()); got != want {
			t.Errorf("nim:%s has %d symmetries; want %d", piles, got, want)
		}
	}
	var positions []uint64
	for census := range game.CountPositions(t.Context(), parse(t, "1,1"), 2) {
		positions = append(positions, census.Positions)
	}
	if len(positions) != 3 || positions[1] != 2 || positions[2] != 1 {
		t.Errorf("positions by ply %v; want 1, 2, 1", positions)
	}
}

func TestRefused(t *testing.T) {
	for piles, word := range map[string]string{
		"": "not a pile size", "0": "pile 1 has 0", "1,13": "pile 2 has 13", "a": `"a"`, "1,,2": `""`,
		"misere":            "0 piles",
		"1,2,3,4,5,6,7,8,9": "9 piles", "1,misère": `"misère"`, "49": "pile 1 has 49", "3,max0": `"max0"`,
		"3,max3": "below the largest pile", "9,max2,max3": `"max2"`, "9,max": `"max"`, "9,misere,misere": `"misere"`,
	} {
		if _, err := nim.Parse(piles); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("nim:%s: %v; want an error with %s", piles, err, word)
		}
	}
	g := parse(t, "1,3")
	for _, text := range []string{"3:0", "1:3", "0:0", "1", "1:", ":0", "1:-1", "2:1:0"} {
		if moves, _, err := game.ParseMoves(g.Start(), text); err == nil {
			t.Errorf("%q is read as %v", text, moves)
		}
	}
}

// Parsed games and moves are formatted so that they parse alike, and parsed moves can be tried.
func FuzzParse(f *testing.F) {
	f.Add("1,3,5,7", "1:0 2:1 2:0")
	f.Add("2,2,misere", " 2:2\t9:9")
	f.Add("21,misere, max3", "1:18 1:17")
	f.Fuzz(func(t *testing.T, numbers, text string) { gametest.Reads(t, "nim:", nim.Parse, numbers, text) })
}

// legal lists the legal moves.
func legal(s nim.State) string { return strings.Join(game.MoveList(s, s.Legal(nil)), " ") }
