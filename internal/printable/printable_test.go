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
		{strings.Repeat("🎲", 100), strings.Repeat("🎲", 11) + "…"},
		{"\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b\x1b", strings.Repeat(`\x1b`, 11) + "…"},
	} {
		if got := Text(c.in, 11); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"checkpoints/connect4-quick": "checkpoints/connect4-quick", "C:/büro": "C:/büro", "": "''", "a b": "'a b'", "it's": `'it'\''s'`,
		"$HOME": "'$HOME'", "~r": "'~r'", "a*": "'a*'", "a?b": "'a?b'", "`x`": "'`x`'", "\x1b": `'\x1b'`, `a\b`: `'a\b'`,
	} {
		if got := Word(in); got != want {
			t.Errorf("%q becomes %s, want %s", in, got, want)
		}
	}
}
