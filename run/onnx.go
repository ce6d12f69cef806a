package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

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

// ExportONNX writes a model's network as an ONNX file and returns its inputs and outputs as text. Metadata beyond
// net.Model.ONNX are "model_sha256" and, without AnySize, "actions", a JSON list of moves.
func ExportONNX(c ONNXExport, file string) (signature string, err error) {
	m, err := OpenModel(c.Model)
	if err != nil {
		return "", err
	}
	options := net.ONNXOptions{Batch: c.Batch, AnySize: c.AnySize, Version: Version()}
	if err := options.Validate(m.Weights.Config); err != nil {
		return "", engine.InputErrorf("%s: %w", c.Model, err)
	}
	if c.AnySize && c.Game != "" {
		return "", engine.InputErrorf("choose either boards of any size or the board of %s", c.Game)
	}
	open, name := engine.Open, c.Game
	if name == "" {
		open, name = engine.OpenRecorded, m.Game
	}
	e, err := open(name)
	if err != nil {
		return "", err
	}
	g, err := graph(e, m, options)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Model, err)
	}
	return g.String(), g.Write(file)
}

func graph(e engine.Game, m *net.Model, o net.ONNXOptions) (*onnx.Graph, error) {
	content, err := m.MarshalBinary()
	if err != nil {
		return nil, err
	}
	n, err := e.Network(m, engine.PlayerOptions{})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	o.Metadata = map[string]string{"model_sha256": hex.EncodeToString(sum[:])}
	info := e.Info()
	if !o.AnySize {
		var names []string
		for a := range info.Actions {
			names = append(names, e.Format(game.Action(a)))
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
