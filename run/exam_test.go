package run

import (
	"reflect"
	"testing"

	"tengen/engine"
)

// A run's evaluation puts the same part of the exam to the model each time, evenly spread over the cells, and none where there is
// no exam or none is asked for.
func TestRunTakesExam(t *testing.T) {
	cfg := tinyConfig()
	cfg.Eval.Simulations, cfg.Eval.ExamPositions = 0, 12
	j, model := judged(t, "gomoku", cfg)
	parts, err := j.examine(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"win, all": 6, "win, short": 3, "win, medium": 2, "win, long": 1,
		"defend, all": 6, "defend, short": 3, "defend, medium": 2, "defend, long": 1}
	for _, p := range parts {
		if p.Positions != want[p.Part] || p.Search != p.Policy || !(p.Search.Low <= p.Search.Share && p.Search.Share <= p.Search.High) {
			t.Errorf("%+v; want %d positions, and the same with no simulations as without", p, want[p.Part])
		}
		delete(want, p.Part)
	}
	if len(want) > 0 {
		t.Errorf("no parts %v", want)
	}
	if again, err := j.examine(t.Context(), model); err != nil || !reflect.DeepEqual(again, parts) {
		t.Errorf("the second time %+v, error %v; want %+v", again, err, parts)
	}
	j.cfg.Eval.ExamPositions = 0
	if none, err := j.examine(t.Context(), model); none != nil || err != nil {
		t.Errorf("unasked %+v, %v", none, err)
	}
	j, model = judged(t, "tictactoe", cfg)
	if none, err := j.examine(t.Context(), model); none != nil || err != nil {
		t.Errorf("for tic-tac-toe %+v, %v", none, err)
	}
}

// judged is the judge of a run, and a model that has learned nothing.
func judged(t *testing.T, game string, cfg Config) (*judge, engine.Player) {
	t.Helper()
	cfg.Game = game
	e := open(t, game)
	j, err := newJudge(e, cfg, "", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	model, err := j.player("model", e.weights(cfg))
	if err != nil {
		t.Fatal(err)
	}
	return j, model
}

// In Connect Four, moves are right that keep the value.
func TestRunTakesExamOfConnect4(t *testing.T) {
	cfg := tinyConfig()
	cfg.Eval.Simulations, cfg.Eval.ExamPositions = 0, 60
	j, model := judged(t, "connect4", cfg)
	parts, err := j.examine(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if p.Positions != 10 || p.Search.Share <= 0 || p.Search.Share > 1 {
			t.Errorf("%+v; want 10 positions", p)
		}
	}
	if len(parts) != 6 {
		t.Errorf("%d parts; want 6", len(parts))
	}
}
