package run

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/safetensors"
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

// A program that would play or learn otherwise does not continue a run.
func TestSemanticsOfARun(t *testing.T) {
	cfg := DefaultConfig()
	newest := &checkpoint.Checkpoint{Semantics: selfplay.Semantics + 1, Settings: cfg.immutableSettings()}
	_, err := TrainConfig{Config: cfg, Dir: "d"}.checkResume(cfg.YAML(), newest)
	wantError(t, err, fmt.Sprintf("the run in d was trained by a tengen of semantics %d, but this one has %d and would play or learn otherwise",
		selfplay.Semantics+1, selfplay.Semantics), false)
}

// A run with checkpoints of format 2 is refused, and its files do not change.
func TestFormat2(t *testing.T) {
	cfg := readConfig(t, "../examples/tictactoe.yaml")
	cfg.Net.Blocks, cfg.Net.Channels, cfg.Search.Simulations = 1, 4, 4
	cfg.Train.Iterations, cfg.Train.GamesPerIteration, cfg.Train.BatchSize, cfg.Train.EvaluateEvery = 1, 20, 16, 0
	earlier := filepath.Join(t.TempDir(), "run")
	trainRun(t, TrainConfig{Config: cfg, Dir: earlier})
	file := filepath.Join(earlier, "state", "checkpoint-00000001.safetensors")
	saved, err := safetensors.Read(file, 1<<20)
	noError(t, err)
	settings, ok := strings.CutPrefix(saved.Metadata["state"], `{"format":3,`)
	if !ok {
		t.Fatalf("a checkpoint begins with %.40s", saved.Metadata["state"])
	}
	_, rest, _ := strings.Cut(settings, fmt.Sprintf(`,"semantics":%d,`, selfplay.Semantics))
	saved.Metadata["state"] = `{"format":2,"game":"tictactoe","seed":1,"optimizer":"adam","ahead":0,` + rest
	noError(t, safetensors.Write(file, saved))

	cfg.Train.Iterations = 2
	_, err = Train(t.Context(), TrainConfig{Config: cfg, Dir: earlier})
	wantError(t, err, fmt.Sprintf("the run in %s was trained by a tengen of semantics 1, but this one has %d", earlier, selfplay.Semantics), false)
}
