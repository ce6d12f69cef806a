// Package inbrowser answers the requests of a page that has no server. Compiled for browsers (GOOS=js GOARCH=wasm), a
// program runs in a Web Worker of the page, and answers by the handlers of package positions, as the web server does.
//
// Package web writes such pages, and asks the same Site for what a page shows before its program has been loaded.
package inbrowser

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"tengen/doors/web/answer"
	"tengen/doors/web/positions"
	"tengen/engine"
	"tengen/net"
)

// Build is set by the linker, in a page's program, to the Site.Build of its page.
var Build string

// Site says what a page has. The page hands it to its program as JSON.
type Site struct {
	Build   string            `json:"build"`   // of the page and its program: they must be of the same
	Version string            `json:"version"` // for people
	Models  map[string]string `json:"models"`  // by name, the game that it has learned
	Games   []string          `json:"games"`   // that come first in the menu
}

// memory is less than a server's, since it is the visitor's: 64 MB of trees, and 16 MB of evaluations.
var memory = positions.Memory{TreeMegabytes: 32, CacheMegabytes: 8, Spares: 1, Networks: 2}

// Handler returns what answers the page's requests. It registers the page's models in package engine in place of all
// others. The first use of a model calls load with its name for the content of its file, and again after an error.
func (s Site) Handler(load func(name string) ([]byte, error)) (http.Handler, error) {
	m := &models{load: load, opened: map[string]*net.Model{}}
	engine.RegisterModels(m.open, s.Models)
	limits := answer.Limits{
		Simulations: 10_000_000, Time: time.Minute, Depth: 64, Moves: 1200, Streams: 16, StreamsPerClient: 16,
		Truth: 1800 * time.Millisecond, Beat: time.Minute,
	}
	streams := answer.Streams{Counter: answer.NewCounter(limits.Streams, limits.StreamsPerClient), Beat: limits.Beat}
	server, err := positions.New(positions.Options{Threads: 1, Searches: 1, Memory: memory, Limits: limits}, s.Version, streams)
	if err != nil {
		return nil, err
	}
	server.Runs.Games = func(context.Context) []string { return s.Games }
	mux := http.NewServeMux()
	for pattern, route := range server.Routes() {
		mux.Handle(pattern, route)
	}
	mux.Handle("/", answer.Handler(func(_ http.ResponseWriter, r *http.Request) error {
		return answer.Error{Status: http.StatusNotFound, Text: "a page without a server cannot answer " + r.URL.Path}
	}))
	return mux, nil
}

// models are the page's models. Each is loaded once, when it is wanted.
type models struct {
	load func(name string) ([]byte, error)

	mu     sync.Mutex
	opened map[string]*net.Model
}

func (m *models) open(name string) (*net.Model, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.opened[name]; known != nil {
		return known, nil
	}
	content, err := m.load(name)
	if err != nil {
		return nil, hostError{fmt.Errorf("%s cannot be loaded: %w", name, err)}
	}
	loaded := new(net.Model)
	if err := loaded.UnmarshalBinary(content); err != nil {
		return nil, fmt.Errorf("%s cannot be loaded: %w", name, err)
	}
	m.opened[name] = loaded
	return loaded, nil
}

// hostError says why the page's host has not sent a file. It passes for an error of the system, which may be over when
// the file is wanted again (internal/memo keeps all others).
type hostError struct{ error }

// Unwrap returns the error of the system.
func (hostError) Unwrap() error { return syscall.EIO }

// Answer lets h answer a request at an address such as /api/games. It calls send for each part of the answer, one at
// least; part is valid until send returns. It ends early with ctx.
func Answer(ctx context.Context, h http.Handler, method, address, body string, send func(status int, header http.Header, part []byte)) {
	w := &writer{send: send, status: http.StatusOK, header: http.Header{}}
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		answer.Fail(w, answer.BadRequestf("%v", err))
		return
	}
	h.ServeHTTP(w, r)
	_, _ = w.Write(nil)
}

// writer implements http.ResponseWriter and http.Flusher.
type writer struct {
	send   func(status int, header http.Header, part []byte)
	status int
	header http.Header
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. The next part has the status.
func (w *writer) WriteHeader(status int) { w.status = status }

// Flush implements http.Flusher. Nothing waits in a writer.
func (w *writer) Flush() {}

// Write implements http.ResponseWriter: it sends a part.
func (w *writer) Write(p []byte) (int, error) {
	w.send(w.status, w.header, p)
	return len(p), nil
}
