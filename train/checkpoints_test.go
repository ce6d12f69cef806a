package train

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCheckpoints(t *testing.T) {
	path, _ := undisturbed(t)
	metrics, err := os.OpenFile(filepath.Join(path, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	metrics.WriteString(`{"iteration":4,"torn`)
	metrics.Close()

	all, err := Checkpoints(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := ReadMetrics(path)
	if err != nil || len(lines) != 3 {
		t.Fatalf("%d lines of metrics, error %v; want 3", len(lines), err)
	}
	// The first iteration learned nothing and published nothing.
	if len(all) != 3 || all[0].Iteration != 0 || all[1].Iteration != 2 || all[2].Iteration != 3 {
		t.Fatalf("checkpoints %+v, want those of iterations 0, 2 and 3", all)
	}
	if all[0].Games != 0 || all[0].Time != 0 || all[1].Games != 6 || all[2].Games != 9 {
		t.Errorf("games and times of %+v", all)
	}
	want := 0.0
	for _, m := range lines {
		want += m.Seconds.SelfPlay + m.Seconds.Train
	}
	if got := all[2].Time; (got - time.Duration(want*float64(time.Second))).Abs() > time.Microsecond {
		t.Errorf("time %v, want %v s", got, want)
	}
	if _, err := os.Stat(all[2].File); err != nil {
		t.Error(err)
	}
}

func TestCheckpointsOfNoRun(t *testing.T) {
	_, err := Checkpoints(t.TempDir())
	wantError(t, err, "has no model")
	_, err = Checkpoints(filepath.Join(t.TempDir(), "missing"))
	wantError(t, err, "missing")
}
