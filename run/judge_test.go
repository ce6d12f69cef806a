package run

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/eval/rating"
	"tengen/train/checkpoint"
)

// A model is rated by the matches that lead to the opponent of today, whoever was the opponent before.
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

// An older model that is damaged is told of and left out of the rating, and the run goes on.
func TestRatingWithoutADamagedModel(t *testing.T) {
	cfg, dir := tinyConfig(), filepath.Join(t.TempDir(), "run")
	cfg.Train.EvaluateEvery, cfg.Eval.Against, cfg.Eval.Games, cfg.Eval.LadderGames = 1, "random", 2, 2
	cfg.Eval.GradePositions = 0
	damaged := filepath.Join(dir, checkpoint.ModelName(1))
	var warnings []string
	warn := func(err error) {
		if strings.Contains(err.Error(), "no match against an earlier model") { // where much is going on, the game log may warn of itself
			warnings = append(warnings, err.Error())
		}
	}
	for _, iterations := range []int{2, 3} {
		cfg.Train.Iterations = iterations
		run, err := Train(t.Context(), TrainConfig{Config: cfg, Dir: dir, Warn: warn})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(run.Run(t.Context()), run.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(damaged, 100); err != nil {
			t.Fatal(err)
		}
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
