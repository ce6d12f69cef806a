package positions

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"tengen/doors/web/answer"
	"tengen/engine"
	"tengen/engine/transcript"
	"tengen/game"
)

const (
	maxText  = 64 << 10 // bytes
	maxLines = 500
	maxSaved = 4 << 20 // bytes, enough for maxLines lines of Limits.Moves moves
)

// body returns the text that a request sends. It may have most bytes.
func body(w http.ResponseWriter, r *http.Request, most int64) (string, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return "", answer.Error{Status: http.StatusMethodNotAllowed, Text: r.Method + " is not allowed for a text: use POST"}
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if errors.As(err, new(*http.MaxBytesError)) {
		const status = http.StatusRequestEntityTooLarge
		return "", answer.Error{Status: status, Text: fmt.Sprintf("the text has more than %d KB", most>>10)}
	} else if err != nil {
		return "", answer.BadRequestf("the text cannot be read: %v", err)
	}
	return string(text), nil
}

func checkLines(n int) error {
	if n > maxLines {
		return answer.BadRequestf("the text has %d lines of play, but at most %d are allowed", n, maxLines)
	}
	return nil
}

// serveRead reads a game that another program or a person wrote.
func (s *Server) serveRead(w http.ResponseWriter, r *http.Request, q answer.Query) error {
	text, err := body(w, r, maxText)
	if err != nil {
		return err
	}
	e, err := gameOf(q)
	if err != nil {
		return err
	}
	g, err := transcript.Read(e, text)
	if err != nil {
		return err
	}
	if err := checkLines(len(g.Lines)); err != nil {
		return err
	}
	lines := make([]string, len(g.Lines))
	for i, p := range g.Lines {
		if err := s.tooLong(p); err != nil {
			return err
		}
		lines[i] = p.Notation()
	}
	var resigned any
	if g.Resigned != game.Nobody {
		resigned = engine.SideName(g.Resigned)
	}
	return answer.JSON(w, r, map[string]any{"game": g.Info().Name, "moves": lines[0], "lines": lines, "resigned": resigned})
}

var noFileName = regexp.MustCompile(`[^\w.-]+`) // on all systems

// serveSGF answers with a game's file. No address could hold all lines of play, so they are sent as a text.
func (s *Server) serveSGF(w http.ResponseWriter, r *http.Request, q answer.Query) error {
	text, err := body(w, r, maxSaved)
	if err != nil {
		return err
	}
	e, err := gameOf(q)
	if err != nil {
		return err
	}
	g := transcript.Game{Game: e, Resigned: engine.ParseSide(q["resigned"])}
	if q.Given("resigned") && g.Resigned == game.Nobody {
		return answer.BadRequestf(`resigned is %q, but must be "first" or "second"`, q["resigned"])
	}
	lines := slices.Collect(strings.Lines(text))
	if err := checkLines(len(lines)); err != nil {
		return err
	}
	for _, moves := range lines {
		p, err := e.Parse(moves)
		if err := cmp.Or(err, s.tooLong(p)); err != nil {
			return err
		}
		g.Lines = append(g.Lines, p)
	}
	file, sgf := transcript.Write(g)
	kind, name := "text/plain; charset=utf-8", noFileName.ReplaceAllString(e.Info().Name, "-")+".txt"
	if sgf {
		kind, name = "application/x-go-sgf", strings.TrimSuffix(name, "txt")+"sgf"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, file)
	return nil
}
