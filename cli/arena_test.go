package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"tengen/eval/rating"
	"tengen/internal/random"
	"tengen/train/checkpoint"
)

// The evaluation of an iteration is a match that eval can repeat: with the model of that iteration, and the seed that follows
// from the run's and the iteration's number.
func TestEvaluationCanBeRepeated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustCLI(t, "train", "--config", tiny, "--run", dir, "--set", "seed=5", "--set", "train.evaluate_every=1",
		"--set", "eval.against=uct:5", "--set", "eval.games=24", "--set", "eval.simulations=6")
	lines := json.NewDecoder(bytes.NewReader(readFile(t, filepath.Join(dir, "metrics.jsonl"))))
	for iteration := 1; iteration <= 2; iteration++ {
		var m checkpoint.Metrics
		if err := lines.Decode(&m); err != nil {
			t.Fatal(err)
		}
		model := fmt.Sprintf("net:%s:6", filepath.Join(dir, fmt.Sprintf("model-%08d.safetensors", iteration)))
		out := mustCLI(t, "eval", "--player", model, "--against", "uct:5", "--games", "24",
			"--seed", fmt.Sprint(random.New(5, random.Evaluate, uint64(iteration)).Uint64()), "--json")
		var repeated rating.Tally
		if err := json.Unmarshal([]byte(out), &repeated); err != nil {
			t.Fatal(err)
		}
		score := m.Evaluation["uct:5"]
		if recorded := (rating.Tally{Wins: score.Wins, Draws: score.Draws, Losses: score.Losses}); repeated != recorded {
			t.Errorf("iteration %d was evaluated as %+v, eval says %+v", iteration, recorded, repeated)
		}
	}
}
