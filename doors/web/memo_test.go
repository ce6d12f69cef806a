package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"tengen/players"
	"tengen/run/runtest"
)

// A file is read again only after a change, and by one reader at a time. Whoever waits for it can leave, and who asks for
// another file does not wait.
func TestMemo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write := func(text string, modified time.Time) {
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o644), os.Chtimes(file, modified, modified)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		m, reads, turn := newMemo[string](9), 0, make(chan struct{})
		slow := func() (string, error) {
			reads++
			<-turn
			content, err := os.ReadFile(file)
			return string(content), err
		}
		got := make(chan string)
		ask := func(name string) {
			value, err := m.get(t.Context(), file, name, slow)
			if err != nil {
				value = err.Error()
			}
			got <- value
		}
		write("one", time.Now())
		for range 3 {
			go ask("")
		}
		go ask("other name") // has its own reader after the first
		synctest.Wait()
		if reads != 1 {
			t.Errorf("%d readers at once", reads)
		}
		if other, err := m.get(t.Context(), file+"2", "", func() (string, error) { return "two", nil }); err != nil || other != "two" {
			t.Errorf("another file: %q, %v", other, err)
		}
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		if _, err := m.get(gone, file, "", slow); !errors.Is(err, context.Canceled) {
			t.Errorf("who has left gets the error %v", err)
		}
		close(turn)
		for range 4 {
			if text := <-got; text != "one" {
				t.Errorf("%q was read", text)
			}
		}
		if reads != 2 {
			t.Errorf("%d times read for two names", reads)
		}
		write("three", time.Now())
		for range 2 {
			if text, err := m.get(t.Context(), file, "", slow); err != nil || text != "three" || reads != 3 {
				t.Errorf("after a change: %q, %v, read %d times", text, err, reads)
			}
		}
	})
}

// The most recently used values stay. Asking a run's models in turn, as the page about a position over the iterations does,
// reads each once.
func TestMemoKeepsTheNewest(t *testing.T) {
	models, err := os.ReadFile("assets/past.js")
	most := regexp.MustCompile(`MOST_MODELS = (\d+);`).FindSubmatch(models)
	if err != nil || most == nil {
		t.Fatal("past.js does not say how many models it asks:", err)
	}
	asked, _ := strconv.Atoi(string(most[1]))
	m, reads := newMemo[int](keptBare), 0
	ask := func(model int) {
		_, err := m.get(t.Context(), fmt.Sprint(model), "", func() (int, error) { reads++; return model, nil })
		if err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		for model := range asked {
			ask(model)
		}
	}
	if reads != asked {
		t.Errorf("%d models are read %d times", asked, reads)
	}
	for other := range keptBare - 1 { // all but the last of the models give way
		ask(100 + other)
	}
	reads = 0
	if ask(asked - 1); reads != 0 {
		t.Error("the most recently used model has given way")
	}
	if ask(0); reads != 1 {
		t.Errorf("more than %d values are kept", keptBare)
	}
}

// An error that may pass is not kept, nor is a value whose reader panics. One that lies in the file is.
func TestMemoOfErrors(t *testing.T) {
	m, reads := newMemo[int](1), 0
	fail := func(err error) func() (int, error) { return func() (int, error) { reads++; return 0, err } }
	lasting := errors.New("damaged")
	for i, c := range []struct {
		err   error
		reads int
	}{{&os.PathError{Err: syscall.EMFILE}, 1}, {&os.PathError{Err: syscall.EMFILE}, 2}, {lasting, 3}, {lasting, 3}} {
		if _, err := m.get(t.Context(), "file", "", fail(c.err)); !errors.Is(err, c.err) || reads != c.reads {
			t.Errorf("call %d: error %v, read %d times", i, err, reads)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = m.get(t.Context(), "other", "", func() (int, error) { panic("a fault") })
	}()
	if n, err := m.get(t.Context(), "other", "", func() (int, error) { return 7, nil }); n != 7 || err != nil || len(m.kept) != 1 {
		t.Errorf("after a panic: %d, %v, %d values kept", n, err, len(m.kept))
	}
}

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
		{t.Context(), "/api/runs/nosuch", 404, 0}, {gone, "/api/runs", 200, 0}, {gone, "/api/games", 200, 0}, {t.Context(), "/api/runs/b", 200, 1},
		{t.Context(), "/api/runs", 200, 3},
	} {
		w := ask(s, request(c.target).WithContext(c.ctx))
		if n := len(s.runs.configs.kept); w.Code != c.status || n != c.all {
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
		shown := ask(s, request("/api/runs")).Body.String()
		for _, c := range []struct {
			later time.Duration
			same  bool
		}{{0, true}, {time.Second, false}} {
			at := info.ModTime().Add(c.later)
			if err := errors.Join(os.WriteFile(path, make([]byte, info.Size()), 0o644), os.Chtimes(path, at, at)); err != nil {
				t.Fatal(err)
			}
			if now := ask(s, request("/api/runs")).Body.String(); (now == shown) != c.same {
				t.Errorf("%s is overwritten, and %v younger: %s", file, c.later, now)
			}
		}
	}
}

// A slower look into the folder does not undo what a later one has found.
func TestLaterLookCounts(t *testing.T) {
	folder := manyRuns(t, "a")
	s := newServer(t, func(o *Options) { o.Folder = folder })
	s.runs.last = 2
	if n := len(s.runs.now()); n != 0 { // look 1 is slow
		t.Errorf("%d runs of an old look", n)
	}
	if s.runs.now(); len(s.runs.now()) != 1 {
		t.Error("a new look finds no run")
	}
}

// The models given for players are read when the server starts, and not for every list of games.
func TestGivenModelsAreReadOnce(t *testing.T) {
	dir := manyRuns(t, "a")
	s := newServer(t, func(o *Options) { o.Players = []players.Spec{spec(t, "net:"+filepath.Join(dir, "a"))} })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if games := s.games(t.Context()); games[0].Name != "tictactoe" {
		t.Errorf("the first game is %s", games[0].Name)
	}
}

// Close ends even if a request does not.
func TestCloseDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := make(chan struct{})
		s := newServer(t, func(o *Options) {
			o.Mount = func(func() []NamedRun) map[string]http.Handler {
				return map[string]http.Handler{"/stuck": http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-disk })}
			}
		})
		go ask(s, request("/stuck"))
		synctest.Wait()
		begin := time.Now()
		if s.Close(); time.Since(begin) > 5*time.Second {
			t.Errorf("Close takes %v", time.Since(begin))
		}
		close(disk)
	})
}

// Warnings name directories, and directories can have any name.
func TestWarningsArePrintable(t *testing.T) {
	folder := manyRuns(t, "a\x1b[2J\ntengen: error: forged")
	if err := appendTo(filepath.Join(folder, "a\x1b[2J\ntengen: error: forged"), "run.yaml", "? "+strings.Repeat("x", 10_000)+"\n: 1\n"); err != nil {
		t.Fatal(err)
	}
	var warnings []string
	s := newServer(t, func(o *Options) {
		o.Folder, o.Warn = folder, func(err error) { warnings = append(warnings, err.Error()) }
	})
	ask(s, request("/api/runs"))
	if len(warnings) != 1 || strings.ContainsAny(warnings[0], "\x1b\n") || len(warnings[0]) > 600 {
		t.Errorf("%d bytes: %.1000q", len(warnings[0]), warnings)
	}
}
