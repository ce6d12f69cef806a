package grade_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"tengen/eval/grade"
)

// graded is a report on two players with groups and bins that are empty.
func graded() grade.Report {
	m := grade.Totals{
		Optimal: grade.Share{Count: 15, Of: 20}, Kept: grade.Share{Count: 18, Of: 20}, Sign: grade.Share{Count: 16, Of: 20},
		Lost: 13, Squared: 6.25,
	}
	g := grade.Grades{Player: "net:m:400", All: m, Middle: m, Hard: m}
	low, high := &g.Calibration[0], &g.Calibration[9]
	low.Positions, low.Values, low.Results = 5, -4.5, -4
	high.Positions, high.Values, high.Results = 15, 14.25, 12
	bare := g
	bare.Player = "net:m:0"
	bare.All.Optimal.Count = 20
	return grade.Report{Game: "connect4:7,6,4", Positions: 20, Seed: 7, Players: []grade.Grades{g, bare}}
}

func TestReportTable(t *testing.T) {
	const want = `connect4:7,6,4 against perfect play, seed 7

           positions  player     best move               result kept               lost  value's sign right      sq.error
all               20  net:m:400  75.0 % (53.1 – 88.8)    90.0 % (69.9 – 97.2)      0.65  80.0 % (58.4 – 91.9)       0.312
                      net:m:0    100.0 % (83.9 – 100.0)  90.0 % (69.9 – 97.2)      0.65  80.0 % (58.4 – 91.9)       0.312
middle            20  net:m:400  75.0 % (53.1 – 88.8)    90.0 % (69.9 – 97.2)      0.65  80.0 % (58.4 – 91.9)       0.312
                      net:m:0    75.0 % (53.1 – 88.8)    90.0 % (69.9 – 97.2)      0.65  80.0 % (58.4 – 91.9)       0.312
hard              20  net:m:400  75.0 % (53.1 – 88.8)    90.0 % (69.9 – 97.2)      0.65  80.0 % (58.4 – 91.9)       0.312
                      net:m:0    75.0 % (53.1 – 88.8)    90.0 % (69.9 – 97.2)      0.65  80.0 % (58.4 – 91.9)       0.312

value          positions  mean value  mean result   net:m:400
-1.0 to -0.8           5       -0.90        -0.80
+0.8 to +1.0          15       +0.95        +0.80

value          positions  mean value  mean result   net:m:0
-1.0 to -0.8           5       -0.90        -0.80
+0.8 to +1.0          15       +0.95        +0.80
`
	if got := graded().Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
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
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"share", object(report.Players[0].All.Optimal), map[string]any{"count": 15., "share": 0.75, "low": 0.5313, "high": 0.8881}},
		{"empty share", object(grade.Share{}), map[string]any{"count": 0., "share": nil, "low": 0., "high": 1.}},
		{"report", slices.Sorted(maps.Keys(object(report))), []string{"game", "players", "positions", "seed"}},
		{"player", slices.Sorted(maps.Keys(object(report.Players[0]))),
			[]string{"all", "beginning", "calibration", "easy", "end", "hard", "medium", "middle", "player"}},
		{"mean lost", object(report.Players[0].All)["mean_lost"], 0.65},
		{"squared error", object(report.Players[0].All)["mean_squared_error"], 0.3125},
		{"none lost", object(report.Players[0].End)["mean_lost"], nil},
		{"bins", object(report.Players[0])["calibration"].([]any)[8:], []any{
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
