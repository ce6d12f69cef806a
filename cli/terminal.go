package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"tengen/engine"
	"tengen/game"
)

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns the number of terminal columns, or 80 if it is unknown.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns >= 20 {
			return columns
		}
	}
	return 80
}

// useColour reports whether to colour output: on a terminal, unless NO_COLOR is set (no-color.org).
func useColour(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// statusLine is a terminal's last line, which Set overwrites. It writes nothing unless the output is a terminal. It is
// safe for concurrent use.
type statusLine struct {
	mu   sync.Mutex
	w    io.Writer // nil when there is no terminal
	last time.Time
}

// statusInterval is the least time between two writes, so that a slow terminal does not delay fast work.
const statusInterval = 100 * time.Millisecond

func newStatusLine(w io.Writer) *statusLine {
	if !isTerminal(w) || os.Getenv("TERM") == "dumb" {
		return &statusLine{}
	}
	return &statusLine{w: w}
}

// Set replaces the line, cut to the terminal's width.
func (l *statusLine) Set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil || time.Since(l.last) < statusInterval {
		return
	}
	if runes, limit := []rune(text), width(l.w)-1; len(runes) > limit {
		text = string(runes[:limit])
	}
	fmt.Fprintf(l.w, "\r%s\x1b[K", text)
	l.last = time.Now()
}

// Hurry lets the next Set write at once.
func (l *statusLine) Hurry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Time{}
}

// Clear removes the line before other output, and the ^C that a terminal shows for Ctrl-C.
func (l *statusLine) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w != nil {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}

func drawBoard(p engine.Position, colour bool) string {
	if !colour {
		return p.String()
	}
	return p.Draw(func(side game.Side, sign string) string {
		code := "1;36"
		if side == game.First {
			code = "1;33"
		}
		if strings.HasPrefix(sign, "(") { // the last move
			code += ";7"
		}
		return fmt.Sprintf("\x1b[%sm%s\x1b[0m", code, sign)
	})
}
