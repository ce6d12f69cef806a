package run

import (
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/replay/gamesdb"
	"tengen/train"
	"tengen/train/checkpoint"
)

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
	noGames := func(dir string) error { return os.Remove(filepath.Join(dir, gamesdb.FileName)) }
	newest, first := checkpoint.ModelName(2), checkpoint.ModelName(0)
	for name, c := range map[string]struct {
		spoil []func(dir string) error
		want  string // of train and verify, after the directory; "" if train brings back what is lost
	}{
		"games":  {[]func(string) error{take(gamesdb.FileName)}, "games.db does not belong to this run: it says that train.learning_rate is "},
		"models": {[]func(string) error{take(newest)}, newest + " is the model of another run: "},
		"models, games lost": {[]func(string) error{noGames, func(dir string) error {
			return os.Rename(filepath.Join(dir, checkpoint.ModelName(1)), filepath.Join(dir, first))
		}}, first + " is the model of iteration 1: "},
		"a mixture": {[]func(string) error{func(dir string) error {
			db, err := sql.Open("sqlite", filepath.Join(dir, gamesdb.FileName))
			if err == nil {
				_, err = db.Exec("UPDATE model_files SET sha256 = '5a' WHERE model = 1")
			}
			return errors.Join(err, db.Close())
		}}, "games.db does not belong to this run: it says that the SHA-256 of model 1 is 5a, but the run has "},
		"games lost": {[]func(string) error{noGames}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyTiny(t)
			for _, spoil := range c.spoil {
				noError(t, spoil(dir))
			}
			cfg := tinyConfig(t)
			cfg.Train.Iterations = 3
			if c.want == "" {
				trainRun(t, TrainConfig{Config: cfg, Dir: dir})
				whole := copyTiny(t)
				trainRun(t, TrainConfig{Config: cfg, Dir: whole})
				if a, b := sums(t, dir)["/"+checkpoint.ModelName(3)], sums(t, whole)["/"+checkpoint.ModelName(3)]; a != b {
					t.Errorf("the model is %s, want %s", a, b)
				}
			} else {
				before := sums(t, dir)
				_, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
				wantError(t, err, filepath.Join(dir, c.want), false)
				after := sums(t, dir)
				delete(after, "/"+gamesdb.FileName) // made anew where it was lost
				delete(before, "/"+gamesdb.FileName)
				if !maps.Equal(before, after) {
					t.Error("the refused run has changed")
				}
			}
			v, err := VerifyRun(t.Context(), dir)
			if c.want != "" && err != nil && strings.Contains(name, "games lost") {
				return // there is nothing to verify games in
			}
			noError(t, err)
			problems := ""
			for _, p := range v.Problems {
				problems += p.Text + "\n"
			}
			if !strings.Contains(problems, c.want) || (c.want == "") != (problems == "") {
				t.Errorf("verify finds %q, want %q", problems, c.want)
			}
		})
	}
}

// Verify works without permission to write, and changes nothing: not even the time of the directory.
func TestVerifyChangesNothing(t *testing.T) {
	dir := copyTiny(t)
	noError(t, os.Remove(filepath.Join(dir, checkpoint.LockFile)))
	noError(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	before, err := os.Stat(dir)
	noError(t, err)
	content := sums(t, dir)
	v, err := VerifyRun(t.Context(), dir)
	if err != nil || len(v.Problems) > 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	if after, err := os.Stat(dir); err != nil || after.ModTime() != before.ModTime() || !maps.Equal(sums(t, dir), content) {
		t.Errorf("the directory has changed; %v", err)
	}
}

// A run whose database is deleted while it trains ends before it commits anything without it. One whose lock is deleted ends
// when a second process has begun to train it, and the second one continues.
func TestFilesDeletedInTraining(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Train.Iterations = 6
	for _, name := range []string{gamesdb.FileName, checkpoint.LockFile} {
		dir := filepath.Join(t.TempDir(), "run")
		var deleted, failed error
		var second *Training
		first, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Observe: func(e train.Event) {
			if e.Iteration != 2 || e.Phase != train.PhaseDone {
				return
			}
			if deleted = os.Remove(filepath.Join(dir, name)); name == checkpoint.LockFile && deleted == nil {
				second, failed = Train(t.Context(), TrainConfig{Config: cfg, Dir: dir})
			}
		}})
		noError(t, err)
		err = errors.Join(first.Run(t.Context()), first.Close())
		if deleted != nil {
			t.Skip(deleted) // Windows keeps open files in place
		}
		noError(t, failed)
		wantError(t, err, "iteration 3: "+filepath.Join(dir, name)+" was deleted, moved or replaced while the run was training", false)
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
