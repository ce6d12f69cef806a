package run

import (
	"encoding/json"
	"fmt"

	"tengen/engine"
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
// SHA-256 of the model file, and for fixed board sizes "actions", a JSON list of the moves by action. It also
// identifies the model, which was read even if its export fails.
func ExportONNX(c ONNXExport) (*onnx.Graph, ModelID, error) {
	m, id, err := IdentifyModel(c.Model)
	if err != nil {
		return nil, id, err
	}
	g, err := exportONNX(c, m, id)
	return g, id, err
}

func exportONNX(c ONNXExport, m *net.Model, id ModelID) (*onnx.Graph, error) {
	options := net.ONNXOptions{Batch: c.Batch, AnySize: c.AnySize, Version: Version(), Metadata: map[string]string{"model_sha256": id.SHA256}}
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
	info := e.Info()
	if start := e.Start(); !o.AnySize && len(start.Legal) == info.Actions {
		var names []string
		for _, a := range start.Legal {
			names = append(names, start.Format(a))
		}
		list, err := json.Marshal(names)
		if err != nil {
			return nil, err
		}
		o.Metadata["actions"] = string(list)
	}
	if info.Placement {
		o.Planes = "1 where there is a stone of the side to move, a stone of its opponent, the last stone, and everywhere if the first " +
			"player is to move, else 0; row 0 at the top of the board"
	}
	return n.Model().ONNX(o)
}
