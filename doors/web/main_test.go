package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"tengen/run/runtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "engine" {
		playEngine(os.Args[2])
		return
	}
	runtest.Main(m)
}

// newServer returns a server that searches on one core.
func newServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	o := Default()
	o.Threads, o.Searches = 1, 1
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request makes a request as a program on this machine does.
func request(target string) *http.Request {
	return httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7070"+target, nil)
}

// ask answers a request.
func ask(s *Server, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// get reads the JSON at an address into answer.
func get(t testing.TB, s *Server, target string, answer any) {
	t.Helper()
	w := ask(s, request(target))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%s: status %d, %s\n%s", target, w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(answer); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
}

// wantJSON checks the whole answer at an address.
func wantJSON(t *testing.T, s *Server, target, want string) {
	t.Helper()
	w := ask(s, request(target))
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSuffix(w.Body.String(), "\n"); w.Code != http.StatusOK || got != compact.String() {
		t.Errorf("%s: status %d\n%s, want\n%s", target, w.Code, got, &compact)
	}
}

// wantError checks the error at an address.
func wantError(t *testing.T, s *Server, r *http.Request, status int, part string) {
	t.Helper()
	w := ask(s, r)
	var e struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != status || !strings.Contains(e.Error, part) {
		t.Errorf("%s: status %d, %s, want %d and %q", r.URL, w.Code, w.Body, status, part)
	}
}

// event is one of a stream.
type event struct{ name, id, data string }

// lastEvent returns the last event of a stream that has ended.
func lastEvent(stream string) (name, data string) {
	block := stream[strings.LastIndex(stream, "event: ")+len("event: "):]
	name, data, _ = strings.Cut(strings.TrimSpace(block), "\ndata: ")
	return name, data
}

// client reads the events of a stream one by one.
type client struct {
	t    testing.TB
	body *bufio.Scanner
	resp *http.Response
}

// open begins a stream over a real connection.
func open(t testing.TB, server *httptest.Server, target string, header ...string) *client {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		t.Fatalf("%s: %s", target, resp.Status)
	}
	return newClient(t, resp)
}

// newClient reads the stream of an answer.
func newClient(t testing.TB, resp *http.Response) *client {
	c := &client{t: t, body: bufio.NewScanner(resp.Body), resp: resp}
	c.body.Buffer(nil, 1<<20)
	t.Cleanup(c.close)
	return c
}

func (c *client) close() { c.resp.Body.Close() }

// next is the next event with the name, whatever comes between; ok is false at the end of the stream.
func (c *client) next(name string) (e event, ok bool) {
	c.t.Helper()
	for c.body.Scan() {
		key, value, _ := strings.Cut(c.body.Text(), ": ")
		switch key {
		case "event":
			e = event{name: value}
		case "id":
			e.id = value
		case "data":
			if e.data = value; e.name == name {
				return e, true
			}
		}
	}
	return event{}, false
}

// must is next of a stream that has such an event.
func (c *client) must(name string) event {
	c.t.Helper()
	e, ok := c.next(name)
	if !ok {
		c.t.Fatalf("the stream has ended without %q", name)
	}
	return e
}

// decode reads JSON.
func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// listening is a server with a real address.
func listening(t testing.TB, s *Server) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections() // or Close waits for streams
		server.Close()
	})
	return server
}

// quick are limits for tests that wait for them.
func quick(o *Options) {
	o.Limits.Write, o.Limits.Beat, o.Limits.Poll = 2*time.Second, 200*time.Millisecond, 20*time.Millisecond
}
