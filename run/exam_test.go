package run

import (
	"reflect"
	"testing"

	"tengen/engine"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/net"
	"tengen/players"
)

// A run's evaluation puts the same part of the exam to the model each time, evenly spread over the cells, and none where there is
// no exam or none is asked for.
func TestRunTakesExam(t *testing.T) {
	cfg := tinyConfig()
	cfg.Eval.Simulations, cfg.Eval.ExamPositions = 0, 12
	e := open(t, "gomoku").(bound[mnk.State])
	weights := net.NewWeights(cfg.Net, net.ShapeOf(e.Rules), 1)
	j := &judge[mnk.State]{bound: e, cfg: cfg}
	parts, err := j.examine(t.Context(), weights)
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
	if again, err := j.examine(t.Context(), weights); err != nil || !reflect.DeepEqual(again, parts) {
		t.Errorf("the second time %+v, error %v; want %+v", again, err, parts)
	}
	j.cfg.Eval.ExamPositions = 0
	if none, err := j.examine(t.Context(), weights); none != nil || err != nil {
		t.Errorf("unasked %+v, %v", none, err)
	}
	small := open(t, "tictactoe").(bound[mnk.State])
	other := &judge[mnk.State]{bound: small, cfg: cfg}
	if none, err := other.examine(t.Context(), net.NewWeights(cfg.Net, net.ShapeOf(small.Rules), 1)); none != nil || err != nil {
		t.Errorf("for tic-tac-toe %+v, %v", none, err)
	}
}

// In Connect Four, moves are right that keep the value.
func TestRunTakesExamOfConnect4(t *testing.T) {
	e := open(t, "connect4").(bound[connect4.State])
	c := engine.DefaultExam()
	c.Player = players.Spec{Kind: players.KindRandom}
	report, err := e.Examine(t.Context(), e.Builder(engine.PlayerOptions{}), c, 60, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	parts := examParts(report)
	for _, p := range parts {
		if p.Positions != 10 || p.Search.Share <= 0 || p.Search.Share > 1 {
			t.Errorf("%+v; want 10 positions", p)
		}
	}
	if len(parts) != 6 {
		t.Errorf("%d parts; want 6", len(parts))
	}
}
