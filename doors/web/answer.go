package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"tengen/engine"
	"tengen/game"
)

type statusError struct {
	status int
	text   string
}

// Error returns the text for the client.
func (e statusError) Error() string { return e.text }

var errNoAddress = statusError{http.StatusNotFound, "there is no such address: docs/interfaces/http.md lists them"}

func badRequestf(format string, a ...any) error {
	return statusError{http.StatusBadRequest, fmt.Sprintf(format, a...)}
}

// handlerFunc is like http.HandlerFunc, and its error is the answer.
type handlerFunc func(http.ResponseWriter, *http.Request) error

// ServeHTTP implements http.Handler.
func (handle handlerFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := handle(w, r); err != nil {
		fail(w, err)
	}
}

func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if known := (statusError{}); errors.As(err, &known) {
		status = known.status
	} else if errors.As(err, new(engine.InputError)) {
		status = http.StatusBadRequest
	}
	switch status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "2")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		if w.Header().Get("Allow") == "" {
			w.Header().Set("Allow", "GET, HEAD")
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) // the client may have gone
}

func writeJSON(w http.ResponseWriter, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(text, '\n'))
	return nil
}

type query map[string]string

// parseQuery reads a request's parameters, each given at most once.
func parseQuery(r *http.Request, allowed ...string) (query, error) {
	if err := r.ParseForm(); err != nil {
		return nil, badRequestf("the parameters cannot be read: %v", err)
	}
	q := query{}
	for name, values := range r.Form {
		switch {
		case !slices.Contains(allowed, name):
			return nil, badRequestf("unknown parameter %q", name)
		case len(values) > 1:
			return nil, badRequestf("%s is given %d times", name, len(values))
		}
		q[name] = values[0]
	}
	return q, nil
}

// number reads a whole number from low to high. Without one, it returns fallback.
func (q query) number(name string, fallback, low, high int) (int, error) {
	text, given := q[name]
	if !given || text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, badRequestf("%s is %q, but must be %d to %d", name, text, low, high)
	}
	return n, nil
}

func (q query) given(name string) bool { return q[name] != "" }

func (q query) game() (engine.Game, error) {
	if !q.given("game") {
		return nil, badRequestf("which game? Name it with game=, such as game=connect4")
	}
	return engine.Open(q["game"])
}

func (s *Server) position(q query) (engine.Game, engine.Position, error) {
	e, err := q.game()
	if err != nil {
		return nil, engine.Position{}, err
	}
	p, err := e.Parse(q["moves"])
	if err == nil && len(p.Moves) > s.options.Limits.Moves {
		err = badRequestf("%d moves, but at most %d are allowed", len(p.Moves), s.options.Limits.Moves)
	}
	return e, p, err
}

// follow reads the legal moves after a position, and returns them with the position after them.
func follow(p engine.Position, text string) ([]game.Action, engine.Position, error) {
	prefix := len(p.Moves)
	there, err := p.Follow(text)
	if err != nil {
		return nil, p, err
	}
	return there.Moves[prefix:], there, nil
}
