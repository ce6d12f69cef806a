package positions

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tengen/doors/web/answer"
	"tengen/run/runtest"
	"tengen/train/checkpoint"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// newServer returns a server that searches on one core.
func newServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	o := Options{Threads: 1, Searches: 1, Memory: DefaultMemory, Limits: answer.Limits{
		Simulations: 1_000_000, Time: time.Minute, Depth: 64, Moves: 1200, Streams: 256, StreamsPerClient: 16,
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
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	s.Routes()[r.URL.Path].ServeHTTP(w, r)
	return w
}
