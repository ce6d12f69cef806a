package onnx_test

import (
	"bytes"
	"maps"
	"math"
	"strings"
	"testing"

	"tengen/net"
)

// Each tensor of a model is in the file once, under its name and in its size, and each value that is computed has a
// shape there.
func TestFilesAreWhole(t *testing.T) {
	for _, e := range networks(t, 1) {
		f := read(t, e.graph.Encode())
		params := 0
		for _, p := range e.weights.Params {
			if head, _, _ := strings.Cut(p.Name, "."); head == "reply" {
				continue // it only helps to learn
			}
			params++
			if c, ok := f.constants[p.Name]; !ok || len(c.data) != len(p.Data) {
				t.Errorf("%s: %s has shape %v, want %v", e.name, p.Name, c.shape, p.Shape)
			}
		}
		if len(f.constants) != params {
			t.Errorf("%s: %d tensors, want %d", e.name, len(f.constants), params)
		}
		if len(f.between)+len(f.outputs) != len(f.nodes) {
			t.Errorf("%s: %d and %d shapes for %d nodes", e.name, len(f.between), len(f.outputs), len(f.nodes))
		}
	}
}

// What a file says of itself.
func TestFileTellsItsModel(t *testing.T) {
	m := randomModel(dense, size(6, 7, 7, 4))
	g, err := m.ONNX(net.ONNXOptions{Version: "v9", Planes: "stones", Metadata: map[string]string{"actions": "a b"}})
	if err != nil {
		t.Fatal(err)
	}
	f := read(t, g.Encode())
	if f.irVersion != 8 || f.opset != 17 || f.producer != "tengen" || f.version != "v9" || !strings.Contains(f.doc, "planes: stones.") {
		t.Errorf("IR %d, operators %d, %s %s: %s", f.irVersion, f.opset, f.producer, f.version, f.doc)
	}
	want := map[string]string{"game": "toy", "iteration": "3", "step": "40", "net": architecture(t, m.Weights.Config), "actions": "a b"}
	if !maps.Equal(f.metadata, want) {
		t.Errorf("%v, want %v", f.metadata, want)
	}
}

// String tells which sizes are open.
func TestString(t *testing.T) {
	explained := anySize
	explained.OccupancyWeight = 1
	g, err := randomModel(explained, size(3, 4, 12, 5)).ONNX(net.ONNXOptions{AnySize: true})
	const owners = ", value [batch, 1], occupancy_logits [batch, 3, height, width]"
	if err != nil || !strings.HasSuffix(g.String(), owners) {
		t.Errorf("%v, want %s at its end, %v", g, owners, err)
	}
	m := randomModel(anySize, size(3, 4, 12, 5))
	for want, o := range map[string]net.ONNXOptions{
		"planes [batch, 5, 3, 4] -> policy_logits [batch, 12], value [batch, 1]":               {},
		"planes [8, 5, 3, 4] -> policy_logits [8, 12], value [8, 1]":                           {Batch: 8},
		"planes [batch, 5, height, width] -> policy_logits [batch, actions], value [batch, 1]": {AnySize: true},
	} {
		if g, err := m.ONNX(o); err != nil || g.String() != want {
			t.Errorf("%+v: %v, %v", o, g, err)
		}
	}
}

// The same model gives the same bytes.
func TestFilesRepeat(t *testing.T) {
	first, second := networks(t, 1), networks(t, 1)
	for i, e := range first {
		if !bytes.Equal(e.graph.Encode(), second[i].graph.Encode()) {
			t.Errorf("%s: other bytes", e.name)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	shape := size(3, 4, 12, 4)
	sound := randomModel(dense, shape)
	infinite := randomModel(dense, shape)
	infinite.Weights.Params[2].Data[5] = float32(math.Inf(1))
	huge := randomModel(dense, shape)
	many := make([]float32, 1<<20)
	for range 1 << 9 { // in the same memory
		huge.Weights.Params = append(huge.Weights.Params, net.Param{Name: "more", Shape: []int{len(many)}, Data: many})
	}
	for _, c := range []struct {
		model   *net.Model
		options net.ONNXOptions
		want    string
	}{
		{sound, net.ONNXOptions{Batch: -1}, "the batch has -1 positions, but must have 1 to 65536, or 0 for any number"},
		{sound, net.ONNXOptions{Batch: net.MaxONNXBatch + 1}, "the batch has 65537 positions"},
		{sound, net.ONNXOptions{AnySize: true}, "one board size: only net.policy_head conv with net.value_head pooled fits any"},
		{infinite, net.ONNXOptions{}, "is +Inf at index 5"},
		{huge, net.ONNXOptions{}, "parameters, but an ONNX file holds at most 536608768: choose a smaller one"},
	} {
		if _, err := c.model.ONNX(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
