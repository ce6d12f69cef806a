package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

func TestNotation(t *testing.T) {
	for _, c := range []struct{ game, text, want, err string }{
		{"gomoku", "h8,I9", "h8 i9", ""},
		{"gomoku", "8,8", "", `move 1, "8", is not legal here`},
		{"connect4", "4,3", "43", ""},
		{"connect4", "4,9", "", `move 2, "9", is not legal here: legal are 1, 2,`},
		{"connect4:11,5,4", "4,3", "4 3", ""},
		{"connect4:11,5,4", "4 12 3", "", `move 2, "12", is not legal here`},
		{"othello", "d3c5c1b1", "", `move 3, "c1", is not legal here: legal are b6,`},
		{"othello:6", "e4c5b6c6b5a4b2a6c2", "e4 c5 b6 c6 b5 a4 b2 a6 pass c2", ""}, // a pass that is left out
		{"othello:6", "e4c5b6c6b5a4b2a6", "e4 c5 b6 c6 b5 a4 b2 a6", ""},
		{"othello:6", "e4c5b6c6b5a4b2a6pac2", "e4 c5 b6 c6 b5 a4 b2 a6 pass c2", ""},
		{"othello:6", "e4c5b6c6b5a4b2a6 -- c2", "e4 c5 b6 c6 b5 a4 b2 a6 pass c2", ""},
		{"othello:6", "e4c5b6c6b5a4b2a6c2 pass", "", `move 11, "pass", is not legal here`},
	} {
		e := open(t, c.game)
		p, err := e.Parse(c.text)
		if c.err != "" {
			wantError(t, err, c.err, true)
		} else if got := e.Format(p.Moves...); err != nil || got != c.want {
			t.Errorf("%s, %s: %q, %v; want %q", c.game, c.text, got, err, c.want)
		}
	}
}

func TestDrawBoard(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"connect4", drawn(t, "connect4", "44353", false), `
 1  2  3  4  5  6  7
 .  .  .  .  .  .  .
 .  .  .  .  .  .  .
 .  .  .  .  .  .  .
 .  .  .  .  .  .  .
 .  . (X) O  .  .  .
 .  .  X  X  O  .  .
 1  2  3  4  5  6  7
`},
		{"tic-tac-toe, painted", drawn(t, "tictactoe", "b2 a1", true), `
   a  b  c
3  .  .  .
2  . 1 X  .
1 2(O) .  .
   a  b  c
`},
		{"ten rows", drawn(t, "mnk:3,10,3", "a1 c10", false), `
    a  b  c
10  .  . (O)
9   .  .  .
8   .  .  .
7   .  .  .
6   .  .  .
5   .  .  .
4   .  .  .
3   .  .  .
2   .  .  .
1   X  .  .
    a  b  c
`},
		{"eleven columns", drawn(t, "connect4:11,2,3", "1 11", false), `
 1  2  3  4  5  6  7  8  9 10 11
 .  .  .  .  .  .  .  .  .  .  .
 X  .  .  .  .  .  .  .  .  . (O)
 1  2  3  4  5  6  7  8  9 10 11
`},
	} {
		if c.got != c.want {
			t.Errorf("%s:%s\nwant%s", c.name, c.got, c.want)
		}
	}
}

// Columns are as wide as the longest text, in characters.
func TestDrawTexts(t *testing.T) {
	p := Position{
		Cells: []game.Side{game.First, game.Nobody, game.Second, game.Nobody},
		Texts: []string{"ké", "⚑", "q", ""}, Last: game.Onto(1),
		info: &Info{Size: game.Size{Rows: 2, Columns: 2}, Columns: []string{"a", "b"}, Rows: []string{"é", "10"}},
	}
	const want = `
     a   b
é   KÉ  (⚑)
10   q   .
     a   b
`
	if got := "\n" + p.String(); got != want {
		t.Errorf("%s\nwant%s", got, want)
	}
}

