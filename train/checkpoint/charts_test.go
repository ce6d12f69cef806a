package checkpoint

import (
	"encoding/json"
	"maps"
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
		if c.Name == "" || !strings.HasSuffix(c.About, ".") || c.Scale != Linear && c.Scale != Logarithmic {
			t.Errorf("%+v", c)
		}
		if !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		} else if groups[len(groups)-1] != c.Group {
			t.Errorf("%s stands apart from its group", c.ID)
		}
	}
	if !slices.Equal(groups, []Group{GroupStrength, GroupLosses, GroupLearning, GroupGames, GroupSpeed}) {
		t.Errorf("groups %q", groups)
	}
}

// lines are two iterations: a bare one, and one with everything.
func lines() []Metrics {
	return []Metrics{
		{Iteration: 1, Games: 100, Play: Play{GameLength: 7.5}, Seconds: Seconds{SelfPlay: 3, Total: 5}, Time: time.Unix(100, 0)},
		{Iteration: 2, Games: 200, Step: 12, Model: 1, Positions: 900, Window: 500,
			Learning: &Learning{Loss: 3.5, Terms: []Term{{Name: "value", Loss: 0.5}, {Name: "policy", Loss: 1.5}}, L2Loss: 1.25,
				Unseen: Unseen{0.625, 1.75}, PolicyEntropy: 0.75, GradientNorm: 2.5, LearningRate: 0.125},
			Work:       Work{GamesPerSecond: 4, EvaluationsPerSecond: 300, SimulationsPerSecond: 700, CacheHitRate: 0.25},
			Play:       Play{7.5, 0.25, 0.5, 0.125, 0.375},
			Evaluation: map[string]rating.Tally{"uct:1000": {Wins: 3, Losses: 1}, "net:a.b/c:0": {}},
			Grade: &Grade{Positions: 20,
				Search: rating.Accuracy{Optimal: 0.9, KeepsValue: 0.95, ScoreLost: 1.5, SignAccuracy: 0.7, Mistakes: map[string]float64{"middle": 0.1, "end": 0}, Stages: map[string]int{"middle": 12, "end": 8}},
				Policy: rating.Accuracy{Optimal: 0.5, KeepsValue: 0.6, ScoreLost: 3, SignAccuracy: 0.65}},
			Exam:    []ExamPart{{"beginning, hard", 5, rating.Proportion{Share: 0.8, Low: 0.4, High: 0.9}, rating.Proportion{Share: 0.5, Low: 0.25, High: 0.75}}},
			Seconds: Seconds{4, 0.25, 0.5, 1, 2, 9, 0}, CPUSeconds: 10, CoreSeconds: CoreSeconds{3, 0.5, 0, 2, 8}, Time: time.Unix(106, 0)},
	}
}

// Points are those that an iteration has measured, shares in percent, with the intervals that are known.
func TestLines(t *testing.T) {
	all := Lines(lines())
	if first := all[0]; first.Games != 100 || first.Hours*3600 != 5 {
		t.Errorf("%+v", first)
	} else if got := slices.Sorted(maps.Keys(first.Points)); !slices.Equal(got, strings.Fields("games known length models positions results searches steps time")) {
		t.Errorf("a bare iteration has points for %v", got)
	} else if got := first.Points["time"]; len(got) != 2 { // self-play and all
		t.Errorf("a bare iteration has the times %+v", got)
	}
	second := all[1]
	if second.Steps != 12 || second.Hours*3600 != 14 {
		t.Errorf("%+v", second)
	}
	for chart, want := range map[string]string{
		"score":    `[{"series":"uct:1000","value":75,"interval":[30.064184,95.44128]}]`,
		"best":     `[{"series":"search","value":90,"interval":[69.89664,97.21335]},{"series":"bare network","value":50,"interval":[29.9298,70.0702]}]`,
		"mistakes": `[{"series":"middle","value":10,"interval":[2.026901,37.37262]},{"series":"end","value":0,"interval":[0,32.440758]}]`,
		"kept":     `[{"series":"search","value":95},{"series":"bare network","value":60}]`,
		"lost":     `[{"series":"search","value":1.5},{"series":"bare network","value":3}]`,
		"told":     `[{"series":"search","value":70},{"series":"bare network","value":65}]`,
		"exam":     `[{"series":"beginning, hard","value":80,"interval":[40,90]}]`,
		"bare":     `[{"series":"beginning, hard","value":50,"interval":[25,75]}]`,
		"losses": `[{"series":"value","value":0.5},{"series":"policy","value":1.5},` +
			`{"series":"value, unseen","value":0.625},{"series":"policy, unseen","value":1.75}]`,
		"objective": `[{"series":"","value":2.25}]`,
		"penalty":   `[{"series":"","value":1.25}]`,
		"entropy":   `[{"series":"","value":0.75}]`,
		"gradient":  `[{"series":"","value":2.5}]`,
		"rate":      `[{"series":"","value":0.125}]`,
		"steps":     `[{"series":"","value":12}]`,
		"models":    `[{"series":"ended","value":2},{"series":"newest model","value":1}]`,
		"results":   `[{"series":"first wins","value":50},{"series":"draw","value":12.5},{"series":"second wins","value":37.5}]`,
		"length":    `[{"series":"","value":7.5}]`,
		"positions": `[{"series":"of all games","value":900},{"series":"in the window","value":500}]`,
		"games":     `[{"series":"","value":4}]`,
		"searches":  `[{"series":"simulations","value":700},{"series":"evaluations","value":300}]`,
		"known":     `[{"series":"","value":25}]`,
		"time": `[{"series":"self-play","value":4},{"series":"waiting for workers","value":0.25},{"series":"verifying games","value":0.5},` +
			`{"series":"training","value":1},{"series":"evaluation","value":2},{"series":"all","value":9},{"series":"processor","value":10}]`,
		"cores": `[{"series":"network","value":3},{"series":"search","value":0.5},{"series":"training","value":2},{"series":"idle","value":8}]`,
	} {
		if got, err := json.Marshal(second.Points[chart]); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", chart, got, err, want)
		}
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
	if got := all[2].Points[LadderChart]; len(got) != 1 || *got[0].Interval != [2]float32{5, 15} || all[2].Points["score"] == nil || all[1].Points[LadderChart] != nil {
		t.Errorf("%+v", all)
	}
	noError(t, os.WriteFile(measuredFile(dir, LadderChart), []byte("{"), 0o644))
	if all, err := AddMeasured(dir, Lines(lines())); err == nil || !strings.Contains(err.Error(), "ladder.json") || len(all) != 2 {
		t.Errorf("%d lines, %v", len(all), err)
	}
}
