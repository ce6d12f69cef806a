package oldkeys

import (
	"encoding/json"
	"strings"
	"testing"
)

// Old keys are accepted at the values that every run has now, and where another key makes them idle.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		file string // JSON
		want string // key of the error, "" without one
	}{
		{`{}`, ""},
		{`{"net.stack": []}`, ""},
		{`{"net.stack": [8, 16]}`, "net.stack is [8 16], but net.stack is gone: every network"},
		{`{"net.stack": 3}`, "net.stack is 3"},
		{`{"search.lcb": 0, "search.variance_scale": 0.0, "search.virtual_loss": 1}`, ""},
		{`{"search.lcb": 1.5}`, "search.lcb is 1.5"},
		{`{"search.lcb": "0"}`, "search.lcb is 0"},
		{`{"search.virtual_loss": 0}`, "search.virtual_loss is 0"},
		{`{"search.noise_alpha": 0.3, "search.noise_weight": 0}`, ""},
		{`{"search.noise_alpha": 0.3, "search.noise_weight": 0.25}`, "search.noise_alpha is 0.3"},
		{`{"search.root": "puct", "search.gumbel_c_visit": 20, "search.gumbel_c_scale": 2, "search.gumbel_simulations": 4, "search.gumbel_moves": 4}`, ""},
		{`{"search.root": "gumbel"}`, "search.root is gumbel, but search.root is gone: the Gumbel root"},
		{`{"search.root_policy_temperature": 1.25, "search.root_policy_temperature_final": 1.1, "search.root_policy_temperature_half_life": 7}`, ""},
		{`{"search.root_policy_temperature": 1, "search.root_policy_temperature_final": 1, "search.root_policy_temperature_half_life": 20}`, ""},
		{`{"search.root_policy_temperature": 1.25, "search.root_policy_temperature_final": 1.2}`, "search.root_policy_temperature_final is 1.2"},
		{`{"net.hide_last_move": true, "search.prune_target": false}`, ""},
	} {
		var file Values
		if err := json.Unmarshal([]byte(test.file), &file); err != nil {
			t.Fatal(err)
		}
		switch err := Check(file); {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.file, err)
		case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want) || !strings.HasSuffix(err.Error(), "reads this file")):
			t.Errorf("%s: error %v, want one that says %s", test.file, err, test.want)
		}
	}
}

// Only the old keys leave an object, and only of their section. Numbers keep their digits.
func TestStrip(t *testing.T) {
	for _, test := range []struct{ section, text, want string }{
		{"net", `{"blocks":4,"stack":[],"other":1.10}`, `{"blocks":4,"other":1.10}`},
		{"search", `{"lcb":0,"simulations":12345678901234567890,"stack":[]}`, `{"simulations":12345678901234567890,"stack":[]}`},
		{"shape", `{"stack":[]}`, `{"stack":[]}`},
		{"net", `{"stack":[]} 3`, `{"stack":[]} 3`},
		{"net", `5`, `5`},
	} {
		if got, err := Strip(test.section, test.text); err != nil || got != test.want {
			t.Errorf("%s: %s, %v, want %s", test.text, got, err, test.want)
		}
	}
	if got, err := Strip("search", `{"lcb":2}`); err == nil {
		t.Errorf("a bound became %s", got)
	}
}
