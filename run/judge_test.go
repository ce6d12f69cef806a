package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/train/checkpoint"
)

// A damaged earlier model causes a warning and has no match.
func TestRatingWithoutADamagedModel(t *testing.T) {
	cfg, dir := tinyConfig(t), filepath.Join(t.TempDir(), "run")
	cfg.Train.EvaluateEvery, cfg.Eval.Against, cfg.Eval.Games, cfg.Eval.LadderGames = 1, "random", 2, 2
	cfg.Eval.GradePositions = 0
	damaged := filepath.Join(dir, checkpoint.ModelName(1))
	var warnings []string
	warn := func(err error) {
		if strings.Contains(err.Error(), "no match against an earlier model") { // under load, the game log may warn too
			warnings = append(warnings, err.Error())
		}
	}
	for _, iterations := range []int{2, 3} {
		cfg.Train.Iterations = iterations
		trainRun(t, TrainConfig{Config: cfg, Dir: dir, Warn: warn})
		noError(t, os.Truncate(damaged, 100))
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], damaged) {
		t.Errorf("warnings %q, want one that names %s", warnings, damaged)
	}
	all, err := checkpoint.ReadMetrics(dir)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d lines of metrics, %v", len(all), err)
	}
	if m := all[2]; m.Rating == nil || len(m.Evaluation) != 2 || m.Evaluation[checkpoint.ModelName(2)].Games() != 2 {
		t.Errorf("the last model was rated by %v", m.Evaluation)
	}
}
