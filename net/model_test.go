package net

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/internal/safetensors"
)

func tinyModel() *Model {
	cfg := Config{Blocks: 1, Channels: 1, PolicyHead: HeadDense, PolicyChannels: 1, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 1}
	return &Model{
		Game:      "toy:2,3",
		Iteration: 12,
		Step:      3400,
		Figures:   map[string]string{"loss": "1.25", "games": "800"},
		Search:    json.RawMessage(`{"simulations": 64, "c_init": 1.25}`),
		Weights:   NewWeights(cfg, toyShape, 51),
	}
}

func TestModelRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, cfg := range []Config{
		{Blocks: 2, Channels: 3, PolicyHead: HeadDense, PolicyChannels: 2, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 2},
		anySize(),
	} {
		want := tinyModel()
		want.Weights = NewWeights(cfg, toyShape, 52)
		path := filepath.Join(dir, "model.safetensors")
		if err := want.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := LoadModel(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.Game != want.Game || got.Iteration != want.Iteration || got.Step != want.Step || !maps.Equal(got.Figures, want.Figures) ||
			string(got.Search) != `{"simulations":64,"c_init":1.25}` {
			t.Errorf("read %+v, wrote %+v", got, want)
		}
		if got.Weights.Config != want.Weights.Config || got.Weights.Shape != want.Weights.Shape || !sameParams(got.Weights, want.Weights) {
			t.Errorf("%+v: the weights differ", cfg)
		}
		if got.Weights.Config == Default() {
			t.Error("the architecture is not that of the file")
		}
		before, _ := os.ReadFile(path)
		if err := got.Save(path); err != nil {
			t.Fatal(err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Error("saved again: different bytes")
		}
		file, err := want.MarshalBinary()
		if err != nil || !bytes.Equal(file, before) {
			t.Errorf("encoded: other bytes than in the file, error %v", err)
		}
		var decoded Model
		if err := decoded.UnmarshalBinary(file); err != nil || !sameParams(decoded.Weights, want.Weights) {
			t.Errorf("decoded: the weights differ, error %v", err)
		}
		file[len(file)-1] ^= 1
		if err := decoded.UnmarshalBinary(file); err == nil || !sameParams(decoded.Weights, want.Weights) {
			t.Errorf("decoded damage: %v", err)
		}
	}
}

func sameParams(v, w *Weights) bool {
	return slices.EqualFunc(v.Params, w.Params, func(p, q Param) bool {
		return p.Name == q.Name && slices.Equal(p.Shape, q.Shape) && slices.Equal(p.Data, q.Data)
	})
}

// TestLoadModelRefuses alters the content of an intact file: the checksum is right, the model is not.
func TestLoadModelRefuses(t *testing.T) {
	nan := []float32{0}
	nan[0] /= nan[0]
	set := func(key, value string) func(*safetensors.File) {
		return func(f *safetensors.File) { f.Metadata[key] = value }
	}
	altered := func(old, by string) string { return strings.Replace(tinyModel().file().Metadata[netKey], old, by, 1) }
	for _, c := range []struct {
		name, message string
		alter         func(*safetensors.File)
	}{
		{"another format", `its format is "tengen-model/9", but this program needs "tengen-model/1"`, set(formatKey, "tengen-model/9")},
		{"no format", `format is ""`, func(f *safetensors.File) { delete(f.Metadata, formatKey) }},
		{"no game", "which game", set(gameKey, "")},
		{"step", `step is "many"`, set(stepKey, "many")},
		{"figures", "figures", set(figuresKey, "[]")},
		{"no architecture", "net", set(netKey, "")},
		{"unknown architecture", "attention", set(netKey, `{"attention":1}`)},
		{"huge architecture", "net.channels is 1000000000", set(netKey, altered(`"channels":1`, `"channels":1000000000`))},
		{"huge shape", "out of range", set(shapeKey, `{"height":100000,"width":100000,"actions":7,"planes":4}`)},
		{"a move without a cell", "same number of moves at every cell", func(f *safetensors.File) {
			f.Metadata[netKey] = altered(`"policy_head":"dense"`, `"policy_head":"conv"`)
			f.Metadata[shapeKey] = `{"height":2,"width":3,"actions":7,"planes":4}`
		}},
		{"no planes", "0 planes is out of range", set(shapeKey, `{"height":2,"width":3,"actions":6,"planes":0}`)},
		{"unknown shape", "depth", set(shapeKey, `{"height":2,"width":3,"actions":6,"planes":4,"depth":1}`)},
		{"other shape", "needs", set(shapeKey, `{"height":2,"width":4,"actions":6,"planes":4}`)},
		{"other architecture", "block2.conv1.weight is missing", set(netKey, altered(`"blocks":1`, `"blocks":2`))},
		{"missing tensor", "stem.weight is missing", func(f *safetensors.File) { f.Tensors = f.Tensors[1:] }},
		{"extra tensor", "surplus is not part", func(f *safetensors.File) {
			f.Tensors = append(f.Tensors, Param{Name: "surplus", Shape: []int{1}, Data: []float32{1}})
		}},
		{"misshapen tensor", "stem.bias has shape [1 1]", func(f *safetensors.File) { f.Tensors[1].Shape = []int{1, 1} }},
		{"search", "search", set(searchKey, "[]")},
		{"no search", "search", func(f *safetensors.File) { delete(f.Metadata, searchKey) }},
		{"more than an architecture", "something follows", func(f *safetensors.File) { f.Metadata[netKey] += "{}" }},
		{"more than a search", "something follows", set(searchKey, "{} and more")},
		{"not a number", "stem.bias is NaN", func(f *safetensors.File) { f.Tensors[1].Data = nan }},
	} {
		file := tinyModel().file()
		c.alter(file)
		path := filepath.Join(t.TempDir(), "model.safetensors")
		if err := safetensors.Write(path, file); err != nil {
			t.Fatal(err)
		}
		_, err := LoadModel(path)
		if err == nil || !strings.Contains(err.Error(), c.message) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with the path and %q", c.name, err, c.message)
		}
	}
}

