package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminals returns the two ends of a pseudo-terminal: the person's, and the program's.
func terminals(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

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