// drawn returns a line feed and the board, without spaces at the ends of lines. Painted stones follow the number of their
// player.
func drawn(t *testing.T, name, moves string, painted bool) string {
	t.Helper()
	p := parsed(t, name, moves)
	text := p.String()
	if painted {
		text = p.Draw(func(side game.Side, sign string) string {
			return map[game.Side]string{game.First: "1", game.Second: "2"}[side] + sign
		})
	}
	trimmed := "\n"
	for line := range strings.Lines(text) {
		trimmed += strings.TrimRight(line, " \n") + "\n"
	}
	return trimmed
}

func parsed(t *testing.T, name, moves string) Position {
	t.Helper()
	p, err := open(t, name).Parse(moves)
	noError(t, err)
	return p
}

// heap is a position without a board: the sides take one or two stones from a heap.
type heap struct{ left, ply int }

func (h heap) Legal(dst []game.Action) []game.Action {
	for n := range min(2, h.left) {
		dst = append(dst, game.Action(n))
	}
	return dst
}
func (h heap) Play(a game.Action) heap     { return heap{h.left - int(a) - 1, h.ply + 1} }
func (h heap) Outcome() (float32, bool)    { return -1, h.left == 0 }
func (h heap) ToMove() game.Side           { return game.Mover(h.ply) }
func (h heap) Encode([]float32)            {}
func (h heap) Key() game.Key               { return game.Key{uint64(h.left), uint64(h.ply)} }
func (h heap) Last() game.Action           { return game.None }
func (h heap) Ply() int                    { return h.ply }
func (h heap) Format(a game.Action) string { return fmt.Sprint(1 + a) }
func (h heap) String() string              { return fmt.Sprint(h.left, " left") }

// heaps is the part of their game that positions need.
type heaps struct{ game.Game[heap] }

func (heaps) Name() string                     { return "heap" }
func (heaps) Start() heap                      { return heap{left: 3} }
func (heaps) Actions() int                     { return 2 }
func (heaps) MaxPlies() int                    { return 3 }
func (heaps) Board() game.Size                 { return game.Size{Rows: 1, Columns: 3} }
func (heaps) Labels() (columns, rows []string) { return nil, nil }

func TestPositionWithoutABoard(t *testing.T) {
	e := Typed[heap]{Rules: heaps{}}
	if size := e.Info().Size; size != (game.Size{}) {
		t.Errorf("the board is %v", size)
	}
	p, err := e.Replay([]game.Action{1})
	noError(t, err)
	if p.Cells != nil || p.Last != game.Onto(-1) || p.String() != "1 left\n" {
		t.Errorf("cells %v, last %v, drawn as %q", p.Cells, p.Last, p)
	}
	if p, err = p.Play(0); err != nil || !p.Over || p.Outcome != -1 || p.Winner() != "second" {
		t.Errorf("%+v, %v", p, err)
	}
	if p.Target(0) != game.Onto(-1) || p.Estimate() != 0 || p.WonBy() != nil {
		t.Errorf("target %v, estimate %d, won by %v", p.Target(0), p.Estimate(), p.WonBy())
	}
	_, err = e.SetUp(nil, game.First, game.None)
	wantError(t, err, "positions of heap cannot be set up", true)
}

func TestPosition(t *testing.T) {
	p := parsed(t, "tictactoe", "a1 b2 c1 a2 b1")
	if !p.Over || p.Outcome != 1 || p.Winner() != "first" || len(p.Legal) != 0 || p.ToMove != game.Second || p.Last != game.Onto(7) || p.SetUp {
		t.Errorf("a won game: %+v", p)
	}
	p = parsed(t, "connect4", "44")
	if p.Over || p.Outcome != 0 || len(p.Legal) != 7 || p.ToMove != game.First || p.Last != game.Onto(4*7+3) || p.Cells[p.Last.To] != game.Second {
		t.Errorf("the fourth column twice: %+v", p)
	}
}

