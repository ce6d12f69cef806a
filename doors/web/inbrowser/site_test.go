package inbrowser

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// newHandler returns the handler of a page with two models, and the files that it has loaded so far.
func newHandler(t *testing.T) (h http.Handler, loaded *[]string) {
	t.Helper()
	t.Cleanup(func() { engine.RegisterModels(nil, nil) })
	loaded = new([]string)
	site := Site{Version: "v1", Models: map[string]string{"othello": "othello", "mine": "mnk:6,6,4"}, Games: []string{"mnk:6,6,4"}}
	h, err := site.Handler(func(name string) ([]byte, error) {
		*loaded = append(*loaded, name)
		if name == "mine" {
			return nil, errors.New("the host answers 404")
		}
		return os.ReadFile("../../../checkpoints/pretrained/" + name + ".safetensors")
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, loaded
}

// ask returns the last status and the whole body of an answer, and the number of its parts.
func ask(t *testing.T, h http.Handler, method, address, text string) (status int, body string, parts int) {
	Answer(t.Context(), h, method, address, text, func(now int, _ http.Header, part []byte) {
		status, body, parts = now, body+string(part), parts+1
	})
	return status, body, parts
}

// A page gets the answers of package positions. The menu begins with its own games, and addresses of runs do not exist.
func TestAnswers(t *testing.T) {
	h, _ := newHandler(t)
	for _, c := range []struct {
		method, address, body string
		status                int
		want                  string
	}{
		{"GET", "/api/games", "", http.StatusOK, `"games":[{"name":"mnk:6,6,4"`},
		{"GET", "/api/position?game=othello&moves=d3", "", http.StatusOK, `"moves":"d3"`},
		{"GET", "/api/position?game=othello&moves=a1", "", http.StatusBadRequest, `{"error":"`},
		{"POST", "/api/read?game=connect4", "4 4 3", http.StatusOK, `"moves":"443"`},
		{"POST", "/api/sgf?game=connect4", "443\n445", http.StatusOK, ";B[df];W[de](;B[cf])(;B[ef]))"},
		{"GET", "/api/runs", "", http.StatusNotFound, "a page without a server cannot answer /api/runs"},
		{"GET", "/%zz", "", http.StatusBadRequest, "invalid URL escape"},
	} {
		if status, body, _ := ask(t, h, c.method, c.address, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %.300s; want %d with %s", c.address, status, body, c.status, c.want)
		}
	}
}

// A model is loaded when the first player of its game is wanted, and only then.
func TestModelsAreLoadedWhenNeeded(t *testing.T) {
	h, loaded := newHandler(t)
	for _, c := range []struct {
		address string
		want    []string
	}{
		{"/api/position?game=othello", nil},
		{"/api/players?game=connect4", nil},
		{"/api/analysis?game=connect4&player=uct&simulations=10", nil},
		{"/api/players?game=othello:6", []string{"othello"}},
	} {
		if ask(t, h, "GET", c.address, ""); !slices.Equal(*loaded, c.want) {
			t.Errorf("after %s, %v are loaded; want %v", c.address, *loaded, c.want)
		}
	}
	status, body, parts := ask(t, h, "GET", "/api/analysis?game=othello&player=othello&simulations=8", "")
	if status != http.StatusOK || !strings.Contains(body, "event: done\n") || parts < 2 {
		t.Errorf("an analysis: %d in %d parts: %s", status, parts, body)
	}
}

// A model that the host does not have is an error of the question, not of the page. The next question asks for it again.
func TestModelIsMissing(t *testing.T) {
	h, loaded := newHandler(t)
	for range 2 {
		*loaded = nil
		_, body, _ := ask(t, h, "GET", "/api/analysis?game=mnk:6,6,4&player=mine", "")
		if !strings.Contains(body, `"error":"mine cannot be loaded: the host answers 404"`) || len(*loaded) == 0 {
			t.Errorf("%s after asking for %q", body, *loaded)
		}
	}
	if status, body, _ := ask(t, h, "GET", "/api/players?game=mnk:6,6,4", ""); status != http.StatusOK || strings.Contains(body, `"mine"`) {
		t.Errorf("%d %s", status, body)
	}
}

// A page that has gone gets no more of an answer.
func TestAnswerStops(t *testing.T) {
	h, _ := newHandler(t)
	ctx, stop := context.WithCancel(t.Context())
	parts := 0
	Answer(ctx, h, "GET", "/api/analysis?game=connect4&player=uct&simulations=10000000", "", func(_ int, _ http.Header, part []byte) {
		if parts++; strings.Contains(string(part), "event: report") {
			stop()
		}
		if strings.Contains(string(part), "event: done") {
			t.Errorf("%s", part)
		}
	})
	if parts < 2 {
		t.Errorf("%d parts", parts)
	}
}
