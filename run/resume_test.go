package run

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// Every setting that must not change within a run is in its checkpoints, and run.yaml may not contradict it.
func TestEditedSettings(t *testing.T) {
	trained := DefaultConfig()
	newest := &checkpoint.Checkpoint{Iteration: 7, Semantics: selfplay.Semantics, Settings: trained.immutableSettings()}
	for _, s := range trained.Settings() {
		edited := configWith(t, s.Key+"="+another(t, s))
		_, err := TrainConfig{Config: edited, Dir: "d"}.checkResume(edited.YAML(), newest)
		if mutable(s.Key) {
			noError(t, err)
			continue
		}
		wantError(t, err, fmt.Sprintf("%s is %s in %s, but the run has trained with %s up to iteration 7: write %[4]s there to continue",
			s.Key, oneLineYAML(edited.Values()[s.Key]), filepath.Join("d", "run.yaml"), s.Value), false)
	}
}

// What a shortened run.yaml lacks has its default, which is said unless the run must not have it.
func TestShortenedSettings(t *testing.T) {
	trained := configWith(t, "train.learning_rate=0.5")
	text := string(trained.YAML())
	newest := &checkpoint.Checkpoint{Iteration: 7, Semantics: selfplay.Semantics, Settings: trained.immutableSettings()}
	check := func(text string) (warnings []string, err error) {
		saved, err := ParseConfig([]byte(text))
		noError(t, err)
		c := TrainConfig{Config: saved, Dir: "d", Warn: func(err error) { warnings = append(warnings, err.Error()) }}
		_, err = c.checkResume([]byte(text), newest)
		return warnings, err
	}
	_, err := check("")
	wantError(t, err, fmt.Sprintf("train.learning_rate is %s in", oneLineYAML(DefaultConfig().Train.LearningRate)), false)
	iterations := fmt.Sprintf("  iterations: %d\n", trained.Train.Iterations)
	warnings, err := check(strings.Replace(text, iterations, "", 1))
	noError(t, err)
	want := fmt.Sprintf("%s lacks train.iterations: the run continues with %d", filepath.Join("d", "run.yaml"), trained.Train.Iterations)
	if len(warnings) != 1 || warnings[0] != want {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}
