// Package printable makes text for people. It formats counts and durations, and makes text that others chose safe to
// show: a worker's name, the game of a model's file, a folder.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Text returns s with control characters, directional marks and other invisible runes escaped as in Go, such as \x1b
// for the one that begins a terminal's commands. It keeps at most the first limit runes and marks the cut with "…".
func Text(s string, limit int) string {
	cut := false
	if len(s) > limit {
		if r := []rune(s[:min(len(s), (limit+1)*utf8.UTFMax)]); len(r) > limit {
			s, cut = string(r[:limit]), true
		}
	}
	s = escape(s)
	if cut {
		s += "…"
	}
	return s
}

// Word returns s as one word of a command line, such as a path in a command that tengen suggests: printable, and in
// quotes if a POSIX shell would split or expand it.
func Word(s string) string {
	s = escape(s)
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./:=,@%+-", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// escape escapes the runes that do not print.
func escape(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// Elapsed formats a duration as 1:02:03 or 2:03.
func Elapsed(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Plural formats a count: "1 game", "2 games".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
