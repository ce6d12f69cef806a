package grade_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
)

// graded is a report on two players with groups and bins that are empty.
func graded() grade.Report {
	m := grade.Totals{
		Optimal: grade.Share{Count: 15, Of: 20}, Kept: grade.Share{Count: 18, Of: 20}, Sign: grade.Share{Count: 16, Of: 20},
		Lost: 13, Squared: 6.25,
	}
	g := grade.Grades{Player: "net:m:400", Parts: map[string]grade.Totals{"all": m, "middle": m, "hard": m}}
	low, high := &g.Calibration[0], &g.Calibration[9]
	low.Positions, low.Values, low.Results = 5, -4.5, -4
	high.Positions, high.Values, high.Results = 15, 14.25, 12
	bare := g
	bare.Player = "net:m:0"
	best := m
	best.Optimal.Count = 20
	bare.Parts = map[string]grade.Totals{"all": best, "middle": m, "hard": m}
	return grade.Report{Game: "connect4:7,6,4", Positions: 20, Seed: 7, Parts: grade.Solved(nil).Parts, Players: []grade.Grades{g, bare}}
}

func TestReportTable(t *testing.T) {
	const want = `connect4:7,6,4 against perfect play, seed 7

player 1 is net:m:400
player 2 is net:m:0

          count # best move              result kept             lost    sign
all          20 1 75.0 % (53.1 – 88.8)   90.0 % (69.9 – 97.2)    0.65  80.0 %
                2 100.0 % (83.9 – 100.0) 90.0 % (69.9 – 97.2)    0.65  80.0 %
middle       20 1 75.0 % (53.1 – 88.8)   90.0 % (69.9 – 97.2)    0.65  80.0 %
                2 75.0 % (53.1 – 88.8)   90.0 % (69.9 – 97.2)    0.65  80.0 %
hard         20 1 75.0 % (53.1 – 88.8)   90.0 % (69.9 – 97.2)    0.65  80.0 %
                2 75.0 % (53.1 – 88.8)   90.0 % (69.9 – 97.2)    0.65  80.0 %

net:m:400
value          positions  mean value  mean result
-1.0 to -0.8           5       -0.90        -0.80
+0.8 to +1.0          15       +0.95        +0.80

net:m:0
value          positions  mean value  mean result
-1.0 to -0.8           5       -0.90        -0.80
+0.8 to +1.0          15       +0.95        +0.80
`
	if got := graded().Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An exam with scores reports the blunder rate, and one without reports right moves.
func TestExamReports(t *testing.T) {
	scored := grade.Report{Facets: []string{"stage", "difficulty"}, Parts: []string{"beginning, medium", "beginning, hard"}}
	scored.Players = []grade.Grades{{Player: "net:x:100", Parts: map[string]grade.Totals{"beginning, hard": {
		Optimal: grade.Share{Count: 300, Of: 500}, Kept: grade.Share{Count: 450, Of: 500},
	}}}}
	right := grade.Report{Facets: []string{"task", "depth"}, Parts: []string{"win, all", "defend, all"}}
	for name, kept := range map[string]int{"good": 2, "bad": 0} {
		right.Players = append(right.Players, grade.Grades{Player: name, Parts: map[string]grade.Totals{"win, all": {Kept: grade.Share{Count: kept, Of: 2}}}})
	}
	slices.SortFunc(right.Players, func(a, b grade.Grades) int { return strings.Compare(b.Player, a.Player) })
	for _, c := range []struct {
		report grade.Report
		text   string
		json   []string
	}{
		{scored, `
player 1 is net:x:100

                  count # best move                 kept blunder rate
beginning, hard     500 1 60.0 % (55.6 – 64.2)    90.0 % 10.0 % (7.7 – 12.9)
`, []string{`"player":"net:x:100"`, `"beginning, hard":{"positions":500,`, `"beginning, medium":{"positions":0,`, `"kept":{"count":450,"share":0.9,`}},
		{right, `
player 1 is good
player 2 is bad

            count # right moves
win, all        2 1 100.0 % (34.2 – 100.0)
                  2 0.0 % (0.0 – 65.8)
`, []string{`"player":"good","win, all":{"positions":2,`, `"kept":{"count":2,"share":1,`}},
	} {
		if got := c.report.Text(); got != c.text[1:] {
			t.Errorf("got\n%swant%s", got, c.text)
		}
		got, err := json.Marshal(c.report)
		for _, want := range c.json {
			if err != nil || !strings.Contains(string(got), want) {
				t.Errorf("%s, error %v; want %s", got, err, want)
			}
		}
	}
}

// The report's objects have these keys, and numbers that are undefined are null.
func TestReportJSON(t *testing.T) {
	report := graded()
	object := func(v any) map[string]any {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, data)
	}
	player := object(report)["players"].([]any)[0].(map[string]any)
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"share", object(report.Players[0].Parts["all"].Optimal), map[string]any{"count": 15., "share": 0.75, "low": 0.5313, "high": 0.8881}},
		{"empty share", object(grade.Share{}), map[string]any{"count": 0., "share": nil, "low": 0., "high": 1.}},
		{"report", slices.Sorted(maps.Keys(object(report))), []string{"game", "players", "positions", "seed"}},
		{"player", slices.Sorted(maps.Keys(player)),
			[]string{"all", "beginning", "calibration", "easy", "end", "hard", "medium", "middle", "player"}},
		{"mean lost", object(report.Players[0].Parts["all"])["mean_lost"], 0.65},
		{"squared error", object(report.Players[0].Parts["all"])["mean_squared_error"], 0.3125},
		{"none lost", player["end"].(map[string]any)["mean_lost"], nil},
		{"bins", player["calibration"].([]any)[8:], []any{
			map[string]any{"from": 0.6, "to": 0.8, "positions": 0., "mean_value": nil, "mean_result": nil},
			map[string]any{"from": 0.8, "to": 1., "positions": 15., "mean_value": 0.95, "mean_result": 0.8},
		}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// decode reads a JSON object and rounds its numbers, whose last digits differ from machine to machine, to 4 decimals.
func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	for key, value := range object {
		if x, ok := value.(float64); ok {
			object[key] = math.Round(x*1e4) / 1e4
		}
	}
	return object
}
