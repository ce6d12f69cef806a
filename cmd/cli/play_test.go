package cli

import (
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/selfplay/cluster/clustertest"
)

// A game that ends before its input leaves nothing running.
func TestPlayLeavesTheRestUnread(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	for _, in := range []string{"quit\na1\na2\n", "a1\nb1\nc1\na2\n"} { // given up, and won with a1
		code, out, errOut := cli(t.Context(), strings.NewReader(in), "play", "--against", "human", "--game", "mnk:3,1,1")
		if code != exitOK || errOut != "" {
			t.Errorf("%q: exit status %d\n%s%s", in, code, out, errOut)
		}
	}
}

// An engine that thinks while the person does answers a move, a hint and a move taken back, and ends with the game.
func TestPlayPonders(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	for _, against := range []string{"uct:50", "net:connect4:20", "alphabeta:3", "random"} {
		in := "4\nhint\nundo\n3\n3\n"
		code, out, errOut := cli(t.Context(), strings.NewReader(in), "play", "--against", against, "--game", "connect4", "--ponder")
		silent := errOut == "" || strings.HasPrefix(errOut, "net:connect4 is ") && strings.Count(errOut, "\n") == 1
		if code != exitOK || !silent || strings.Count(out, "X to move: ") != 1 || strings.Count(out, "O plays ") != 3 {
			t.Errorf("%s: exit status %d\n%s%s", against, code, out, errOut)
		}
	}
}

// An input that cannot be read is an error, not the wish to leave.
func TestPlayReportsUnreadableInput(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	in := io.MultiReader(strings.NewReader("a1\n"), failingReader{})
	code, out, errOut := cli(t.Context(), in, "play", "--against", "human", "--game", "tictactoe")
	if code != exitError || errOut != "tengen: cannot read a move: unexpected EOF\n" {
		t.Errorf("exit status %d\n%s%s", code, out, errOut)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// undo goes back to a turn of the person, whoever began.
func TestUndo(t *testing.T) {
	for _, c := range []struct {
		against, first, in string
		stones             int // left on the board
	}{
		{"human", "human", "1\n2\n", 2},
		{"human", "human", "1\n2\nundo\n", 1},
		{"human", "human", "1\n2\nundo\nundo\nundo\n", 0},
		{"uct:10", "human", "1\n", 2},
		{"uct:10", "human", "1\nundo\n", 0},
		{"uct:10", "human", "1\nundo\nundo\n", 0},
		{"uct:10", "engine", "", 1},
		{"uct:10", "engine", "undo\n", 1},
		{"uct:10", "engine", "1\n", 3},
		{"uct:10", "engine", "1\n2\nundo\nundo\nundo\n", 1},
	} {
		code, out, errOut := cli(t.Context(), strings.NewReader(c.in), "play", "--against", c.against, "--first", c.first, "--game", "connect4")
		boards := strings.Split(out, "1  2  3  4  5  6  7")
		last := boards[len(boards)-2]
		if got := strings.Count(last, "X") + strings.Count(last, "O"); code != exitOK || got != c.stones {
			t.Errorf("%s first, %q: exit status %d, %d stones on the board, want %d\n%s%s", c.first, c.in, code, got, c.stones, out, errOut)
		}
	}
}
