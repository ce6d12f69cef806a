package browser

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tengen/engine"
	"tengen/train"
	"tengen/web"
)

// site is a server of the pages in this process.
type site struct {
	url    string
	server *httptest.Server // nil where a training serves
}

// serve starts a server with some options, and ends it after the test.
func serve(t testing.TB, change func(*web.Options)) *site {
	t.Helper()
	startChrome(t) // or there is nobody to serve
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
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return &site{url: server.URL, server: server}
}

// get reads an answer of the site.
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

// best is a move of perfect play.
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

// record is a game of a run.
type record struct {
	ID    int
	End   string
	Plies []struct {
		Move    string
		Opening bool
	}
}

// tinyConfig is that of a run of tic-tac-toe that takes a moment.
func tinyConfig() engine.Config {
	c := engine.DefaultConfig()
	c.Game = "tictactoe"
	c.Net.Blocks, c.Net.Channels, c.Net.PolicyChannels, c.Net.ValueChannels, c.Net.ValueHidden = 1, 4, 2, 1, 8
	c.Search.Simulations = 8
	c.Selfplay.GamesPerWorker, c.Selfplay.CacheMegabytes, c.Selfplay.TemperaturePlies = 4, 1, 4
	c.Train.Iterations, c.Train.GamesPerIteration, c.Train.BatchSize = 3, 8, 16
	c.Train.EvaluateEvery = 0
	c.Train.Decay = "none"
	return c
}

// trainTiny opens a run of tinyConfig in a directory.
func trainTiny(t testing.TB, dir string, observe func(train.Event)) *engine.Training {
	t.Helper()
	e, err := engine.Open("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	training, err := e.Train(t.Context(), engine.TrainConfig{Config: tinyConfig(), Dir: dir, Observe: observe})
	if err != nil {
		t.Fatal(err)
	}
	return training
}

// trained is a run that several tests read.
var trained struct {
	once   sync.Once
	folder string
}

// tinyRun is the directory of a finished run of tinyConfig, which no test may change.
func tinyRun(t testing.TB) string {
	t.Helper()
	startChrome(t)
	trained.once.Do(func() {
		folder, err := os.MkdirTemp("", "tengen-browser-")
		if err != nil {
			t.Fatal(err)
		}
		trained.folder = folder
		run := trainTiny(t, filepath.Join(folder, "tiny"), nil)
		if err := errors.Join(run.Run(t.Context()), run.Close()); err != nil {
			t.Fatal(err)
		}
	})
	return filepath.Join(trained.folder, "tiny")
}
