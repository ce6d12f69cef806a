package net

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tengen/internal/printable"
	"tengen/internal/safetensors"
)

// Model is a network and its description.
type Model struct {
	Game      string            // such as "connect4" or "mnk:6,6,4"
	Iteration int               // of self-play and training so far
	Step      int               // of the optimizer so far
	Figures   map[string]string // for people to read
	// Search is the training games' search settings, in JSON.
	Search  json.RawMessage
	Weights *Weights
}

const modelFormat = "tengen-model/1"

// MaxFile is a model file's largest size in bytes. Reading takes three times as much memory.
const MaxFile = 1 << 30

// Keys of a model file's metadata. net, shape, figures and search are JSON.
const (
	formatKey    = "format"
	gameKey      = "game"
	iterationKey = "iteration"
	stepKey      = "step"
	figuresKey   = "figures"
	netKey       = "net"
	shapeKey     = "shape"
	searchKey    = "search"
)

// Save writes the model atomically. It returns an error when the weights are not finite or too many, and panics when
// Search is not JSON.
func (m *Model) Save(path string) error {
	if err := m.savable(); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return safetensors.Write(path, m.file())
}

// MarshalBinary returns the bytes that Save writes, or Save's errors.
func (m *Model) MarshalBinary() ([]byte, error) {
	if err := m.savable(); err != nil {
		return nil, fmt.Errorf("cannot encode the model: %w", err)
	}
	return safetensors.Encode(m.file()), nil
}

func (m *Model) savable() error {
	if err := checkFile(m.Weights.Config, m.Weights.Shape); err != nil {
		return err
	}
	return m.Weights.Finite()
}

// checkFile returns an error if the network is too large for a model file.
func checkFile(cfg Config, shape Shape) error {
	const header = 1 << 20 // an upper bound
	if n := parameters(cfg, shape, explaining); n > (MaxFile-header)/4 {
		return fmt.Errorf("the network has %d parameters, but a model file holds at most %d: lower net.channels or net.blocks",
			n, (MaxFile-header)/4)
	}
	return nil
}

// UnmarshalBinary decodes a model file's bytes. Its errors are LoadModel's.
func (m *Model) UnmarshalBinary(content []byte) error {
	f, err := safetensors.Decode(content)
	if err != nil {
		return fmt.Errorf("cannot read the model: %w", err)
	}
	read, err := modelOf(f)
	if err != nil {
		return fmt.Errorf("cannot use the model: %w", err)
	}
	*m = *read
	return nil
}

func (m *Model) file() *safetensors.File {
	return &safetensors.File{
		Metadata: map[string]string{
			formatKey:    modelFormat,
			gameKey:      m.Game,
			iterationKey: strconv.Itoa(m.Iteration),
			stepKey:      strconv.Itoa(m.Step),
			figuresKey:   marshal(m.Figures),
			netKey:       marshal(m.Weights.Config),
			shapeKey:     marshal(m.Weights.Shape),
			searchKey:    marshal(m.Search),
		},
		Tensors: m.Weights.of(explaining),
	}
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// unmarshal decodes JSON into v and rejects unknown keys.
func unmarshal(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// LoadModel reads a model. It returns an error that names the file when it is unreadable (see safetensors.Read), too
// large or not a model, when its tensors do not match its architecture, or when its weights are not finite.
func LoadModel(path string) (*Model, error) {
	f, err := safetensors.Read(path, MaxFile)
	if err != nil {
		return nil, err
	}
	m, err := modelOf(f)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", path, err)
	}
	return m, nil
}

func modelOf(f *safetensors.File) (*Model, error) {
	if format := f.Metadata[formatKey]; format != modelFormat {
		return nil, fmt.Errorf("its format is %q, but this program needs %q: choose a model file that fits this version of tengen",
			printable.Text(format, 40), modelFormat)
	}
	m := &Model{Game: f.Metadata[gameKey], Weights: &Weights{}}
	if m.Game == "" {
		return nil, errors.New("it does not say which game it plays")
	}
	var search map[string]json.RawMessage
	for _, field := range []struct {
		key  string
		into any
	}{
		{iterationKey, &m.Iteration},
		{stepKey, &m.Step},
		{figuresKey, &m.Figures},
		{netKey, &m.Weights.Config},
		{shapeKey, &m.Weights.Shape},
		{searchKey, &search},
	} {
		if err := unmarshal(f.Metadata[field.key], field.into); err != nil {
			return nil, fmt.Errorf("its metadata %s is %q: %w", field.key, printable.Text(f.Metadata[field.key], 200), err)
		}
	}
	m.Search = json.RawMessage(f.Metadata[searchKey])
	if err := m.Weights.Config.Validate(); err != nil {
		return nil, fmt.Errorf("its architecture is not valid: %w", err)
	}
	if err := m.Weights.Shape.check(m.Weights.Config); err != nil {
		return nil, fmt.Errorf("its shape is not valid: %w", err)
	}
	if err := m.Weights.adopt(f.Tensors); err != nil {
		return nil, err
	}
	return m, m.Weights.Finite()
}

// adopt makes tensors the parameters of w, or returns an error if they do not match the architecture. A model of an
// older version has only those for play.
func (w *Weights) adopt(tensors []Param) error {
	given := make(map[string]Param)
	for _, p := range tensors {
		given[p.Name] = p
	}
	params := newPlan(w.Config, w.Shape, explaining).params()
	required := len(newPlan(w.Config, w.Shape, playing).params())
	if len(tensors) <= required {
		params = params[:required]
	}
	for _, expected := range params {
		p, ok := given[expected.Name]
		if !ok {
			return fmt.Errorf("tensor %s is missing: the architecture needs it", expected.Name)
		}
		if !slices.Equal(p.Shape, expected.Shape) {
			return fmt.Errorf("tensor %s has shape %v, but the architecture needs %v", p.Name, p.Shape, expected.Shape)
		}
		delete(given, p.Name)
		w.Params = append(w.Params, p)
	}
	for name := range given {
		return fmt.Errorf("tensor %s is not part of the architecture", name)
	}
	return nil
}

// Check returns an error when the model does not fit a game's full name and shape.
func (m *Model) Check(game string, shape Shape) error {
	if m.Game != game {
		return fmt.Errorf("the model plays %s, not %s: choose a model for this game, or the model's game", m.Game, game)
	}
	if m.Weights.Shape != shape {
		return fmt.Errorf("the model is for a %v, but %s has a %v. It comes from another version of the game: train a new one",
			m.Weights.Shape, game, shape)
	}
	return nil
}
