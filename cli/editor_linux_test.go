package cli

import (
	"io"
	"strings"
	"testing"
)

// A person in a terminal can edit a move, take an earlier one from the history, and leave with Ctrl-C.
func TestPlayInATerminal(t *testing.T) {
	person, program := terminals(t)
	const left, backspace, up, ctrlC = "\x1b[D", "\x7f", "\x1b[A", "\x03"
	keys := []string{"9" + backspace + "4\r", "5" + left + "\r", up + up + "\r", ctrlC}
	screen := make(chan string, 1)
	go func() {
		shown, part := "", make([]byte, 4096)
		for {
			n, err := person.Read(part)
			if err != nil { // the program's end is closed
				screen <- shown
				return
			}
			shown += string(part[:n])
			if len(keys) > 0 && strings.Count(shown, "to move> ") > 4-len(keys) {
				io.WriteString(person, keys[0])
				keys = keys[1:]
			}
		}
	}()
	code := execute(t.Context(), []string{"play", "--against", "human", "--game", "connect4"}, program, program, program)
	program.Close()
	shown := <-screen
	boards := strings.Split(shown, "1  2  3  4  5  6  7")
	if last := boards[max(0, len(boards)-2)]; code != exitOK || strings.Count(last, "X") != 2 || strings.Count(last, "O") != 1 {
		t.Errorf("exit status %d, the last board is\n%s", code, last)
	}
}
