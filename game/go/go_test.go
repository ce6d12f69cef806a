package igo_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	igo "tengen/game/go"
	"tengen/internal/random"
)

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"": "go", "9": "go", "09,7.0": "go", "9x9": "go", "9,6.5": "go:9,6.5", "1": "go:1,0", "4": "go:4,0", "5": "go:5,24",
		"6": "go:6,4", "7": "go:7,9", "8": "go:8,7", "19": "go:19,7", " 9 x 7 , 6.5 ": "go:9x7,6.5", "3x2,0": "go:3x2,0",
	} {
		if got := parse(t, text).Name(); got != want {
			t.Errorf("Parse(%q) is named %q; want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"nine":         `"nine": want SIDE,KOMI or COLUMNSxROWS,KOMI, such as 9x7,6.5, and no more`,
		"9,7,japanese": "areas are counted", "9,7,handicap=2": "there is no handicap", "9,6.7": "want SIDE", "9,-1": "want SIDE", "9,nan": "want SIDE",
		"9x7": `"9x7": name the komi of a board that is no square, such as 9x7,7`, "0": "sides are 1 to 19",
		"20": "20 columns, 20 rows: sides are 1 to 19", "3,9.5": "komi 9.5: it must be 0 to 9, the number of cells",
	} {
		if _, err := igo.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v; want one with %q", text, err, want)
		}
	}
}

func FuzzReads(f *testing.F) {
	f.Add("3x2,0.5", "a1 b2 pass")
	f.Fuzz(func(t *testing.T, name, moves string) { gametest.Reads(t, "go:", igo.Parse, name, moves) })
}

func draw(g *igo.Game, s igo.State) string {
	var b strings.Builder
	for cell := range g.Board().Cells() {
		if cell > 0 && cell%g.Board().Columns == 0 {
			b.WriteByte('/')
		}
		b.WriteByte("o.x"[s.Cell(cell)+1])
	}
	return b.String()
}

const ko = "b3 d4 c4 d2 c2 e3 d3 c3"

// Stones are taken in the middle, at edges and in corners. On 19 columns, rows do not touch at their ends.
func TestBoardByHand(t *testing.T) {
	line := strings.Repeat(".", 19)
	for _, test := range []struct{ name, moves, board string }{
		{"5", "b3 d4 c4 d2 c2 e3 d3", "...../..xo./.x.xo/..xo./....."},
		{"5", ko, "...../..xo./.xo.o/..xo./....."},
		{"5", ko + " a5 a1 d3", "x..../..xo./.x.xo/..xo./o...."},
		{"2", "b2 a2 pass b1", "o./.o"},
		{"3", "a3 a2 b3 b2 pass c3", "..o/oo./..."},
		{"19", "t18 t19 s19 a18", strings.Join([]string{line[2:] + "x.", "o" + line[2:] + "x"}, "/")},
	} {
		g := parse(t, test.name)
		if got := draw(g, gametest.Replay(t, g, test.moves)); !strings.HasPrefix(got, test.board) {
			t.Errorf("%s: after %q the board is %s; want %s", g.Name(), test.moves, got, test.board)
		}
	}
}

func TestIllegalMovePanics(t *testing.T) {
	for _, test := range []struct {
		name, moves string
		a           game.Action
		message     string
	}{
		{"5", "a5", 0, "go:5,24: move a5 is on a taken cell"},
		{"5", ko, 13, "go:5,24: move d3 repeats an earlier position"},
		{"2", "a2 pass b1", 2, "go:2,0: move a1 leaves its stones without a liberty"},
		{"1", "", 0, "go:1,0: move a1 leaves its stones without a liberty"},
		{"2", "", 5, "go:2,0: move #5 is not on the board"},
		{"2", "", game.None, "go:2,0: move #-1 is not on the board"},
		{"2", "pass pass", 4, "go:2,0: move pass comes after the end of the game"},
	} {
		s := gametest.Replay(t, parse(t, test.name), test.moves)
		for range 2 { // before and after Legal
			func() {
				defer func() {
					if got := recover(); got != test.message {
						t.Errorf("%s, after %q: panic %q; want %q", test.name, test.moves, got, test.message)
					}
				}()
				s.Play(test.a)
			}()
			s.Legal(nil)
		}
	}
}

