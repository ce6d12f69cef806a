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
func ask(ctx context.Context, h http.Handler, q Request) (status int, body string, parts int) {
	Answer(ctx, h, q, func(p Part) {
		status, body, parts = p.Status, body+string(p.Body), parts+1
	})
	return status, body, parts
}

func get(address string) Request { return Request{Method: http.MethodGet, Address: address} }

// A page gets the answers of package positions. The menu begins with its own games, and addresses of runs do not exist.
func TestAnswers(t *testing.T) {
	h, _ := newHandler(t)
	for _, c := range []struct {
		request Request
		status  int
		want    string
	}{
		{get("/api/games"), http.StatusOK, `"games":[{"name":"mnk:6,6,4"`},
		{get("/api/position?game=othello&moves=d3"), http.StatusOK, `"moves":"d3"`},
		{get("/api/position?game=othello&moves=a1"), http.StatusBadRequest, `{"error":"`},
		{Request{http.MethodPost, "/api/read?game=connect4", "4 4 3"}, http.StatusOK, `"moves":"443"`},
		{get("/api/runs"), http.StatusNotFound, "a page without a server cannot answer /api/runs"},
		{get("/%zz"), http.StatusBadRequest, "invalid URL escape"},
	} {
		if status, body, _ := ask(t.Context(), h, c.request); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %.300s; want %d with %s", c.request.Address, status, body, c.status, c.want)
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
		if ask(t.Context(), h, get(c.address)); !slices.Equal(*loaded, c.want) {
			t.Errorf("after %s, %v are loaded; want %v", c.address, *loaded, c.want)
		}
	}
	status, body, parts := ask(t.Context(), h, get("/api/analysis?game=othello&player=othello&simulations=8"))
	if status != http.StatusOK || !strings.Contains(body, "event: done\n") || parts < 2 {
		t.Errorf("an analysis: %d in %d parts: %s", status, parts, body)
	}
}

// A model that the host does not have is an error of the question, not of the page. The next question asks for it again.
func TestModelIsMissing(t *testing.T) {
	h, loaded := newHandler(t)
	for range 2 {
		*loaded = nil
		_, body, _ := ask(t.Context(), h, get("/api/analysis?game=mnk:6,6,4&player=mine"))
		if !strings.Contains(body, `"error":"mine cannot be loaded: the host answers 404"`) || len(*loaded) == 0 {
			t.Errorf("%s after asking for %q", body, *loaded)
		}
	}
	if status, body, _ := ask(t.Context(), h, get("/api/players?game=mnk:6,6,4")); status != http.StatusOK || strings.Contains(body, `"mine"`) {
		t.Errorf("%d %s", status, body)
	}
}

// A page that has gone gets no more of an answer.
func TestAnswerStops(t *testing.T) {
	h, _ := newHandler(t)
	ctx, stop := context.WithCancel(t.Context())
	parts := 0
	Answer(ctx, h, get("/api/analysis?game=connect4&player=uct&simulations=10000000"), func(p Part) {
		if parts++; strings.Contains(string(p.Body), "event: report") {
			stop()
		}
		if strings.Contains(string(p.Body), "event: done") {
			t.Errorf("%s", p.Body)
		}
	})
	if parts < 2 {
		t.Errorf("%d parts", parts)
	}
}
