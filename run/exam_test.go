package run

import (
	"reflect"
	"slices"
	"testing"

	"tengen/engine"
	"tengen/train/checkpoint"
)

// A run poses the same part of the exam each time, evenly spread over the cells.
func TestRunTakesExam(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Eval.Simulations, cfg.Eval.ExamPositions = 0, 12
	a, model := newTestArena(t, "gomoku", cfg)
	examine := func() ([]checkpoint.ExamPart, error) {
		set, err := a.exam(t.Context())
		noError(t, err)
		return a.examine(t.Context(), model, set, nil)
	}
	parts, err := examine()
	noError(t, err)
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
	if again, err := examine(); err != nil || !reflect.DeepEqual(again, parts) {
		t.Errorf("the second time %+v, error %v; want %+v", again, err, parts)
	}
	a.cfg.Eval.ExamPositions = 0
	if none, err := examine(); none != nil || err != nil {
		t.Errorf("unasked %+v, %v", none, err)
	}
	a, model = newTestArena(t, "tictactoe", cfg)
	if none, err := examine(); none != nil || err != nil {
		t.Errorf("for tic-tac-toe %+v, %v", none, err)
	}
}

// A run grades the number of positions in its settings, and returns no grade if that is 0.
func TestRunGrades(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Eval.Simulations, cfg.Eval.GradePositions = 0, 20
	a, model := newTestArena(t, "tictactoe", cfg)
	grade := func() (*checkpoint.Grade, error) {
		set, err := a.solved(t.Context())
		noError(t, err)
		return a.grade(t.Context(), model, set, nil)
	}
	graded, err := grade()
	noError(t, err)
	if graded.Positions != 20 || !reflect.DeepEqual(graded.Search, graded.Policy) || graded.Search.Optimal <= 0 || graded.Search.Optimal >= 1 {
		t.Errorf("%+v; want 20 positions, and an untrained model that finds some best moves, as well without a search", graded)
	}
	a.cfg.Eval.GradePositions = 0
	if none, err := grade(); none != nil || err != nil {
		t.Errorf("unasked %+v, %v", none, err)
	}
}

// Where no ply says what is quick to solve, a run does not look for it; a game too short for quick positions is a warning.
func TestRunGradesOnlyQuickPositions(t *testing.T) {
	cfg := tinyConfig(t)
	cfg.Eval.GradePositions = 20
	for game, want := range map[string][]string{
		"go:3,0":         nil,
		"connect4:5,3,1": {"models are not graded by perfect play: sample: found no position of connect4:5,3,1 from ply 1 on with a choice of moves"},
	} {
		a, _ := newTestArena(t, game, cfg)
		var warnings []string
		a.warn = func(err error) { warnings = append(warnings, err.Error()) }
		for range 2 {
			if set, err := a.solved(t.Context()); len(set.Problems) > 0 || err != nil {
				t.Errorf("%s: %d positions, error %v", game, len(set.Problems), err)
			}
		}
		if !slices.Equal(warnings, want) {
			t.Errorf("%s: warnings %q, want %q", game, warnings, want)
		}
	}
}

// newTestArena returns the arena of a run and an untrained model.
func newTestArena(t *testing.T, game string, cfg Config) (*arena, engine.Player) {
	t.Helper()
	cfg.Game = game
	e := open(t, game)
	a, err := newArena(e, cfg, nil)
	noError(t, err)
	model, err := a.player(e.Weights(cfg.Net, cfg.Seed))
	noError(t, err)
	return a, model
}
