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

// ONNXExport says what to write of a model, see ExportONNX.
type ONNXExport struct {
	Model   string // a file, a run directory or the name of one that comes with tengen
	Game    string // what it is to play, "": what it has learned
	Batch   int    // see net.ONNXOptions
	AnySize bool   // see net.ONNXOptions; Game is empty then
}

// ExportONNX writes the network of a model as an ONNX file, and returns what goes in and comes out of it. See net.Model.ONNX; the
// metadata have "model_sha256" as well, the SHA-256 of the model as a file, and for a board of one size "actions", the names of
// the moves in their order, a list in JSON.
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
		return "", engine.InputErrorf("boards of any size, and of %s: choose one of them", c.Game)
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

// graph is the network of a model as it plays a game.
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
