package runs

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"tengen/doors/web/answer"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// newServer returns a server of the tests' run, unless change says otherwise.
func newServer(t testing.TB, change func(*Options)) *Server {
	o := Options{Warn: func(error) {}}
	if change == nil {
		o.Runs = []string{runtest.Run(t)}
	} else {
		change(&o)
	}
	return New(o, answer.Limits{Poll: 20 * time.Millisecond}, answer.Streams{}, []string{"uct"})
}

// ask answers a request.
func ask(ctx context.Context, s *Server, target string) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	for pattern, route := range s.Routes() {
		mux.Handle(pattern, route)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil))
	return w
}

// kept is how many values a Memo has.
func kept(m any) int { return reflect.ValueOf(m).Elem().FieldByName("kept").Len() }

// manyRuns copies a run into some directories of a new folder.
func manyRuns(t *testing.T, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, name := range names {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(runtest.Run(t))); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A request that names a run reads the settings of no other. A request whose visitor has gone reads none.
func TestOneRunIsRead(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Folder = manyRuns(t, "a", "b", "c") })
	gone, leave := context.WithCancel(t.Context())
	leave()
	for i, c := range []struct {
		ctx         context.Context
		target      string
		status, all int
	}{
		{t.Context(), "/api/runs/nosuch", 404, 0}, {gone, "/api/runs", 200, 0}, {t.Context(), "/api/runs/b", 200, 1},
		{t.Context(), "/api/runs", 200, 3},
	} {
		w := ask(c.ctx, s, c.target)
		if n := kept(s.configs); w.Code != c.status || n != c.all {
			t.Errorf("request %d, %s: status %d, settings of %d runs read, want %d and %d", i, c.target, w.Code, n, c.status, c.all)
		}
	}
}

// The list of runs reads a run's settings and metrics again only if their time or size has changed.
func TestUnchangedRunsAreNotRead(t *testing.T) {
	folder := manyRuns(t, "a")
	s := newServer(t, func(o *Options) { o.Folder = folder })
	for _, file := range []string{"metrics.jsonl", "run.yaml"} {
		path := filepath.Join(folder, "a", file)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		shown := ask(t.Context(), s, "/api/runs").Body.String()
		for _, c := range []struct {
			later time.Duration
			same  bool
		}{{0, true}, {time.Second, false}} {
			at := info.ModTime().Add(c.later)
			if err := errors.Join(os.WriteFile(path, make([]byte, info.Size()), 0o644), os.Chtimes(path, at, at)); err != nil {
				t.Fatal(err)
			}
			if now := ask(t.Context(), s, "/api/runs").Body.String(); (now == shown) != c.same {
				t.Errorf("%s is overwritten, and %v younger: %s", file, c.later, now)
			}
		}
	}
}
