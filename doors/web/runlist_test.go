package web

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/engine"
	"tengen/run"
	"tengen/train/checkpoint"
)

// A run's settings are read again only when the time or the size of run.yaml changes, and looking for runs reads none.
func TestConfigIsReadOnce(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a", checkpoint.ConfigFile)
	write := func(game string, at time.Time) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		cfg := run.DefaultConfig()
		cfg.Game = game
		if err := os.WriteFile(file, cfg.YAML(), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	first := time.Unix(1_000_000_000, 0)
	write("mnk:5,5,4", first)
	l := newServedRuns(Options{Folder: folder, Warn: func(err error) { t.Error(err) }})
	all := l.now()
	if len(all) != 1 || all[0].known.Load() != nil {
		t.Fatalf("looking for runs finds %d, and has read their settings", len(all))
	}
	for _, step := range []struct {
		game string
		at   time.Time
		want string
	}{
		{"mnk:5,5,4", first, "mnk:5,5,4"},
		{"mnk:6,6,4", first, "mnk:5,5,4"}, // neither time nor size tells of the change
		{"mnk:6,6,4", first.Add(time.Second), "mnk:6,6,4"},
		{"mnk:10,10,5", first.Add(time.Second), "mnk:10,10,5"},
	} {
		write(step.game, step.at)
		if cfg, e, err := all[0].config(); err != nil || cfg.Game != step.want || e.Info().Name != step.want {
			t.Errorf("%s at %v is read as %s, %v; want %s", step.game, step.at, cfg.Game, err, step.want)
		}
	}
	if err := os.WriteFile(file, []byte(strings.Repeat("?", 5)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := all[0].config(); err == nil {
		t.Error("damaged settings are not noticed")
	}
	damaged := all[0].known.Load()
	if _, _, err := all[0].config(); err == nil || all[0].known.Load() != damaged || damaged.err != err {
		t.Errorf("damaged settings are read again: %v", err)
	}
}

// While one network is slow to open, others are at hand, and those who wait for it open it once.
func TestSlowNetwork(t *testing.T) {
	trees := newTrees(2)
	var opened int
	begun, release := make(chan bool, 2), make(chan bool)
	slow := func() (engine.Network, error) {
		opened++
		begun <- true
		<-release
		return fakeNetwork{}, nil
	}
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() {
			if n, err := trees.network("slow", slow); n == nil || err != nil {
				t.Errorf("network %v, %v", n, err)
			}
		})
	}
	<-begun
	if n, err := trees.network("quick", func() (engine.Network, error) { return fakeNetwork{}, nil }); n == nil || err != nil {
		t.Errorf("another network: %v, %v", n, err)
	}
	trees.put(&thinker{})
	close(release)
	waiting.Wait()
	if trees.opened("slow") == nil || opened > 2 {
		t.Errorf("opened %d times, kept: %v", opened, trees.opened("slow"))
	}
}

type fakeNetwork struct{ engine.Network }
