// Package oldkeys knows the configuration keys that earlier versions had. A model's file of such a version can be read if
// its old keys have the values that every model has now.
package oldkeys

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Version is the last version that reads all old keys.
const Version = "commit 599e6e40"

// Values holds a file's values by the keys' full names.
type Values map[string]any

// key is an old key.
type key struct {
	gone string // what became of it
	// now reports whether a model's value is what every model has now. nil: any value can be read.
	now func(value any, file Values) bool
}

var keys = map[string]key{
	"net.soft_policy_weight": {"the soft policy head made players weaker", nil},
	"net.hide_last_move":     {"every network sees the last move", nil},
	"net.stack":              {"every network has residual blocks, see net.blocks and net.channels", only()},

	"search.variance_scale":     {"it gained nothing", only(0)},
	"search.lcb":                {"the move with the most simulations is played", only(0)},
	"search.virtual_loss":       {"it is always 1", only(1)},
	"search.noise_alpha":        {"it is always 10 divided by the number of moves", onlyIf("search.noise_weight", 0, 0)},
	"search.prune_target":       {"it follows from search.forced_playouts", nil},
	"search.root":               {"the Gumbel root made players weaker", func(value any, _ Values) bool { return value == "puct" }},
	"search.gumbel_moves":       {"the Gumbel root made players weaker", nil},
	"search.gumbel_simulations": {"the Gumbel root made players weaker", nil},
	"search.gumbel_c_visit":     {"the Gumbel root made players weaker", nil},
	"search.gumbel_c_scale":     {"the Gumbel root made players weaker", nil},
	"search.root_policy_temperature_final": {"it follows from search.root_policy_temperature", func(value any, file Values) bool {
		return math.Abs(number(value)-1-float64(0.4*(number(file["search.root_policy_temperature"])-1))) < 1e-9
	}},
	"search.root_policy_temperature_half_life": {"it is always 7 plies", onlyIf("search.root_policy_temperature", 1, 7)},

	"selfplay.full_share":                  {"all searches are full: fast ones cost strength", nil},
	"selfplay.fast_simulations":            {"all searches are full: fast ones cost strength", nil},
	"selfplay.fast_weight":                 {"all searches are full: fast ones cost strength", nil},
	"selfplay.start_simulations":           {"with selfplay.grow_iterations, searches begin with half of search.simulations, at most 32", nil},
	"selfplay.play_on_share":               {"it is always 0.1, see selfplay.resign_below", nil},
	"selfplay.openings.min_deep_plies":     {"it is always a third of selfplay.openings.deep_plies", nil},
	"selfplay.openings.policy_temperature": {"it is always 1.5", nil},

	"train.momentum":     {"it is always 0.9, as Adam's beta1", nil},
	"train.weight_decay": {"train.l2 is always part of the loss", nil},
	"train.decouple_l2":  {"train.l2 is always part of the loss", nil},
	"train.optimizer":    {"it is always Adam", nil},
	"train.decay":        {"the learning rate falls along a cosine, and is constant if train.final_learning_rate equals train.learning_rate", nil},
	"train.gate.games":   {"every model is published", nil},
	"train.gate.score":   {"every model is published", nil},

	"eval.ladder_games": {"tengen ladder rates the models of a run", nil},

	"cluster.mixed": {"all processors with AVX2, AVX-512 or NEON play the same games, and others cannot help", nil},
}

// Names returns the old keys.
func Names() []string { return slices.Sorted(maps.Keys(keys)) }

// Gone returns a sentence that says what became of an old key, or "" for other keys.
func Gone(name string) string {
	if k, ok := keys[name]; ok {
		return fmt.Sprintf("%s is gone: %s", name, k.gone)
	}
	return ""
}

// Check returns an error if an old key in the file has a value that no run has now.
func Check(file Values) error {
	for _, name := range Names() {
		value, given := file[name]
		if k := keys[name]; given && k.now != nil && !k.now(value, file) {
			return fmt.Errorf("%s is %v, but %s. Tengen of %s reads this file", name, value, Gone(name), Version)
		}
	}
	return nil
}

// Strip checks a section's JSON object and returns it without its old keys. It returns any other text unchanged.
func Strip(section, text string) (string, error) {
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&object) != nil || d.More() {
		return text, nil
	}
	file := Values{}
	for name, value := range object {
		file[section+"."+name] = value
	}
	if err := Check(file); err != nil {
		return "", err
	}
	maps.DeleteFunc(object, func(name string, _ any) bool { return Gone(section+"."+name) != "" })
	rest, err := json.Marshal(object)
	return string(rest), err
}

// only allows one number or, without one, an empty list.
func only(x ...float64) func(any, Values) bool {
	return func(value any, _ Values) bool {
		if len(x) == 0 {
			list, ok := value.([]any)
			return ok && len(list) == 0
		}
		return number(value) == x[0]
	}
}

// onlyIf allows one number, and any if another key has the value with which this one has no effect.
func onlyIf(other string, off, x float64) func(any, Values) bool {
	return func(value any, file Values) bool { return number(file[other]) == off || number(value) == x }
}

// number returns a number of any type as a float64, and NaN for other values.
func number(value any) float64 {
	if n, ok := value.(json.Number); ok {
		value, _ = n.Float64()
	}
	if v := reflect.ValueOf(value); v.IsValid() && v.CanConvert(reflect.TypeFor[float64]()) {
		return v.Convert(reflect.TypeFor[float64]()).Float()
	}
	return math.NaN()
}
