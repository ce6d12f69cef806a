package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"testing"

	"tengen/checkpoints"
)

// The metadata describe the moves, the planes and the model.
func TestExportONNX(t *testing.T) {
	model, err := fs.ReadFile(checkpoints.Pretrained(), "mnk-8x8x5.safetensors")
	noError(t, err)
	sum := sha256.Sum256(model)
	for _, c := range []struct {
		export      ONNXExport
		game, moves string
	}{
		{ONNXExport{Model: "mnk-8x8x5"}, "mnk:8,8,5", `["a8","b8","c8","d8","e8","f8","g8","h8","a7",`},
		{ONNXExport{Model: "mnk-8x8x5", Game: "MNK:15,15,5"}, "gomoku", `["a15","b15",`},
		{ONNXExport{Model: "mnk-8x8x5", AnySize: true}, "mnk:8,8,5", ""},
	} {
		graph, _, err := ExportONNX(c.export)
		noError(t, err)
		content := graph.Encode()
		for _, text := range []string{"network for " + c.game + ",", hex.EncodeToString(sum[:]), "a stone of its opponent", c.moves} {
			if !bytes.Contains(content, []byte(text)) {
				t.Errorf("%+v: the file lacks %q", c.export, text)
			}
		}
		if c.moves == "" && bytes.Contains(content, []byte(`"a8"`)) {
			t.Errorf("%+v: the file of all boards names the moves of one", c.export)
		}
	}
}
