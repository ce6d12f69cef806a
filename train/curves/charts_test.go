package curves

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tengen/train/rundir"
)

// The list has what a picture needs: an id of its own that makes a name of a file and a tag, and a sentence; charts of a group stand
// together.
func TestCharts(t *testing.T) {
	ids, groups := map[string]bool{}, []Group{}
	for _, c := range Charts {
		if ids[c.ID] || c.ID == "" || unusual.MatchString(c.ID) {
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
	if !slices.Equal(groups, []Group{Strength, Learning, Games, Speed}) {
		t.Errorf("groups %q", groups)
	}
}

// Points are those that an iteration has measured, shares in percent, with the intervals that are known.
func TestLines(t *testing.T) {
	all := Lines(lines())
	if first := all[0]; first.Games != 100 || first.Hours*3600 != 5 || first.Points["losses"] != nil || first.Points["elo"] != nil {
		t.Errorf("%+v", first)
	}
	second := all[1]
	if second.Step != 12 || second.Hours*3600 != 11 {
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
	var tested rundir.Metrics
	if p := Points(&tested)["resigned"]; p != nil {
		t.Errorf("resignations of a run that has none: %v", p)
	}
	tested.TestedResignations, tested.FalseResignations = 4, 1
	if p := Points(&tested)["resigned"]; len(p) != 2 || p[1].Value != 25 {
		t.Errorf("one of four games given up wrongly: %v", p)
	}
}
