package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/net"
	"tengen/net/onnx"
)

// ONNXExport configures ExportONNX.
type ONNXExport struct {
	Model   string // a file, a run directory or a pretrained model
	Game    string // "": the training game
	Batch   int    // see net.ONNXOptions
	AnySize bool   // see net.ONNXOptions; Game is ""
}

// ExportONNX returns a model's network for an ONNX file. To the metadata of net.Model.ONNX it adds "model_sha256", the
// SHA-256 of the model file, "planes", a JSON list of what the planes show, and for fixed board sizes "actions", a JSON
// list of the moves by action (see game.ActionNames). If moves of the second player have other names, they are in
// "actions_second". It also identifies the model, which was read even if its export fails.
func ExportONNX(c ONNXExport) (*onnx.Graph, ModelID, error) {
	m, id, err := IdentifyModel(c.Model)
	if err != nil {
		return nil, id, err
	}
	g, err := exportONNX(c, m, id)
	return g, id, err
}

func exportONNX(c ONNXExport, m *net.Model, id ModelID) (*onnx.Graph, error) {
	options := net.ONNXOptions{Batch: c.Batch, AnySize: c.AnySize, Version: engine.Version(), Metadata: map[string]string{"model_sha256": id.SHA256}}
	if err := options.Validate(m.Weights.Config); err != nil {
		return nil, engine.InputErrorf("%s: %w", c.Model, err)
	}
	if c.AnySize && c.Game != "" {
		return nil, engine.InputErrorf("choose either boards of any size or the board of %s", c.Game)
	}
	open, name := engine.Open, c.Game
	if name == "" {
		open, name = engine.OpenRecorded, m.Game
	}
	e, err := open(name)
	if err != nil {
		return nil, err
	}
	g, err := graph(e, m, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Model, err)
	}
	return g, nil
}

func graph(e engine.Game, m *net.Model, o net.ONNXOptions) (*onnx.Graph, error) {
	n, err := e.Network(m, engine.PlayerOptions{})
	if err != nil {
		return nil, err
	}
	if captions := e.Captions(); captions != nil {
		o.Metadata["planes"] = list(captions)
		o.Planes = "1 marks, plane by plane: " + strings.Join(captions, "; ") + "; row 0 at the top"
	}
	if !o.AnySize {
		nameActions(o.Metadata, e.ActionNames())
	}
	return n.Model().ONNX(o)
}

// nameActions adds "actions", and "actions_second" if the second player's have other names.
func nameActions(metadata map[string]string, names map[game.Side][]string) {
	first, second := names[game.First], names[game.Second]
	either, differ := slices.Clone(first), false
	for a, name := range second {
		either[a] = cmp.Or(first[a], name)
		differ = differ || name != "" && name != either[a]
	}
	if !differ {
		metadata["actions"] = list(either)
		return
	}
	metadata["actions"], metadata["actions_second"] = list(first), list(second)
}

// list returns names as a JSON list, with null for "".
func list(names []string) string {
	values := make([]*string, len(names))
	for i := range names {
		if names[i] != "" {
			values[i] = &names[i]
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts can be written
	}
	return string(text)
}
