package files

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Lines end with the input, with the first error, when they are no longer wanted, and with the context.
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
		"a mark":      {t.Context(), iotest.OneByteReader(strings.NewReader("\ufeffa\n\nb")), "a||b|"},
		"a long line": {t.Context(), strings.NewReader("a\n" + long + "\nb\n"), "a|it has 1048576 bytes or more|"},
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