func TestInvalidMovesAndNames(t *testing.T) {
	e := open(t, "connect4:3,2,2")
	start, passed := e.Start(), parsed(t, "othello:6", "e4 c5 b6 c6 b5 a4 b2 a6")
	for want, ask := range map[string]func() error{
		`move 2, "4"`: func() error { _, err := e.Parse("14"); return err },
		`move 3, "1", is not legal here: legal are 2, 3`: func() error { _, err := e.Parse("111"); return err },
		"move 4 (#2) comes after the end":                func() error { _, err := e.Replay([]game.Action{0, 2, 1, 2}); return err },
		"move 1 (#7) is illegal":                         func() error { _, err := e.Replay([]game.Action{7}); return err },
		"#3 is not legal here":                           func() error { _, err := start.Play(3); return err },
		"#-1 is not legal here":                          func() error { _, err := start.Play(game.None); return err },
		`move 1, "x"`:                                    func() error { _, err := start.ParseMove("x"); return err },
		`"12" is 2 moves: write one`:                     func() error { _, err := start.ParseMove("12"); return err },
		`"c2" is 2 moves: write one`:                     func() error { _, err := passed.ParseMove("c2"); return err },
		`"" is 0 moves: write one`:                       func() error { _, err := start.ParseMove(""); return err },
		`move 1, "1", is not legal here`:                 func() error { _, err := parsed(t, "connect4:3,2,2", "11").ParseMove("1"); return err },
		`move 1, "3", comes after the end`:               func() error { _, err := parsed(t, "connect4:3,2,2", "132").ParseMove("3"); return err },
		`game "connect5" is unknown: write`:              func() error { _, err := Open("connect5"); return err },
		`game "" is unknown: write connect4`:             func() error { _, err := Open(""); return err },
		`game "gomoku:": nothing follows`:                func() error { _, err := Open("gomoku:"); return err },
		`game "tictactoe:3": "3": this board`:            func() error { _, err := Open("tictactoe:3"); return err },
		`game "connect4:9,9,4":`:                         func() error { _, err := Open("connect4:9,9,4"); return err },
		`game "mnk:3,3": `:                               func() error { _, err := Open("mnk:3,3"); return err },
		`game "mnk:0x3,3,3": `:                           func() error { _, err := Open("mnk:0x3,3,3"); return err },
	} {
		wantError(t, ask(), want, true)
	}
}

// An error repeats little of a long name.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 900_000), "mnk:" + strings.Repeat("3,", 100_000), "othello:" + strings.Repeat("8", 100_000)} {
		_, err := Open(name)
		if err == nil || len(err.Error()) > 600 {
			t.Errorf("%.20s... gives an error of %d bytes", name, len(err.Error()))
		}
	}
}

// Positions set up and those after them are marked as such.
func TestSetUp(t *testing.T) {
	tictactoe, connect4 := open(t, "tictactoe"), open(t, "connect4:3,2,3")
	x, o, n := game.First, game.Second, game.Nobody
	free := []game.Side{x, x, n, n, o, n, n, n, x}
	p, err := tictactoe.SetUp(free, o, 8)
	noError(t, err)
	if !slices.Equal(p.Cells, free) || p.ToMove != o || p.Last != game.Onto(-1) || len(p.Legal) != 5 || len(p.Moves) != 0 || p.Name() != "set up" {
		t.Errorf("%+v", p)
	}
	free[0] = n // of the caller, who may change it
	if p.Cells[0] != x {
		t.Error("the position shares the caller's cells")
	}
	next, err := p.Play(2)
	if err != nil || !next.SetUp || next.Name() != "set up c3" || next.ToMove != x {
		t.Errorf("%+v, %v", next, err)
	}
	if p, err = connect4.SetUp([]game.Side{n, n, o, x, o, x}, x, game.None); err != nil || p.Last != game.Onto(-1) || len(p.Legal) != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, c := range []struct {
		e      Game
		cells  []game.Side
		toMove game.Side
		last   game.Action
		want   string
	}{
		{tictactoe, []game.Side{x}, o, game.None, "stones for 1 cells; the board of 3 columns, 3 rows has 9"},
		{tictactoe, []game.Side{x, n, n, n, n, n, n, n, n}, o, 1, "last move #1: there is no stone"},
		{connect4, []game.Side{n, n, n, x, o, n}, o, game.None, "the sides must have moved in turn"},
	} {
		_, err := c.e.SetUp(c.cells, c.toMove, c.last)
		wantError(t, err, c.want, true)
	}
}

