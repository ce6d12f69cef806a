package run

import (
	"fmt"
	"slices"
	"testing"

	"tengen/eval"
	"tengen/eval/grade"
	"tengen/players"
	"tengen/train/checkpoint"
)

// A chart shows the share of moves that are not optimal, by stage, if there are any, with search and of all moves without.
func TestMistakes(t *testing.T) {
	optimal := func(count, of int) grade.Totals {
		share := grade.Share{Count: count, Of: of}
		return grade.Totals{Optimal: share, Kept: share}
	}
	search := grade.Grades{Parts: map[string]grade.Totals{
		"end": optimal(100, 100), "beginning": optimal(75, 100), "middle": {}, "all": optimal(175, 200),
	}}
	bare := grade.Grades{Parts: map[string]grade.Totals{"end": optimal(0, 100), "all": optimal(50, 100)}}
	var got []string
	for _, m := range Mistakes([]checkpoint.PublishedModel{{Iteration: 3}, {Iteration: 7}, {Iteration: 9}}, []grade.Report{
		{Players: []grade.Grades{search, bare}},
		{Players: []grade.Grades{{Parts: map[string]grade.Totals{"middle": optimal(50, 100)}}}},
		{Players: []grade.Grades{{Parts: map[string]grade.Totals{"all": optimal(50, 100)}}}},
	}) {
		for _, p := range m.Points {
			got = append(got, fmt.Sprintf("%d: %s %.1f, %.1f to %.1f", m.Iteration, p.Series, p.Value, p.Interval[0], p.Interval[1]))
		}
	}
	if want := []string{
		"3: search, beginning 25.0, 17.5 to 34.3",
		"3: search, end 0.0, 0.0 to 3.7",
		"3: bare network, all 50.0, 40.4 to 59.6",
		"7: search, middle 50.0, 40.4 to 59.6",
		"9: search, all 50.0, 40.4 to 59.6",
	}; !slices.Equal(got, want) {
		t.Errorf("the points are\n%q\nwant\n%q", got, want)
	}
}

func TestLadder(t *testing.T) {
	e, run := open(t, "tictactoe"), tinyRun(t)
	l := LadderConfig{
		Runs: []string{run}, Against: []players.Spec{spec(t, "random"), spec(t, "solver")}, Models: 2, Simulations: 2,
		MatchConfig: eval.Default(),
	}
	l.Games, l.Workers = 4, 2
	var played []int
	c, err := Ladder(t.Context(), e, l, func(n, matches int, last eval.Result) {
		if played = append(played, n); matches != 6 || last.Total().Games() != 4 {
			t.Errorf("match %d of %d: %v", n, matches, last)
		}
	})
	noError(t, err)
	if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(played, want) {
		t.Errorf("told of matches %v, want %v", played, want)
	}
	if len(c.Players) != 4 || c.Players[0].Name != "random" || c.Players[0].Rating.Elo != 0 || len(c.Models) != 2 {
		t.Fatalf("%+v", c)
	}
	if first, last := c.Models[0], c.Models[1]; first.Iteration != 0 || last.Iteration != 2 || last.Games != 16 {
		t.Errorf("the models are %+v", c.Models)
	}
	if short := c.Short[c.Players[3].Name]; short != run+" 2" {
		t.Errorf("the last model is short %q", short)
	}
	measured := c.Measured(run + "/")
	if len(measured) != 2 || measured[0].Iteration != 0 || measured[1].Iteration != 2 || c.Measured("elsewhere") != nil {
		t.Fatalf("measured are %+v", measured)
	}
	if p := measured[1].Points; len(p) != 1 || p[0].Series != "above random" || p[0].Value != float32(c.Players[3].Rating.Elo) {
		t.Errorf("the last model has %+v, want a rating of %v", p, c.Players[3].Rating)
	}
	for want, change := range map[string]func(*LadderConfig){
		"checkpoints is 0":     func(l *LadderConfig) { l.Models = 0 },
		"simulations is -1":    func(l *LadderConfig) { l.Simulations = -1 },
		"games is 0":           func(l *LadderConfig) { l.Games = 0 },
		"opening_plies is -99": func(l *LadderConfig) { l.OpeningPlies = -99 },
	} {
		bad := l
		change(&bad)
		_, err := Ladder(t.Context(), e, bad, nil)
		wantError(t, err, want, true)
	}
	l.Runs = []string{t.TempDir()}
	_, err = Ladder(t.Context(), e, l, nil)
	wantError(t, err, "it is not a run directory", false)
}
