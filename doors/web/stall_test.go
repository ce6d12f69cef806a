package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
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

// idle reports whether nobody searches, waits or has a stream.
func (s *Server) idle() bool {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	return s.queue.running == 0 && len(s.queue.waiting) == 0 && s.streams.all == 0 && len(s.streams.each) == 0
}

// 200 clients open streams, read nothing, and vanish: no search and no goroutine is left.
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
	count := func() int {
		s.streams.mu.Lock()
		defer s.streams.mu.Unlock()
		return s.streams.all
	}
	waitFor(t, time.Minute, "not all 200 streams are open", func() bool { return count() == 200 })
	if w := ask(s, request("/api/runs/tiny/events")); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("one stream more: status %d", w.Code)
	}
	for _, conn := range conns {
		conn.Close()
	}
	waitFor(t, time.Minute, "somebody is still at work", func() bool { return s.idle() })
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
	if w.blocked != 1 || !s.idle() {
		t.Errorf("%d writes were tried, idle %v", w.blocked, s.idle())
	}
}

// A client has its share of the streams, and no more.
func TestStreamsPerClient(t *testing.T) {
	c := newCounter(3, 2)
	leave, err := c.enter("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.enter("a"); err != nil {
		t.Error(err)
	}
	if _, err := c.enter("a"); err == nil || !strings.Contains(err.Error(), "you have 2 streams") {
		t.Errorf("a third stream of one client: %v", err)
	}
	if _, err := c.enter("b"); err != nil {
		t.Error(err)
	}
	if _, err := c.enter("c"); err == nil || !strings.Contains(err.Error(), "there are 3 streams") {
		t.Errorf("a fourth stream: %v", err)
	}
	leave()
	if _, err := c.enter("c"); err != nil {
		t.Error(err)
	}
}

// Close ends streams and searches.
func TestClose(t *testing.T) {
	s := newServer(t, quick)
	server := listening(t, s)
	c := open(t, server, "/api/analysis?game=connect4&player=uct&milliseconds=60000")
	c.must("report")
	s.Close()
	if !s.idle() {
		t.Error("the search goes on")
	}
	if w := ask(s, request("/api/games")); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a request after Close: status %d", w.Code)
	}
}
