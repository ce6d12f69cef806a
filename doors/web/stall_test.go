package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/run/runtest"
	"tengen/selfplay/cluster/clustertest"
)

// waitFor looks again and again whether a condition holds, for a while at most.
func waitFor(t *testing.T, most time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(most)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("%v later: %s\n%s", most, what, stacks())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func stacks() string {
	buffer := make([]byte, 1<<16)
	return string(buffer[:runtime.Stack(buffer, true)])
}

// 200 clients open streams, read no event, and vanish: no search and no goroutine is left.
func TestClientsThatVanish(t *testing.T) {
	leaks := append(clustertest.Leaks, goleak.IgnoreCurrent())
	s := newServer(t, func(o *Options) {
		quick(o)
		o.Limits.Write = time.Minute // none of them is slow
		o.Limits.Time = time.Hour    // no search ends, nor fills its memory, while others still come
		o.Limits.Streams, o.Limits.StreamsPerClient = 200, 200
		o.Runs = []string{runtest.Run(t)}
	})
	server := listening(t, s)
	address := strings.TrimPrefix(server.URL, "http://")
	targets := []string{
		"/api/analysis?game=connect4&player=alphabeta&milliseconds=3600000", "/api/analysis?game=gomoku&player=alphabeta&milliseconds=3600000",
		"/api/runs/tiny/events",
	}
	var conns []net.Conn
	for i := range 200 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", targets[i%len(targets)]); err != nil {
			t.Fatal(err)
		}
	}
	for i, conn := range conns {
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(conn, status); err != nil || string(status) != "HTTP/1.1 200" {
			t.Fatalf("stream %d: %s, %v", i, status, err)
		}
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	another := func() *httptest.ResponseRecorder { return ask(s, request("/api/runs/tiny/events").WithContext(gone)) }
	if w := another(); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("one stream more: status %d", w.Code)
	}
	for _, conn := range conns {
		conn.Close()
	}
	waitFor(t, time.Minute, "all streams are still open", func() bool { return another().Code == http.StatusOK })
	server.Close()
	waitFor(t, time.Minute, "goroutines are left", func() bool { return goleak.Find(leaks...) == nil })
}

// stalled is a connection whose client takes nothing: a write fails as it does at its deadline.
type stalled struct {
	header http.Header

	mu       sync.Mutex
	deadline time.Time
	blocked  int
}

func (w *stalled) Header() http.Header { return w.header }
func (w *stalled) WriteHeader(int)     {}
func (w *stalled) Flush()              {}

func (w *stalled) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	return nil
}

func (w *stalled) Write([]byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deadline.IsZero() {
		return 0, io.ErrNoProgress // nobody has set one: it would block for ever
	}
	w.blocked++
	return 0, os.ErrDeadlineExceeded
}

// A client that does not read is sent away after the time for one write, and its search ends.
func TestClientThatStalls(t *testing.T) {
	s := newServer(t, quick)
	w := &stalled{header: http.Header{}}
	s.ServeHTTP(w, request("/api/analysis?game=connect4&player=uct&milliseconds=60000"))
	if w.blocked != 1 {
		t.Errorf("%d writes were tried", w.blocked)
	}
	if next := ask(s, request("/api/analysis?game=connect4&player=random")); !strings.Contains(next.Body.String(), "event: done") {
		t.Errorf("the next search: %s", next.Body)
	}
}
