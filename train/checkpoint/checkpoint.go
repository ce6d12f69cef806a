package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"tengen/internal/printable"
	"tengen/internal/safetensors"
)

// Checkpoint is a run's state after an iteration, without its games. Commit sets Format, History and the SHA-256 of
// Published.
type Checkpoint struct {
	Format int `json:"format"`

	// Settings holds those that must not change within the run, as YAML by key.
	Settings  map[string]string `json:"settings"`
	Semantics int               `json:"semantics"` // selfplay.Semantics of the program

	Iteration int       `json:"iteration"` // iterations so far; 0: only the initial model
	Step      uint64    `json:"step"`
	Games     uint64    `json:"games"` // also the number of the next game
	Positions uint64    `json:"positions"`
	Window    int       `json:"window"` // games in the window
	Oldest    uint64    `json:"oldest"` // number of the first of them
	Published Published `json:"published"`
	Before    ModelFile `json:"before"`  // the previous checkpoint's newest model, which with selfplay.ahead plays next
	History   string    `json:"history"` // digest of the metrics so far, see chain

	// Tensors holds the weights and the learner's state, in the order in which they were committed.
	Tensors []safetensors.Tensor `json:"-"`
}

// ModelFile names a published model's file.
type ModelFile struct {
	Iteration int    `json:"iteration"` // made the model
	SHA256    string `json:"sha256"`    // of the file, hexadecimal
}

// Published holds what a published model's file says about its training, and names the file. The file also has the
// game, the architecture and the weights.
type Published struct {
	ModelFile
	Step    uint64            `json:"step"`
	Figures map[string]string `json:"figures"`
	Search  json.RawMessage   `json:"search"` // self-play search settings, JSON
}

// Format is the version of a run directory. It rises when programs could misread each other's directories.
const Format = 5

// CheckVersion returns an error if the newest intact checkpoint of the run at path has another Format or was made by a
// program with other semantics, see selfplay.Semantics. A directory without a checkpoint is of every version.
func CheckVersion(path string, semantics int) error {
	l := layout(path)
	iterations, _ := l.checkpoints()
	for _, n := range slices.Backward(iterations) {
		metadata, unread := safetensors.ReadMetadata(l.checkpoint(n))
		var state struct{ Format, Semantics int }
		json.Unmarshal([]byte(metadata[metaState]), &state)
		if unread == nil && state.Format == Format && state.Semantics == semantics {
			return nil
		}
		if _, damage := safetensors.Read(l.checkpoint(n), maxCheckpoint); damage == nil { // else it tells no version
			return fmt.Errorf("the run in %s is of another version of tengen (format %d, semantics %d; this one has %d and %d): "+
				"use the program that made it, or start a new run from its weights with --run and --set train.from=%s; its models still play",
				path, state.Format, state.Semantics, Format, semantics, printable.Word(path))
		}
	}
	return nil
}

const metaState = "state"

// maxCheckpoint is a checkpoint's size limit in bytes: five times the largest model's weights (those before, the
// learner's, their averages and two moments), with room for auxiliary heads.
const maxCheckpoint = 8 << 30

// readCheckpoint reads an iteration's checkpoint. It returns an error if a byte has changed (see package safetensors),
// or if the checkpoint belongs to another iteration.
func (l layout) readCheckpoint(iteration int) (*Checkpoint, error) {
	file := l.checkpoint(iteration)
	f, err := safetensors.Read(file, maxCheckpoint)
	if err != nil {
		return nil, err
	}
	c := new(Checkpoint)
	if err := json.Unmarshal([]byte(f.Metadata[metaState]), c); err != nil {
		return nil, fmt.Errorf("cannot read the checkpoint %s: %w", file, err)
	}
	if c.Iteration != iteration {
		return nil, fmt.Errorf("%s is the checkpoint of iteration %d", file, c.Iteration)
	}
	c.Tensors = f.Tensors
	return c, nil
}

// readNewest returns the newest intact checkpoint, nil if there is none, and the errors of damaged ones.
func (l layout) readNewest() (newest *Checkpoint, damage []error, err error) {
	iterations, err := l.checkpoints()
	if err != nil {
		return nil, nil, err
	}
	for _, n := range slices.Backward(iterations) {
		c, err := l.readCheckpoint(n)
		if err != nil {
			damage = append(damage, err)
		} else if newest == nil {
			newest = c
		}
	}
	switch {
	case newest == nil && len(damage) > 0:
		return nil, nil, fmt.Errorf("the run in %s cannot continue: %w; %s", string(l), errors.Join(damage...), wayOut)
	case newest == nil:
		return nil, nil, l.checkUnused()
	}
	return newest, damage, nil
}

const wayOut = "restore it from a copy, or start a new run in another directory (this one's models can still play)"

// checkUnused returns an error if a new run would overwrite models or metrics in a directory without a checkpoint.
func (l layout) checkUnused() error {
	models, err := l.models()
	if err != nil {
		return err
	}
	if n := len(models); n > 0 {
		return fmt.Errorf("%s holds models up to iteration %d, but no checkpoint in %s; %s", string(l), models[n-1], stateFolder, wayOut)
	}
	metrics, err := os.Lstat(l.file(metricsFile))
	if err == nil && metrics.Size() > 0 {
		return fmt.Errorf("%s holds %s, but no checkpoint in %s; %s", string(l), metricsFile, stateFolder, wayOut)
	}
	return nil
}

func (l layout) writeCheckpoint(c *Checkpoint) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return safetensors.Write(l.checkpoint(c.Iteration), &safetensors.File{
		Metadata: map[string]string{metaState: string(text)},
		Tensors:  c.Tensors,
	})
}
