package forced_test

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

// tactic is a position by hand.
type tactic struct {
	name     string
	position string // rows of x, who is to move, and o, from the top left corner of the board; or moves
	nodes    int
	want     game.Result
	moves    string // what wins in a won position; what is not proven lost in others, "" if that is all
}

// Row 15 is at the top, and column a on the left.
func TestTacticsGomoku(t *testing.T) {
	for numbers, tactics := range map[string][]tactic{
		"15,15,5": {
			{"five", "oxxxx.", 0, game.Win, "f15"},
			{"five on both sides", "/.xxxx.", 0, game.Win, "a14 f14"},
			{"six", ".xx.xxx/", 0, game.Win, "d15"},
			{"five before block", "xxxx./.oooo.", 0, game.Win, "e15"},
			{"open three", "/..xxx..", 0, game.Win, "b14"},
			{"broken three", "/..xx.x..", 0, game.Win, "e14"},
			{"three between walls", "/o.xxx.o", 100, game.Unknown, ""},
			{"three with a wall behind", "/o.xxx..", 0, game.Win, "f14"},
			{"three at the edge", "xxx...", 100, game.Unknown, ""},
			{"two fours in two lines", "oxxx/....x/....x/....x", 0, game.Win, "e15"},
			{"two fours in one line", "/x.xx..x", 0, game.Win, "e14"},
			{"four, then three", "/oxxx/....x/....x", 1, game.Win, "e14"},
			{"four, then three: too few nodes", "/oxxx/....x/....x", 0, game.Unknown, ""},
			{"the reply makes a four", "/oxxx/....xo/....xo/.....o", 1000, game.Unknown, "f14 f10"},
			{"block an open three", "/..ooo..", 100, game.Unknown, "b14 f14"},
			{"block a broken three", "/..oo.o..", 100, game.Unknown, "b14 e14 g14"},
			{"block, or make a four first", "/..ooo../////oxxx..", 100, game.Unknown, "b14 f14 e9 f9"},
			{"block a four", "/xoooo.", 100, game.Unknown, "f14"},
			{"four on both sides", "/..oooo..", 0, game.Loss, ""},
			{"two fours", "/xoooo./xoooo.", 0, game.Loss, ""},
			{"two open threes", "/..ooo../////..ooo..", 100, game.Loss, ""},
			{"two open threes that cross", "/..ooo../..o../..o..", 100, game.Loss, ""},
		},
		"15,15,5,exact": {
			{"five", "oxxxx.", 0, game.Win, "f15"},
			{"six is no win", ".xx.xxx/", 100, game.Unknown, ""},
			{"five, and six beside it", "/.xxxx.x", 0, game.Win, "a14"},
			{"five, and six in another line", ".xxx.xx/....x/....x/....x/....x/....o", 0, game.Win, "e15"},
			{"open three", "/..xxx..", 0, game.Win, "b14"},
			{"open three between stones", "/x..xxx..x", 100, game.Unknown, ""},
			{"a four that only makes six is none", "/oooo.o/..o", 100, game.Unknown, ""},
			{"block a four with a stone beyond", "/.oooo.o", 100, game.Unknown, "a14"},
			{"four on both sides", "/..oooo..", 0, game.Loss, ""},
			{"four between stones", "/o.oooo.o", 100, game.Unknown, ""},
		},
		"15,15,5,caro": {
			{"five at the edge", "xxxx./....o", 0, game.Win, "e15"},
			{"five blocked by a stone and the edge", ".xxxxo", 0, game.Win, "a15"},
			{"five between two stones is no win", "/oxxxx.o", 100, game.Unknown, ""},
			{"six between two stones", "/oxxx.xxo", 0, game.Win, "e14"},
			{"open three", "/...xxx...", 0, game.Win, "c14"},
			{"open three, a wall two cells away", "/o..xxx..o", 100, game.Unknown, ""},
			{"block a four, or wall it in", "/xoooo.", 100, game.Unknown, "f14 g14"},
			{"open four with a wall", "/x.oooo..", 100, game.Unknown, "g14"},
			{"open four", "/...oooo..", 0, game.Loss, ""},
			{"open four between walls", "/x.oooo.x", 100, game.Unknown, "b14 g14"},
		},
	} {
		g := newMNK(t, numbers)
		checkTactics(t, g, drawn(t, g), tactics)
	}
}

// A chain of fours, each with one reply, that ends in an open four: e14 makes the first, which with e12 and e11 makes the
// second possible on e10, and that an open four on d10.
func TestChainOfFours(t *testing.T) {
	g := mnk.Gomoku()
	const chain = "....o/oxxx/..oo/...ox/...ox/.....xx"
	checkTactics(t, g, drawn(t, g), []tactic{
		{"a chain", chain, 100, game.Win, "e14"},
		{"too few nodes", chain, 1, game.Unknown, ""},
		{"a stone of the opponent in the way", "....o/oxxx/..oo/...ox/...ox/.....xxo", 1000, game.Unknown, ""},
	})
	p := forced.New[mnk.State]()
	result, line := p.Prove(drawn(t, g)(chain), 100)
	if got := game.FormatMoves(g.Start(), line); result != game.Win || got != "e14 f14 e10 e13 d10 c10 h10" {
		t.Errorf("proven a %v by %s", result, got)
	}
}

// Positions of Connect Four by their moves; columns are counted from 1.
func TestTacticsConnectFour(t *testing.T) {
	g := connect4.Standard()
	checkTactics(t, g, func(moves string) connect4.State { return gametest.Replay(t, g, moves) }, []tactic{
		{"column", "121212", 0, game.Win, "1"},
		{"row", "112233", 0, game.Win, "4"},
		{"block the row", "1122336", 100, game.Unknown, "4"},
		{"two open ends", "4433", 0, game.Win, "2"},
		{"forestall two open ends", "443", 100, game.Unknown, "2 5"},
		{"not below what completes a row", "11227373", 0, game.Unknown, "1 2 3 5 6 7"},
		{"nothing yet", "44", 100, game.Unknown, ""},
	})
}

// drawn reads rows: x is to move.
func drawn(t *testing.T, g *mnk.Game) func(rows string) mnk.State {
	return func(rows string) mnk.State {
		cells := make([]game.Side, g.Board().Cells())
		for row, text := range strings.Split(rows, "/") {
			for column, c := range text {
				cells[row*g.Board().Columns+column] = map[rune]game.Side{'x': game.First, 'o': game.Second}[c]
			}
		}
		s, err := g.FromStones(cells, game.First, game.None)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func checkTactics[S game.State[S]](t *testing.T, g game.Game[S], read func(string) S, tactics []tactic) {
	t.Helper()
	p := forced.New[S]()
	for _, test := range tactics {
		s := read(test.position)
		found := p.Examine(s, test.nodes)
		var moves []string
		legal := s.Legal(nil)
		for _, a := range legal {
			if test.want == game.Win && found.Moves[a] == game.Win || test.want != game.Win && found.Moves[a] != game.Loss {
				moves = append(moves, g.Start().Format(a))
			}
		}
		if len(moves) == len(legal) {
			moves = nil
		}
		if got := strings.Join(moves, " "); found.Result != test.want || got != test.moves {
			t.Errorf("%s: %s: a %v, moves %q; want a %v, %q", g.Name(), test.name, found.Result, got, test.want, test.moves)
		}
	}
}
