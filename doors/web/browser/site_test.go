package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"tengen/doors/web"
)

// site is a server of the pages in this process.
type site struct {
	url    string
	server *httptest.Server // nil if a training process serves
}

// serve starts a server and stops it after the test. change sets its options.
func serve(t testing.TB, change func(*web.Options)) *site {
	t.Helper()
	startChrome(t) // skips the test without a browser
	options := web.Default()
	options.Warn = func(err error) { t.Log(err) }
	if change != nil {
		change(&options)
	}
	s, err := web.New(options)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections() // or Close waits for streams
		server.Close()
		s.Close()
	})
	return &site{url: server.URL, server: server}
}

// get decodes an API answer.
func (s *site) get(t testing.TB, path string, answer any) {
	t.Helper()
	resp, err := http.Get(s.url + "/api/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// best returns a winning move of perfect play.
func (s *site) best(t testing.TB, game, moves string) string {
	t.Helper()
	var truth struct {
		Result string
		Best   []string
	}
	s.get(t, "truth?"+url.Values{"game": {game}, "moves": {moves}}.Encode(), &truth)
	if truth.Result != "win" || len(truth.Best) == 0 {
		t.Fatalf("%s after %q: %+v, want a win", game, moves, truth)
	}
	return truth.Best[0]
}

// record is a run's game.
type record struct {
	ID    int
	Plies []struct {
		Move    string
		Opening bool
	}
}
