// Package printable makes text that others chose safe to show: a worker's name, the game of a model's file, a folder.
package printable

import (
	"strconv"
	"strings"
	"unicode"
)

// Text returns s with control characters, directional marks and other invisible runes escaped as in Go, such as \x1b for
// the one that begins a terminal's commands. It keeps at most the first most runes and marks the cut with "…".
func Text(s string, most int) string {
	cut := false
	if len(s) > most {
		if r := []rune(s[:min(len(s), most*4)]); len(r) > most {
			s, cut = string(r[:most]), true
		}
	}
	s = escape(s, "")
	if cut {
		s += "…"
	}
	return s
}

// Lines is like Text for a text of several lines, such as joined errors: it keeps line breaks and tabs.
func Lines(s string) string { return escape(s, "\n\t") }

// escape escapes the runes that do not print, except those of keep.
func escape(s, keep string) string {
	shown := func(r rune) bool { return unicode.IsPrint(r) || strings.ContainsRune(keep, r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return !shown(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if shown(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}
