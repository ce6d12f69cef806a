package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tengen/internal/safetensors"
	"tengen/net"
)

// state is how far a run has come at a checkpoint.
type state struct {
	Format    int           `json:"format"` // stateFormat
	Config    string        `json:"config"` // the configuration in effect, as in config.yaml
	Game      string        `json:"game"`
	Seed      uint64        `json:"seed"`
	Optimizer string        `json:"optimizer"`
	Iteration int           `json:"iteration"` // committed so far; 0: nothing but the initial model
	Step      uint64        `json:"step"`      // steps of the run so far
	Games     uint64        `json:"games"`     // games of the run so far
	Positions uint64        `json:"positions"` // positions of the run so far
	Mark      uint64        `json:"mark"`      // that of the last harvest
	Window    int           `json:"window"`    // games in the window
	Published publishedInfo `json:"published"` // the newest published model
	History   string        `json:"history"`   // digest of the metrics so far, see Metrics.digest
}

// publishedInfo is what a model's file says beside the weights.
type publishedInfo struct {
	Iteration int               `json:"iteration"` // that made it
	Step      uint64            `json:"step"`
	Figures   map[string]string `json:"figures"`
	Search    json.RawMessage   `json:"search,omitempty"` // see Setup
}

// stateFormat changes when a program could misunderstand an older directory.
const stateFormat = 2

// metaState is where the state stands, as JSON, in the metadata of a checkpoint's file.
const metaState = "state"

// saved is a checkpoint as it was read: the state, and the tensors of Loop.tensors.
type saved struct {
	state
	tensors []net.Param
}

// readCheckpoint reads the checkpoint of an iteration. No byte of it can have changed unnoticed, see package safetensors.
func (d *Dir) readCheckpoint(iteration int) (*saved, error) {
	file := d.file(fmt.Sprintf(checkpointPattern, iteration))
	f, err := safetensors.Read(file)
	if err != nil {
		return nil, err
	}
	s := &saved{tensors: f.Tensors}
	if err := json.Unmarshal([]byte(f.Metadata[metaState]), &s.state); err != nil {
		return nil, fmt.Errorf("%s is no checkpoint: %w", file, err)
	}
	return s, nil
}

// readNewest returns the newest intact checkpoint, nil if there is none yet, and what is wrong with the others.
func (d *Dir) readNewest() (newest *saved, damage []error, err error) {
	iterations, err := d.numbered(stateFolder, checkpointPattern)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range slices.Backward(iterations) {
		s, err := d.readCheckpoint(n)
		switch {
		case err != nil:
			damage = append(damage, err)
		case s.Format != stateFormat:
			return nil, nil, fmt.Errorf("the checkpoint of iteration %d in %s has format %d, this program knows %d: "+
				"go on with the program that made it", n, d.path, s.Format, stateFormat)
		case newest == nil:
			newest = s
		}
	}
	switch {
	case newest == nil && len(damage) > 0:
		return nil, nil, fmt.Errorf("the run in %s cannot go on: %w; %s", d.path, errors.Join(damage...), wayOut)
	case newest == nil:
		return nil, nil, d.checkUnused()
	}
	return newest, damage, nil
}

const wayOut = "restore it from a copy, or start a new run in another directory (the models of this one can still be played with)"

// checkUnused refuses a directory without a checkpoint in which models would be lost if a new run began.
func (d *Dir) checkUnused() error {
	models, err := d.models()
	if err != nil {
		return err
	}
	if n := len(models); n > 0 && models[n-1] > 0 {
		return fmt.Errorf("%s holds models up to iteration %d, but no checkpoint in %s; %s", d.path, models[n-1], stateFolder, wayOut)
	}
	return nil
}

// writeCheckpoint commits.
func (d *Dir) writeCheckpoint(s state, tensors []net.Param) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return safetensors.Write(d.file(fmt.Sprintf(checkpointPattern, s.Iteration)), &safetensors.File{
		Metadata: map[string]string{metaState: string(text)},
		Tensors:  tensors,
	})
}
