package engine

import (
	"strings"
	"testing"

	"tengen/game"
)

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
		{"tic-tac-toe", drawn(t, "tictactoe", "b2 a1", false), `
   a  b  c
3  .  .  .
2  .  X  .
1 (O) .  .
   a  b  c
`},
		{"tic-tac-toe, empty", drawn(t, "tictactoe", "", false), `
   a  b  c
3  .  .  .
2  .  .  .
1  .  .  .
   a  b  c
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

// drawn is the board after some moves, below an empty line and without the spaces at the ends of lines. Painted stones have
// the number of their player in front.
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

// parsed is a position of a game.
func parsed(t *testing.T, name, moves string) Position {
	t.Helper()
	e, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Parse(moves)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
