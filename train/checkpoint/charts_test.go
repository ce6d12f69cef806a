package checkpoint

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/eval/rating"
)

// The list has what a picture needs: an id of its own that makes a name of a file and a tag, and a sentence; charts of a group stand
// together.
func TestCharts(t *testing.T) {
	ids, groups := map[string]bool{}, []Group{}
	for _, c := range Charts {
		if ids[c.ID] || c.ID == "" || strings.Trim(c.ID, "abcdefghijklmnopqrstuvwxyz_-") != "" {
			t.Errorf("the id %q is empty, unusual or there twice", c.ID)
		}
		ids[c.ID] = true
		if c.Name == "" || !strings.HasSuffix(c.About, ".") || c.Axis != Linear && c.Axis != Logarithmic {
			t.Errorf("%+v", c)
		}
		if !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		} else if groups[len(groups)-1] != c.Group {
			t.Errorf("%s stands apart from its group", c.ID)
		}
	}
	if !slices.Equal(groups, []Group{GroupStrength, GroupLearning, GroupGames, GroupSpeed}) {
		t.Errorf("groups %q", groups)
	}
}

// lines are two iterations: a bare one, and one with everything.
func lines() []Metrics {
	return []Metrics{
		{Iteration: 1, Games: 100, Play: Play{GameLength: 7.5}, Seconds: Seconds{SelfPlay: 3, Total: 5}, Time: time.Unix(100, 0)},
		{Iteration: 2, Games: 200, Step: 12, Model: 2,
			Learning:   &Learning{Loss: 3.5, Terms: []Term{{Name: "value", Loss: 0.5}, {Name: "policy", Loss: 1.5}}, L2Loss: 1.5},
			Gate:       &GateResult{Tally: rating.Tally{Wins: 1, Draws: 1}, Accepted: true},
			Evaluation: map[string]rating.Tally{"uct:1000": {Wins: 3, Losses: 1}, "model-00000001.safetensors": {Wins: 4}, "net:a.b/c:0": {}},
			Grade: &Grade{Positions: 20,
				Search: rating.Accuracy{Optimal: 0.9, Mistakes: map[string]float64{"middle": 0.1, "end": 0}}},
			Exam:    []ExamPart{{Part: "beginning, hard", Positions: 5, Search: Proportion{Share: 0.8, Low: 0.4, High: 0.9}}},
			Rating:  &rating.Rating{Elo: 120, Low: 20, High: 220},
			Seconds: Seconds{SelfPlay: 4, Train: 1, Total: 6}, CPUSeconds: 9, Time: time.Unix(106, 0)},
	}
}

// Points are those that an iteration has measured, shares in percent, with the intervals that are known.
func TestLines(t *testing.T) {
	all := Lines(lines())
	if first := all[0]; first.Games != 100 || first.Hours*3600 != 5 || first.Points["losses"] != nil || first.Points["elo"] != nil {
		t.Errorf("%+v", first)
	}
	second := all[1]
	if second.Steps != 12 || second.Hours*3600 != 11 {
		t.Errorf("%+v", second)
	}
	for chart, want := range map[string]string{
		"score":    `[{"series":"uct:1000","value":75,"interval":[30.064184,95.44128]}]`,
		"elo":      `[{"series":"","value":120,"interval":[20,220]}]`,
		"mistakes": `[{"series":"middle","value":10,"interval":[1.7876213,40.415]},{"series":"end","value":0,"interval":[0,27.75328]}]`,
		"exam":     `[{"series":"beginning, hard","value":80,"interval":[40,90]}]`,
		"losses":   `[{"series":"value","value":0.5},{"series":"policy","value":1.5}]`,
		"gate":     `[{"series":"","value":75}]`,
	} {
		if got, err := json.Marshal(second.Points[chart]); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", chart, got, err, want)
		}
	}
	var tested Metrics
	if p := Points(&tested)["resigned"]; p != nil {
		t.Errorf("resignations of a run that has none: %v", p)
	}
	tested.TestedResignations, tested.FalseResignations = 4, 1
	if p := Points(&tested)["resigned"]; len(p) != 2 || p[1].Value != 25 {
		t.Errorf("one of four games given up wrongly: %v", p)
	}
}

// What was measured of a run's models afterwards joins its lines, also of the first model; not what is about another run's.
func TestAddMeasured(t *testing.T) {
	dir := t.TempDir()
	if all, err := AddMeasured(dir, Lines(lines())); err != nil || len(all) != 2 {
		t.Errorf("%d lines, %v", len(all), err)
	}
	point := []Point{Between("above random", 10, 5, 15)}
	for _, chart := range []string{GradesChart, LadderChart} {
		if _, err := SaveMeasured(dir, chart, []Measured{{0, point}, {2, point}, {7, point}}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := AddMeasured(dir, Lines(lines()))
	if err != nil || len(all) != 3 || all[0].Iteration != 0 || all[0].Games != 0 || len(all[0].Points) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if got := all[2].Points[LadderChart]; len(got) != 1 || *got[0].Interval != [2]float32{5, 15} || all[2].Points["elo"] == nil || all[1].Points[LadderChart] != nil {
		t.Errorf("%+v", all)
	}
	if err := os.WriteFile(measuredFile(dir, LadderChart), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if all, err := AddMeasured(dir, Lines(lines())); err == nil || !strings.Contains(err.Error(), "ladder.json") || len(all) != 2 {
		t.Errorf("%d lines, %v", len(all), err)
	}
}
