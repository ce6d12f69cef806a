package run

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/eval/rating"
	"tengen/train/checkpoint"
)

// A rating uses only matches that lead to the present opponent.
func TestRatingAfterAnotherOpponent(t *testing.T) {
	even := rating.Tally{Wins: 3, Draws: 4, Losses: 3}
	for name, bridge := range map[string]bool{"no model met both": false, "a model met both": true} {
		p := playedMatches{names: []string{"uct:2000"}}
		p.add("model 1", map[string]rating.Tally{"uct:1000": even})
		p.add("model 2", map[string]rating.Tally{"uct:1000": even, "model 1": even})
		matches := map[string]rating.Tally{"uct:2000": even, "model 3": even} // the last is of damaged metrics
		if bridge {
			matches["model 2"] = even
		}
		p.add("model 3", matches)
		if r, err := p.rating("model 3"); err != nil || math.Abs(r.Elo) > 1e-6 {
			t.Errorf("%s: %+v, %v; all games are even", name, r, err)
		}
	}
}

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
