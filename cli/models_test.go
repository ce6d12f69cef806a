package cli

import (
	"encoding/json"
	"testing"

	"tengen/players"
	"tengen/run"
)

// The models of a player and its opponent are in the JSON of a report.
func TestIdentified(t *testing.T) {
	flags := configFlags{models: map[string]run.ModelID{"a": {Name: "a"}, "b": {Name: "b"}}}
	id := func(name string) string {
		return `{"name":"` + name + `","game":"","iteration":0,"games":0,"sha256":""}`
	}
	object := map[string]int{"x": 1}
	for _, c := range []struct {
		report          any
		player, against string
		want            string
	}{
		{object, "", "", `{"x":1}`},
		{object, "a", "", `{"x":1,"model":` + id("a") + `}`},
		{object, "a", "b", `{"x":1,"model":` + id("a") + `,"against_model":` + id("b") + `}`},
		{object, "", "b", `{"x":1,"against_model":` + id("b") + `}`},
	} {
		got, err := json.Marshal(flags.identified(c.report, players.Spec{Path: c.player}, players.Spec{Path: c.against}))
		if err != nil || string(got) != c.want {
			t.Errorf("%q against %q: %s, %v, want %s", c.player, c.against, got, err, c.want)
		}
	}
}
