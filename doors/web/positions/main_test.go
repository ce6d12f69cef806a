package positions

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/doors/web/answer"
	"tengen/players"
	"tengen/run/runtest"
	"tengen/selfplay/cluster/clustertest"
	"tengen/train/checkpoint"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, append(clustertest.Leaks, goleak.Cleanup(func(code int) {
		runtest.RemoveRun()
		os.Exit(code)
	}))...)
}

// newServer returns a server that searches on one core.
func newServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	o := Options{Threads: 1, Searches: 1, Limits: answer.Limits{
		Simulations: 1_000_000, Time: time.Minute, Depth: 64, Moves: 400, Streams: 256, StreamsPerClient: 16,
		Truth: 1800 * time.Millisecond, Beat: time.Minute,
	}}
	if change != nil {
		change(&o)
	}
	s, err := New(o, "devel", answer.Streams{Counter: answer.NewCounter(o.Limits.Streams, o.Limits.StreamsPerClient), Beat: o.Limits.Beat})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tinyRun has the models of a run of tic-tac-toe, and counts how often all are listed.
func tinyRun(t testing.TB) (r Runs, listed *int) {
	listed = new(int)
	models := func(name string) (list []Model) {
		for _, m := range []Model{{Name: "tiny", Iteration: 2, Newest: true}, {Name: "tiny@1", Iteration: 1}, {Name: "tiny@0"}} {
			m.Run, m.File = "tiny", runtest.Run(t)+"/"+checkpoint.ModelName(m.Iteration)
			if name == "" || name == m.Name {
				list = append(list, m)
			}
		}
		if name == "" {
			*listed++
		}
		return list
	}
	return Runs{Games: func(context.Context) []string { return []string{"tictactoe"} }, Models: models}, listed
}

// ask answers a request.
func ask(ctx context.Context, s *Server, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	s.Routes()[r.URL.Path].ServeHTTP(w, r)
	return w
}

// get reads the JSON at an address into answer.
func get(t testing.TB, s *Server, target string, answer any) {
	t.Helper()
	w := ask(t.Context(), s, target)
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
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	w := ask(t.Context(), s, target)
	if got := strings.TrimSuffix(w.Body.String(), "\n"); w.Code != http.StatusOK || got != compact.String() {
		t.Errorf("%s: status %d\n%s, want\n%s", target, w.Code, got, &compact)
	}
}

// wantError checks the error at an address.
func wantError(t *testing.T, s *Server, target string, status int, part string) {
	t.Helper()
	w := ask(t.Context(), s, target)
	var e struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != status || !strings.Contains(e.Error, part) {
		t.Errorf("%s: status %d, %s, want %d and %q", target, w.Code, w.Body, status, part)
	}
}

// lastEvent is the name and the data of a stream's last event.
func lastEvent(stream string) (name, data string) {
	_, last, _ := strings.Cut(stream[strings.LastIndex(stream, "\nevent: "):], "event: ")
	name, data, _ = strings.Cut(strings.TrimSpace(last), "\ndata: ")
	return name, data
}

// decode reads JSON.
func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// spec reads the SPEC of a player.
func spec(t testing.TB, text string) players.Spec {
	t.Helper()
	s, err := players.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// escape writes a value of a parameter.
func escape(text string) string { return url.QueryEscape(text) }
