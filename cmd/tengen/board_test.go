package main

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

func TestDrawBoard(t *testing.T) {
	high, err := mnk.Parse("3,10,3")
	if err != nil {
		t.Fatal(err)
	}
	wide, err := connect4.Parse("11,2,3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"connect4", drawn(t, connect4.Standard(), "44353", false), `
 1  2  3  4  5  6  7
 .  .  .  .  .  .  .
 .  .  .  .  .  .  .
 .  .  .  .  .  .  .
 .  .  .  .  .  .  .
 .  . (X) O  .  .  .
 .  .  X  X  O  .  .
 1  2  3  4  5  6  7
`},
		{"tic-tac-toe", drawn(t, mnk.TicTacToe(), "b2 a1", false), `
   a  b  c
3  .  .  .
2  .  X  .
1 (O) .  .
   a  b  c
`},
		{"tic-tac-toe, empty", drawn(t, mnk.TicTacToe(), "", false), `
   a  b  c
3  .  .  .
2  .  .  .
1  .  .  .
   a  b  c
`},
		{"tic-tac-toe in colour", drawn(t, mnk.TicTacToe(), "b2 a1", true), strings.NewReplacer("<X", "\x1b[1;33m", "<O", "\x1b[1;36m", ">", "\x1b[0m").Replace(`
   a  b  c
3  .  .  .
2  . <X X > .
1 <O(O)> .  .
   a  b  c
`)},
		{"ten rows", drawn(t, high, "a1 c10", false), `
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
		{"eleven columns", drawn(t, wide, "1 11", false), `
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

// wordy is a position without cells to show.
type wordy struct{ game.State[wordy] }

func (wordy) String() string { return "heaps of 2, 3 and 3" }

func TestDrawWithoutBoard(t *testing.T) {
	var b strings.Builder
	drawBoard[wordy](&b, nil, wordy{}, false)
	if got, want := b.String(), "heaps of 2, 3 and 3\n"; got != want {
		t.Errorf("drawn as %q; want %q", got, want)
	}
}

// drawn is the board after some moves, below an empty line and without the spaces at the ends of lines.
func drawn[S game.State[S]](t *testing.T, g game.Game[S], moves string, colour bool) string {
	t.Helper()
	_, s, err := bound[S]{game: g}.parsePosition(moves)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	drawBoard(&b, g, s, colour)
	text := "\n"
	for line := range strings.Lines(b.String()) {
		text += strings.TrimRight(line, " \n") + "\n"
	}
	return text
}
