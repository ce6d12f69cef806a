package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"tengen/engine"
	"tengen/selfplay/cluster"
	"tengen/selfplay/cluster/clustertest"
)

// A worker waits for the server with one warning, until its context ends.
func TestNewWorkerWaits(t *testing.T) {
	defer goleak.VerifyNone(t, clustertest.Leaks...)
	dir := t.TempDir()
	token, err := cluster.AddWorker(dir, "gpu-1")
	noError(t, err)
	file := filepath.Join(dir, "token")
	noError(t, os.WriteFile(file, token, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	warnings := 0
	_, err = NewWorker(ctx, WorkerConfig{
		Server: cluster.DialConfig{URL: "nats://127.0.0.1:1", TokenFile: file}, Run: cluster.EmbeddedRun,
		Warn: func(error) { warnings++; cancel() },
	})
	if !errors.Is(err, context.Canceled) || warnings != 1 {
		t.Errorf("error %v after %d warnings", err, warnings)
	}
}

func TestNewWorkerNeedsAToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	join := func() error {
		_, err := NewWorker(t.Context(), WorkerConfig{Server: cluster.DialConfig{URL: "nats://127.0.0.1:1", TokenFile: file}, Run: cluster.EmbeddedRun})
		return err
	}
	wantError(t, join(), "token file: open "+file, false)
	noError(t, os.WriteFile(file, []byte("sesame"), 0o600))
	wantError(t, join(), file, false)
}

func TestSettingsErrors(t *testing.T) {
	e, cfg := open(t, "tictactoe"), tinyConfig(t)
	good := cluster.Settings{Game: "tictactoe", Search: cfg.Search, Selfplay: cfg.Selfplay}
	good.Shape.Height, good.Shape.Width, good.Shape.Actions, good.Shape.Planes = 3, 3, 9, 4
	if _, err := playerFor(e, good, 2, nil); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*cluster.Settings){
		"the run's networks are for": func(s *cluster.Settings) { s.Shape.Planes = 5 },
		"search.simulations is 0":    func(s *cluster.Settings) { s.Search.Simulations = 0 },
		"selfplay.games_per_worker":  func(s *cluster.Settings) { s.Selfplay.GamesPerWorker = -1 },
		"selfplay.opening_plies":     func(s *cluster.Settings) { s.Selfplay.OpeningPlies = 1_000_000 },
		"openings.deep_plies":        func(s *cluster.Settings) { s.Selfplay.Openings.DeepPlies = 1_000_000 },
	} {
		bad := good
		change(&bad)
		_, err := playerFor(e, bad, 2, nil)
		wantError(t, err, want, false)
	}
	_, err := engine.OpenRecorded("chess")
	wantError(t, err, `game "chess" is unknown to this program: use one that has the game`, false)
}