// TestLoadModelSize checks that a file which is too large is refused before it is read, and that none such is written.
func TestLoadModelSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.safetensors")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil { // a hole: no byte of it is on the disk
		t.Skip(err)
	}
	for want, errs := range map[string][]error{
		"at most 1073741824":                        {loadError(path)},
		"but a model file holds at most 268173312:": {hugeModel().Save(path), encodeError(hugeModel())},
	} {
		for _, err := range errs {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one that says %q", err, want)
			}
		}
	}
}

func loadError(path string) error { _, err := LoadModel(path); return err }

func encodeError(m *Model) error { _, err := m.MarshalBinary(); return err }

// hugeModel has too many weights, which are never allocated.
func hugeModel() *Model {
	m := tinyModel()
	m.Weights.Config.Blocks, m.Weights.Config.Channels = 64, 1024
	return m
}

// A file says the whole architecture and shape.
func TestModelSaysAll(t *testing.T) {
	m := tinyModel()
	m.Weights = NewWeights(Default(), toyShape, 53)
	for key, want := range map[string]string{
		netKey: `{"blocks":4,"channels":48,"pooled_blocks":0,"policy_head":"dense","policy_channels":16,` +
			`"value_head":"dense","value_channels":16,"value_hidden":64,` +
			`"reply_weight":0.15,"occupancy_weight":1.5}`,
		shapeKey: `{"height":2,"width":3,"actions":6,"planes":4}`,
	} {
		if got := m.file().Metadata[key]; got != want {
			t.Errorf("the %s is written as %s, want %s", key, got, want)
		}
	}
	m.Weights.Shape = moving.shape
	if got, want := m.file().Metadata[shapeKey], `{"height":3,"width":4,"actions":37,"planes":3,"named":1}`; got != want {
		t.Errorf("the shape is written as %s, want %s", got, want)
	}
}

// TestLoadModelReorders checks that the order of the tensors in a file does not matter.
func TestLoadModelReorders(t *testing.T) {
	file := tinyModel().file()
	slices.Reverse(file.Tensors)
	m, err := modelOf(file)
	if err != nil {
		t.Fatal(err)
	}
	if !sameParams(m.Weights, tinyModel().Weights) {
		t.Error("the weights differ")
	}
}

func TestSaveRefusesNaN(t *testing.T) {
	m := tinyModel()
	zero := float32(0)
	m.Weights.Params[3].Data[0] = zero / zero
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := m.Save(path); err == nil || !strings.Contains(err.Error(), m.Weights.Params[3].Name) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was written")
	}
}

func TestCheck(t *testing.T) {
	m := tinyModel()
	if err := m.Check("toy:2,3", toyShape); err != nil {
		t.Error(err)
	}
	if err := m.Check("tictactoe", toyShape); err == nil || !strings.Contains(err.Error(), "toy:2,3, not tictactoe") {
		t.Errorf("another game: error %v", err)
	}
	if err := m.Check("toy:2,3", Shape{2, 3, 7, 4, 0}); err == nil || !strings.Contains(err.Error(), "2x3 board with 6 moves") {
		t.Errorf("another shape: error %v", err)
	}
}
