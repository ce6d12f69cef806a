package run

import (
	"os"
	"path/filepath"
	"testing"

	"tengen/replay"
	"tengen/replay/gamesdb"
)

// The training process and others read a run's games during training.
func TestRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	training, err := Train(t.Context(), TrainConfig{Config: tinyConfig(t), Dir: dir})
	noError(t, err)
	count := func(open func() (*Run, error)) (games int) {
		run, err := open()
		noError(t, err)
		err = run.Read(t.Context(), 0, func(e replay.Entry) error {
			games++
			return run.Check(e)
		})
		if _, end := run.Span(); err != nil || uint64(games) != end || run.Close() != nil {
			t.Errorf("%d games of %d, %v", games, end, err)
		}
		return games
	}
	recorded := func() (*Run, error) { return training.Recorded(t.Context()) }
	browsed := func() (*Run, error) { return OpenRun(t.Context(), dir) }
	if n, m := count(recorded), count(browsed); n+m != 0 {
		t.Errorf("%d and %d games before the first", n, m)
	}
	noError(t, training.Run(t.Context()))
	if n, m := count(recorded), count(browsed); n != 16 || m != 16 {
		t.Errorf("%d and %d games, 16 were played", n, m)
	}
	if v, err := VerifyRun(t.Context(), dir); err != nil || v.Games != 16 || len(v.Problems) > 0 {
		t.Errorf("verified while the run is open: %+v, %v", v, err)
	}
	noError(t, training.Close())
	if n := count(browsed); n != 16 {
		t.Errorf("%d games after the training", n)
	}
	noError(t, os.Remove(filepath.Join(dir, gamesdb.FileName)))
	_, err = browsed()
	wantError(t, err, "no such file", false)
	_, err = OpenRun(t.Context(), t.TempDir())
	wantError(t, err, "is not a run directory", false)
}