// A board is read row by row, with the side to move after it, as tengen, servers and collections of endgames write it.
// Errors say what is wrong.
func TestParseBoard(t *testing.T) {
	const discs, side = "---------------------------O*------XO---------------------------", "cells, but does not say whose turn it is: write X or O after them"
	for _, c := range []struct{ game, text, legal, err string }{
		{"othello", discs + " X", "d3 c4 f5 e6", ""},
		{"othello", "(" + discs + ")o", "e3 f4 c5 d6", ""},
		{"othello:4", "..../.XO./.OX./.... X", "c1 d2 a3 b4", ""},
		{"othello:4", "XXXX/XXXX/XXXX/OOOO O", "", ""},
		{"breakthrough:3,5", "OO. ... .x. ... ..X *", "b3a4 b3b4 b3c4 c1b2 c1c2", ""},
		{"tictactoe", "X.O......", "b3 a2 b2 c2 a1 b1 c1", ""},
		{"tictactoe", "X.X/.../... X", "b3 a2 b2 c2 a1 b1 c1", ""},
		{"othello", discs, "", side},
		{"breakthrough:3,5", "OO. ... .x. ... ..X", "", side},
		{"tictactoe", "X.X......", "", side},
		{"othello:4", ".....XO..O...... X", "", "the board cannot arise: position of othello:4: c3 is empty, but the four cells"},
		{"othello", discs[1:] + " X", "", "the board has 64 cells, but does not say whose turn it is"},
		{"othello", discs[3:] + " X", "", "row 1 of 1, \"------------------------O*------XO---------------------------X\", has 62 cells: the board has 8 columns, 8 rows"},
		{"go:5", discs, "", "positions of go:5,24 cannot be set up: give the moves that lead there"},
		{"othello", "--", "", `move 1, "--", is not legal here`},
	} {
		p, err := parsePosition(open(t, c.game), c.text)
		var legal []string
		for _, a := range p.Legal {
			legal = append(legal, p.Format(a))
		}
		if c.err != "" {
			wantError(t, err, c.err, true)
		} else if got := strings.Join(legal, " "); err != nil || got != c.legal || !p.SetUp {
			t.Errorf("%s, %s: legal are %s, %v; want %s", c.game, c.text, got, err, c.legal)
		}
	}
}

// Positions do not share memory that Play or the caller changes.
func TestPositionsAreApart(t *testing.T) {
	e := open(t, "tictactoe")
	moves := append(make([]game.Action, 0, 8), 0, 1)
	p, err := e.Replay(moves)
	noError(t, err)
	moves[0] = 8
	left, _ := p.Play(2)
	right, _ := p.Play(3)
	for want, p := range map[string]Position{"a3 b3": p, "a3 b3 c3": left, "a3 b3 a2": right} {
		if got := e.Format(p.Moves...); got != want {
			t.Errorf("moves %s, want %s", got, want)
		}
	}
}

func TestPositionOfAnotherGame(t *testing.T) {
	for _, p := range []Position{parsed(t, "gomoku", ""), parsed(t, "connect4", ""), {Legal: []game.Action{0}}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "a position of another game, not of tictactoe") {
					t.Errorf("panic %v", r)
				}
			}()
			open(t, "tictactoe").(Typed[mnk.State]).state(p)
			t.Error("a position of another game is accepted")
		}()
	}
}

