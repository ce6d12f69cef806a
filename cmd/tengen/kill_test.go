package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/train/rundir"
)

// Processes killed at random instants, 50 of them with -args -acceptance, leave a run that ends with the same bytes as one
// that nobody disturbed: models, optimizer, and metrics apart from times. No game that was in the log is ever lost.
func TestKillTrainAtAnyInstant(t *testing.T) {
	kills, iterations := fulltest.Pick(1, 5), fulltest.Pick("5", "12")
	if *acceptance {
		kills, iterations = 50, "120"
	}
	whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	command := func(dir string) []string {
		return []string{"train", "--config", tiny, "--run", dir, "--set", "train.iterations=" + iterations,
			"--set", "train.games_per_iteration=40", "--set", "train.evaluate_every=5",
			"--set", "replay.window=100000", "--set", "replay.min_window=100000"} // all games stay
	}
	mustCLI(t, command(whole)...)

	rng := random.New(1, random.Test)
	kept := map[uint64]int{}
	for n := range kills {
		p := start(t, command(killed)...)
		time.Sleep(time.Duration(50+rng.IntN(450)) * time.Millisecond)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Wait() // fails: it was killed
		if p.errOut.Len() > 0 {
			t.Errorf("kill %d: %s", n, &p.errOut)
		}
		now := loggedGames(t, killed)
		for number := range kept {
			if now[number] == 0 {
				t.Errorf("kill %d: game %d, which was in the log, is lost", n, number)
			}
		}
		kept = now
	}
	t.Logf("%d games in the log after %d kills", len(kept), kills)
	mustCLI(t, command(killed)...)
	compareRuns(t, whole, killed)
	if a, b := loggedGames(t, whole), loggedGames(t, killed); !maps.Equal(a, b) {
		t.Errorf("%d and %d games in the logs", len(a), len(b))
	}
}

// loggedGames counts the games in the log of a run by their numbers.
func loggedGames(t *testing.T, dir string) map[uint64]int {
	t.Helper()
	games := map[uint64]int{}
	if _, err := os.Stat(filepath.Join(dir, "games")); err != nil {
		return games
	}
	log := openLog(t, dir)
	defer log.Close()
	if err := log.Read(t.Context(), 0, func(e replay.Entry) error {
		if e.Err != nil {
			t.Error(e.Err)
			return nil
		}
		games[e.Game.Number]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return games
}

// compareRuns reports the models and checkpoints that differ, and metrics that do apart from times.
func compareRuns(t *testing.T, want, got string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(want, "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	checkpoints, err := filepath.Glob(filepath.Join(want, "state", "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, checkpoints...) {
		name, err := filepath.Rel(want, file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readFile(t, file), readFile(t, filepath.Join(got, name))) {
			t.Errorf("%s differs from that of a run that was not disturbed", name)
		}
	}
	t.Logf("compared %d models and %d checkpoints", len(files), len(checkpoints))
	if a, b := timeless(t, want), timeless(t, got); !bytes.Equal(a, b) {
		t.Errorf("the metrics differ:\n%s\n%s", a, b)
	}
}

// timeless are the metrics of a run without what the clock decides.
func timeless(t *testing.T, dir string) []byte {
	t.Helper()
	metrics, err := rundir.ReadMetrics(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range metrics {
		metrics[i] = metrics[i].Timeless()
	}
	lines, err := json.Marshal(metrics)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
