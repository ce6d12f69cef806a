package printable

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"tictactoe", "tictactoe"},
		{"Jürgens, 🎲", "Jürgens, 🎲"},
		{"\x1b[2J\aEVIL\n", `\x1b[2J\aEVIL\n`},
		{"a\u202eb\u200bc\u0085", `a\u202eb\u200bc\u0085`},
		{"0123456789", "0123456789"},
		{"0123456789ü", "0123456789ü"},
		{"0123456789üx", "0123456789ü…"},
		{"\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b", strings.Repeat(`\x1b`, 11) + "…"},
	} {
		if got := Text(c.in, 11); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	if got, want := Lines("one\n\ttwo\x1b[31m\r\n"), "one\n\ttwo\\x1b[31m\\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