func TestChanged(t *testing.T) {
	const n, x, o = game.Nobody, game.First, game.Second
	before := []game.Side{x, o, o, n, o, n}
	for _, test := range []struct {
		after []game.Side
		move  game.Target
		want  []int
	}{
		{[]game.Side{x, o, o, x, o, n}, game.Onto(3), nil},
		{[]game.Side{x, x, x, x, o, n}, game.Onto(3), []int{1, 2}},             // turned
		{[]game.Side{n, n, o, x, o, n}, game.Target{From: 0, To: 3}, []int{1}}, // taken from a cell on the way
		{[]game.Side{n, x, o, n, o, n}, game.Target{From: 0, To: 1}, []int{1}}, // taken where the piece arrives
		{[]game.Side{x, o, o, n, o, n}, game.Target{From: -1, To: -1}, nil},    // a pass
		{[]game.Side{n, o, o, x, n, n}, game.Target{From: 0, To: 3}, []int{4}},
	} {
		if got := changed(before, test.after, test.move); !slices.Equal(got, test.want) {
			t.Errorf("after %v to %v: changed %v; want %v", test.move, test.after, got, test.want)
		}
	}
}

// After a pass, the marks are those of the move before it.
func TestPassLeavesMarks(t *testing.T) {
	before := parsed(t, "othello:6", "e4 c5 b6 c6 b5 a4 b2 a6")
	p, err := before.Follow("pass")
	noError(t, err)
	if p.Last != before.Last || !slices.Equal(p.Changed, before.Changed) || len(p.Changed) == 0 {
		t.Errorf("the last move is %v, it changed %v; before the pass %v and %v", p.Last, p.Changed, before.Last, before.Changed)
	}
	if whole := parsed(t, "othello:6", p.Notation()); whole.Last != p.Last || whole.String() != p.String() {
		t.Errorf("played at once, it is\n%s, else\n%s", whole, p)
	}
}

// Go says why free cells may not get a stone, and at the end whom they count for.
func TestRefusalsAndOwners(t *testing.T) {
	e := open(t, "go:5,0")
	rng, suicides, repeats := rand.New(rand.NewPCG(1, 2)), 0, 0
	for range 80 {
		p := e.Start()
		for !p.Over {
			refusals := p.Refusals()
			for cell, side := range p.Cells {
				legal := slices.ContainsFunc(p.Legal, func(a game.Action) bool { return p.Target(a) == game.Onto(cell) })
				if why := refusals[cell]; (why == "") != (legal || side != game.Nobody) {
					t.Fatalf("%s, cell %d: legal %t, refused because it %q", p.Notation(), cell, legal, why)
				} else if why == "repeats an earlier position" {
					repeats++
				} else if why == "leaves its stones without a liberty" {
					suicides++
				}
			}
			if p.Owners() != nil {
				t.Fatalf("%s has owners", p.Notation())
			}
			p, _ = p.Play(p.Legal[rng.IntN(len(p.Legal))])
		}
		sum := 0.0
		for _, side := range p.Owners() {
			sum += float64(side)
		}
		if margin, _ := p.Margin(); margin != sum || len(p.Refusals()) > 0 {
			t.Errorf("%s: a margin of %v, but the owners give %v; refusals %v", p.Notation(), margin, sum, p.Refusals())
		}
	}
	if suicides < 99 || repeats < 9 {
		t.Errorf("%d refusals are suicides, %d repetitions", suicides, repeats)
	}
	if othello := parsed(t, "othello:4", ""); len(othello.Refusals()) > 0 || othello.Owners() != nil {
		t.Error("Othello has refusals or owners")
	}
	if text := parsed(t, "go:2,1", "a1 pass").String(); !strings.HasSuffix(text, "\nX 4, O 0 + 1\n") {
		t.Errorf("the tally is missing in\n%s", text)
	}
}