// A game ends after two passes, or at its longest, even if it waits for the second pass. Endings are what may end it.
func TestEnds(t *testing.T) {
	const almost = "b2 pass a2 pass b1 a1 pass a2 b2 pass b1" // 11 plies of 12
	for _, test := range []struct {
		name, moves, endings, tally string
		margin                      float64
		over                        bool
	}{
		{"9", "", "[]", "first player 0, second player 0 + 7", -7, false},
		{"9", "e5 pass", "[81]", "first player 81, second player 0 + 7", 74, false},
		{"9", "e5 pass pass", "[]", "first player 81, second player 0 + 7", 74, true},
		{"1", "pass pass", "[]", "first player 0, second player 0 + 0", 0, true},
		{"5,6.5", "c1 d1 c2 d2 c3 d3 c4 d4 c5 d5 pass pass", "[]", "first player 15, second player 10 + 6.5", -1.5, true},
		{"2", almost, "[0 2 4]", "first player 4, second player 0 + 0", 4, false},
		{"2", almost + " pass", "[]", "first player 4, second player 0 + 0", 4, true},
	} {
		s := gametest.Replay(t, parse(t, test.name), test.moves)
		z, over := s.Outcome()
		want := float32(0)
		if test.over {
			want = float32(cmp.Compare(test.margin, 0)) * float32(s.ToMove())
		}
		if over != test.over || z != want || s.Margin() != test.margin || s.Tally() != test.tally ||
			fmt.Sprint(s.Endings(nil)) != test.endings {
			t.Errorf("%s, after %q: over %t, outcome %v, margin %v, %s, endings %v", test.name, test.moves, over, z, s.Margin(),
				s.Tally(), s.Endings(nil))
		}
	}
}

// A region that stones of both sides touch is nobody's.
func TestOwner(t *testing.T) {
	g := parse(t, "3")
	s := gametest.Replay(t, g, "b1 c1 b2 c2 b3 pass")
	var got []game.Side
	for cell := range 9 {
		got = append(got, s.Owner(cell))
	}
	if want := []game.Side{1, 1, 0, 1, 1, -1, 1, 1, -1}; !slices.Equal(got, want) {
		t.Errorf("owners %v, want %v", got, want)
	}
}

// Playouts keep the eyes of the side to move, and pass when only those are left.
func TestRollout(t *testing.T) {
	for moves, want := range map[string][]game.Action{
		"a2 pass b1":      {0, 1, 2, 4, 5, 8},
		"a2 c3 b1":        {0, 1, 4, 5, 8},
		"a2 c3 b1 pass":   {0, 1, 4, 5, 8},
		"a2 pass b1 pass": {0, 1, 2, 4, 5, 8},
		"a2 pass pass":    nil,
		"b1 pass b2 pass b3 c2 a2 pass c1 pass c3 pass": {9},
	} {
		if got := gametest.Replay(t, parse(t, "3"), moves).Rollout(nil); !slices.Equal(got, want) {
			t.Errorf("after %q: %v, want %v", moves, got, want)
		}
	}
}

func TestEncodeByHand(t *testing.T) {
	g := parse(t, "2")
	for moves, want := range map[string]string{
		"":             "0000 0000 0000 0000 1111",
		"a1":           "0000 0010 0010 0000 0000",
		"a1 b2":        "0010 0100 0100 0000 1111",
		"a1 pass":      "0010 0000 0000 1111 1111",
		"a1 pass pass": "0000 0010 0000 1111 0000",
	} {
		planes, wanted := make([]float32, game.InputLen(g)), strings.ReplaceAll(want, " ", "")
		gametest.Replay(t, g, moves).Encode(planes)
		for i, v := range planes {
			if v != float32(wanted[i]-'0') {
				t.Errorf("after %q: %v, want %s", moves, planes, want)
				break
			}
		}
	}
}

// Keys tell apart what the rules tell apart: the boards before, one pass from two, and nothing else.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		one, other string
		equal      bool
	}{
		{"a1 a2 pass pass", "pass a2 a1 pass", false},
		{"a1 c3 a2 c2", "a2 c3 a1 c2", false},
		{"a1 a2", "a1 a2", true},
		{"a1 pass pass", "a1", false},
	} {
		one, other := gametest.Replay(t, parse(t, "3"), test.one), gametest.Replay(t, parse(t, "3"), test.other)
		if equal := one.Key() == other.Key(); equal != test.equal {
			t.Errorf("after %q and %q the keys are equal: %t", test.one, test.other, equal)
		}
	}
}

// Goroutines share positions, whose legal moves the first that asks finds. The race detector sees the rest.
func TestConcurrentUse(t *testing.T) {
	s, rng := parse(t, "5").Start(), random.New(1, random.Test)
	var wait sync.WaitGroup
	for range 60 {
		legal := make([][]game.Action, 4)
		for i := range legal {
			wait.Go(func() {
				legal[i] = s.Legal(nil)
				s.Key()
				s.Play(legal[i][0]).Legal(nil)
			})
		}
		s.Margin()
		wait.Wait()
		if slices.ContainsFunc(legal, func(l []game.Action) bool { return !slices.Equal(l, legal[0]) }) {
			t.Fatalf("goroutines see the legal moves %v", legal)
		}
		s = s.Play(legal[0][rng.IntN(max(1, len(legal[0])-1))])
	}
}
