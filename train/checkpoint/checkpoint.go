package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tengen/internal/safetensors"
)

// Checkpoint is all a run needs to continue after an iteration, apart from its settings and games. Commit sets Format and
// History.
type Checkpoint struct {
	Format    int       `json:"format"` // checkpointFormat
	Game      string    `json:"game"`
	Seed      uint64    `json:"seed"`
	Optimizer string    `json:"optimizer"`
	Iteration int       `json:"iteration"` // committed so far; 0: nothing but the initial model
	Step      uint64    `json:"step"`      // steps of the run so far
	Games     uint64    `json:"games"`     // games of the run so far
	Positions uint64    `json:"positions"` // positions of the run so far
	Cursor    uint64    `json:"cursor"`    // number of the next game
	Window    int       `json:"window"`    // games in the window
	Published Published `json:"published"` // the newest published model
	Ahead     int       `json:"ahead"`     // selfplay.ahead; if 1, the newest model is not the one that plays the next games
	Before    int       `json:"before"`    // the newest model of the checkpoint before
	History   string    `json:"history"`   // digest of the metrics so far, see Metrics.digest

	// Tensors are the weights and what the learner and its optimizer remember, in the order in which they were committed.
	Tensors []safetensors.Tensor `json:"-"`
}

// Published is what a model's file says beside the weights.
type Published struct {
	Iteration int               `json:"iteration"` // that made it
	Step      uint64            `json:"step"`
	Figures   map[string]string `json:"figures"`
	Search    json.RawMessage   `json:"search"` // the settings of the search that played its games, JSON
}

// checkpointFormat is the format of checkpoints. Raise it when programs could misunderstand each other's directories.
const checkpointFormat = 2

// errFormat is wrapped by the error of a checkpoint with another format. Nothing is damaged then.
var errFormat = errors.New("continue the run with the program that made it, or update this one")

// decode reads the text of a checkpoint.
func decode(text []byte) (*Checkpoint, error) {
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	if head.Format != checkpointFormat {
		return nil, fmt.Errorf("it has format %d, this program knows format %d: %w", head.Format, checkpointFormat, errFormat)
	}
	c := new(Checkpoint)
	return c, json.Unmarshal(text, c)
}

// metaState is where a checkpoint stands, as JSON, in the metadata of its file, beside the tensors.
const metaState = "state"

// readCheckpoint reads the checkpoint of an iteration. No byte of it can have changed unnoticed, see package safetensors.
func (l layout) readCheckpoint(iteration int) (*Checkpoint, error) {
	file := l.checkpoint(iteration)
	f, err := safetensors.Read(file)
	if err != nil {
		return nil, err
	}
	c, err := decode([]byte(f.Metadata[metaState]))
	if err != nil {
		return nil, fmt.Errorf("cannot read the checkpoint %s: %w", file, err)
	}
	c.Tensors = f.Tensors
	return c, nil
}

// readNewest returns the newest intact checkpoint, nil if there is none yet, and what is wrong with the others.
func (l layout) readNewest() (newest *Checkpoint, damage []error, err error) {
	iterations, err := l.checkpoints()
	if err != nil {
		return nil, nil, err
	}
	for _, n := range slices.Backward(iterations) {
		c, err := l.readCheckpoint(n)
		switch {
		case errors.Is(err, errFormat):
			return nil, nil, err
		case err != nil:
			damage = append(damage, err)
		case newest == nil:
			newest = c
		}
	}
	switch {
	case newest == nil && len(damage) > 0:
		return nil, nil, fmt.Errorf("the run in %s cannot go on: %w; %s", string(l), errors.Join(damage...), wayOut)
	case newest == nil:
		return nil, nil, l.checkUnused()
	}
	return newest, damage, nil
}

const wayOut = "restore it from a copy, or start a new run in another directory (the models of this one can still be played with)"

// checkUnused refuses a directory without a checkpoint in which models would be lost if a new run began.
func (l layout) checkUnused() error {
	models, err := l.models()
	if err != nil {
		return err
	}
	if n := len(models); n > 0 && models[n-1] > 0 {
		return fmt.Errorf("%s holds models up to iteration %d, but no checkpoint in %s; %s", string(l), models[n-1], stateFolder, wayOut)
	}
	return nil
}

// writeCheckpoint writes the file that commits an iteration.
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
