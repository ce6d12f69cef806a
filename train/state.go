package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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
}

// stateFormat is the format that is written. It changes when a program could misunderstand a directory of another one.
const stateFormat = 2

// stateDecoders read the state of each format that is known.
var stateDecoders = map[int]func(text []byte) (state, error){
	2: func(text []byte) (s state, err error) { return s, json.Unmarshal(text, &s) },
}

// errFormat is wrapped by the error of a state whose format is not known. Nothing is damaged then.
var errFormat = errors.New("go on with the program that made it, or update this one")

// decodeState reads the text of a state, in whatever format it is.
func decodeState(text []byte) (state, error) {
	var s struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return state{}, err
	}
	decode := stateDecoders[s.Format]
	if decode == nil {
		return state{}, fmt.Errorf("it has format %d, this program knows up to %d: %w", s.Format, stateFormat, errFormat)
	}
	return decode(text)
}

// metaState is where the state stands, as JSON, in the metadata of a checkpoint's file.
const metaState = "state"

// saved is a checkpoint as it was read: the state, and the tensors of Loop.tensors.
type saved struct {
	state
	tensors []net.Param
}

// readCheckpoint reads the checkpoint of an iteration. No byte of it can have changed unnoticed, see net.Tensors.
func (d *Dir) readCheckpoint(iteration int) (*saved, error) {
	file := d.file(fmt.Sprintf(checkpointPattern, iteration))
	t, err := net.ReadTensors(file)
	if err != nil {
		return nil, err
	}
	s, err := decodeState([]byte(t.Metadata[metaState]))
	if err != nil {
		return nil, fmt.Errorf("cannot read the checkpoint %s: %w", file, err)
	}
	return &saved{state: s, tensors: t.Params}, nil
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
		case errors.Is(err, errFormat):
			return nil, nil, err
		case err != nil:
			damage = append(damage, err)
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
	return net.WriteTensors(d.file(fmt.Sprintf(checkpointPattern, s.Iteration)), &net.Tensors{
		Metadata: map[string]string{metaState: string(text)},
		Params:   tensors,
	})
}
