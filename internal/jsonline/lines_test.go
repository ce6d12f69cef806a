package jsonline

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The longest request may have maxLine bytes, whatever ends it, and the lines after one that is too long are read as they are.
func TestLongestLine(t *testing.T) {
	longest := strings.Repeat("x", maxLine)
	for _, end := range []string{"", "\n", "\nnext\n"} {
		r := bufio.NewReader(strings.NewReader(longest + "x\n" + longest + end))
		if text, err := readLine(r); err != ErrLong {
			t.Errorf("a line of %d bytes: %d bytes, error %v", maxLine+1, len(text), err)
		}
		if text, err := readLine(r); err != nil || string(text) != longest {
			t.Errorf("a line of %d bytes before %q: %d bytes, error %v", maxLine, end, len(text), err)
		}
		if end == "\nnext\n" {
			if text, err := readLine(r); err != nil || string(text) != "next" {
				t.Errorf("the next line is %q, error %v", text, err)
			}
		}
		if text, err := readLine(r); err != io.EOF {
			t.Errorf("at the end: %q, error %v", text, err)
		}
	}
}

// Lines end with the input, with the first error but one about a line, when they are no longer wanted, and with the context.
func TestLines(t *testing.T) {
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	silent, _ := io.Pipe()
	long := strings.Repeat("x", maxLine+1)
	for name, c := range map[string]struct {
		ctx  context.Context
		in   io.Reader
		want string
	}{
		"two lines":   {t.Context(), strings.NewReader("a\nb"), "a|b|"},
		"a long line": {t.Context(), strings.NewReader("a\n" + long + "\nb\n"), "a|" + ErrLong.Error() + "|b|"},
		"an error":    {t.Context(), io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), "a|broken|"},
		"cancelled":   {ctx, silent, "context canceled|"},
	} {
		got := ""
		for text, err := range Lines(c.ctx, c.in) {
			if got += string(text); err != nil {
				got += err.Error()
			}
			got += "|"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for text := range Lines(t.Context(), strings.NewReader("a\nb\n")) {
		if string(text) != "a" {
			t.Errorf("after a: %q", text)
		}
		break
	}
}
