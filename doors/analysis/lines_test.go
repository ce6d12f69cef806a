package analysis

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// The longest request may have maxLine bytes, whatever ends it, and the lines after one that is too long are read as they are.
func TestLongestLine(t *testing.T) {
	longest := strings.Repeat("x", maxLine)
	for _, end := range []string{"", "\n", "\nnext\n"} {
		r := bufio.NewReader(strings.NewReader(longest + "x\n" + longest + end))
		if l := readLine(r); l.err != errLong {
			t.Errorf("a line of %d bytes: %d bytes, error %v", maxLine+1, len(l.text), l.err)
		}
		if l := readLine(r); l.err != nil || string(l.text) != longest {
			t.Errorf("a line of %d bytes before %q: %d bytes, error %v", maxLine, end, len(l.text), l.err)
		}
		if end == "\nnext\n" {
			if l := readLine(r); l.err != nil || string(l.text) != "next" {
				t.Errorf("the next line is %q, error %v", l.text, l.err)
			}
		}
		if l := readLine(r); l.err != io.EOF {
			t.Errorf("at the end: %q, error %v", l.text, l.err)
		}
	}
}

// An answer that another goroutine has ready does not get between the one to quit and the end.
func TestNothingIsSentAfterQuit(t *testing.T) {
	var out strings.Builder
	a := &answers{ctx: t.Context(), out: &out}
	ended := false
	a.end = func(cause error) {
		if ended = true; cause != errQuit || a.mu.TryLock() {
			t.Errorf("ended with %v, while others may send: %v", cause, cause == errQuit)
		}
	}
	for _, action := range []string{Terminate, TerminateAll, Quit} {
		if a.send(Done{ID: "a", Action: action}); ended != (action == Quit) {
			t.Errorf("ended is %v after %s", ended, action)
		}
	}
}
