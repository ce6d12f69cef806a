package run

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/replay/gamesdb"
	"tengen/train"
	"tengen/train/checkpoint"
)

// A run that failed before its first checkpoint begins again with other settings.
func TestOriginOfAFailedStart(t *testing.T) {
	cfg, dir := tinyConfig(t), filepath.Join(t.TempDir(), "new")
	token := filepath.Join(t.TempDir(), "token")
	noError(t, os.WriteFile(token, []byte("user:password"), 0o600))
	remote := cfg
	remote.Cluster.Server, remote.Cluster.Run, remote.Cluster.TokenFile = "nats://127.0.0.1:1", "new", token
	if _, err := Train(t.Context(), TrainConfig{Config: remote, Dir: dir}); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Fatalf("without a server, the error is %v", err)
	}
	cfg.Train.LearningRate *= 2
	trainRun(t, TrainConfig{Config: cfg, Dir: dir})
	v, err := VerifyRun(t.Context(), dir)
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("problems %+v, error %v", v, err)
	}
}

// Another run's games and models, also of a run with the same seed, and a mixture of two backups, are refused by name before
// anything changes, and verify finds them. Without its database, a run plays its games again, but never with other models.
func TestFilesOfAnotherRun(t *testing.T) {
	cfg, other := tinyConfig(t), filepath.Join(t.TempDir(), "other")
	cfg.Train.LearningRate *= 2
	trainRun(t, TrainConfig{Config: cfg, Dir: other})
	take := func(name string) func(dir string) error {
		return func(dir string) error {
			content, err := os.ReadFile(filepath.Join(other, name))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, name), content, 0o644))
		}
	}
	newest, first := checkpoint.ModelName(2), checkpoint.ModelName(0)
	for want, spoil := range map[string]func(dir string) error{ // what train and verify say
		"games.db does not belong to this run: its train.learning_rate is ": take(gamesdb.FileName),
		newest + " is the model of another run: ":                           take(newest),
		first + " is the model of iteration 1: ": func(dir string) error {
			return os.Rename(filepath.Join(dir, checkpoint.ModelName(1)), filepath.Join(dir, first))
		},
		"games.db does not belong to this run: its " + checkpoint.ModelName(1) + " is 5a, but the run's is ": func(dir string) error {
			db, err := sql.Open("sqlite", filepath.Join(dir, gamesdb.FileName))
			if err == nil {
				_, err = db.Exec("UPDATE origin SET value = '5a' WHERE name = '" + checkpoint.ModelName(1) + "'")
			}
			return errors.Join(err, db.Close())
		},
	} {
		dir, cfg := copyTiny(t), tinyConfig(t)
		cfg.Train.Iterations = 3
		noError(t, spoil(dir))
		before := sums(t, dir)
		v, err := VerifyRun(t.Context(), dir)
		noError(t, err)
		if !strings.Contains(fmt.Sprint(v.Problems), want) {
			t.Errorf("verify finds %+v, want %q", v.Problems, want)
		}
		_, err = Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
		wantError(t, err, filepath.Join(dir, want), false)
		if !maps.Equal(sums(t, dir), before) {
			t.Errorf("%s: the refused run has changed", want)
		}
		if !strings.HasPrefix(want, gamesdb.FileName) {
			noError(t, os.Remove(filepath.Join(dir, gamesdb.FileName)))
			_, err = Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
			wantError(t, err, filepath.Join(dir, want), false)
		}
	}
	dir, whole := copyTiny(t), copyTiny(t)
	noError(t, os.Remove(filepath.Join(dir, gamesdb.FileName)))
	cfg = tinyConfig(t)
	cfg.Train.Iterations = 3
	trainRun(t, TrainConfig{Config: cfg, Dir: dir})
	trainRun(t, TrainConfig{Config: cfg, Dir: whole})
	if name := "/" + checkpoint.ModelName(3); sums(t, dir)[name] != sums(t, whole)[name] {
		t.Error("without its games, the run continues otherwise")
	}
}

// Verify works without permission to write, also after a kill, and changes nothing: not even the time of the directory.
func TestVerifyChangesNothing(t *testing.T) {
	running, killed := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "killed")
	trainRun(t, TrainConfig{Config: tinyConfig(t), Dir: running, Observe: func(e train.Event) {
		if e.Iteration == 2 && e.Phase == train.PhaseDone { // the WAL has all games
			noError(t, os.CopyFS(killed, os.DirFS(running)))
		}
	}})
	for _, dir := range []string{copyTiny(t), killed} {
		noError(t, os.Remove(filepath.Join(dir, checkpoint.LockFile)))
		noError(t, os.Chmod(dir, 0o555))
		defer os.Chmod(dir, 0o755)
		before, content := modified(t, dir), sums(t, dir)
		v, err := VerifyRun(t.Context(), dir)
		if err != nil || v.Games != 16 || len(v.Problems) > 0 {
			t.Errorf("%+v, %v", v, err)
		}
		if modified(t, dir) != before || !maps.Equal(sums(t, dir), content) {
			t.Errorf("%s has changed", dir)
		}
	}
	noError(t, errors.Join(os.Chmod(killed, 0o755), os.Remove(filepath.Join(killed, gamesdb.FileName+"-shm"))))
	before, content := modified(t, killed), sums(t, killed)
	_, err := VerifyRun(t.Context(), killed)
	wantError(t, err, "`tengen replay stats "+killed+"`, with permission to write there, brings them into the database", false)
	if modified(t, killed) != before || !maps.Equal(sums(t, killed), content) {
		t.Error("without its index of the WAL, it has changed")
	}
}

func modified(t *testing.T, file string) time.Time {
	t.Helper()
	info, err := os.Stat(file)
	noError(t, err)
	return info.ModTime()
}

// A run whose files are deleted or replaced while it trains ends before its next commit. One whose lock is deleted does so when
// a second process has begun to train it, and the second one continues.
func TestFilesDeletedInTraining(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Train.Iterations = 6
	for _, name := range []string{gamesdb.FileName, checkpoint.LockFile, checkpoint.ConfigFile, "metrics.jsonl"} {
		dir := filepath.Join(t.TempDir(), "run")
		file := filepath.Join(dir, name)
		var deleted, failed error
		var second *Training
		first, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Observe: func(e train.Event) {
			if e.Iteration != 2 || e.Phase != train.PhaseDone {
				return
			}
			content, _ := os.ReadFile(file)
			deleted = os.Remove(file)
			switch name {
			case checkpoint.LockFile:
				second, failed = Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
			case checkpoint.ConfigFile, "metrics.jsonl":
				failed = os.WriteFile(file, content, 0o644)
			}
		}})
		noError(t, err)
		err = errors.Join(first.Run(t.Context()), first.Close())
		if deleted != nil {
			t.Skip(deleted) // Windows keeps open files in place
		}
		noError(t, failed)
		wantError(t, err, "iteration 3: "+file+" was deleted, moved or replaced while the run was training", false)
		if first.Iteration() != 2 {
			t.Errorf("the run is at iteration %d, want 2", first.Iteration())
		}
		if second != nil {
			noError(t, errors.Join(second.Run(t.Context()), second.Close()))
			v, err := VerifyRun(t.Context(), dir)
			if err != nil || len(v.Problems) > 0 {
				t.Errorf("%+v, %v", v, err)
			}
		}
	}
}
