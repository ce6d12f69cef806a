package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing"

	"tengen/checkpoints"
)

// The metadata describe the moves, the planes and the model.
func TestExportONNX(t *testing.T) {
	model, err := fs.ReadFile(checkpoints.Pretrained(), "mnk-8x8x5.safetensors")
	noError(t, err)
	bytesOf := sha256.Sum256(model)
	sum, stones := hex.EncodeToString(bytesOf[:]), `["stones of the side to move","stones of its opponent","the last stone",`
	noMoves := strings.Repeat("null,", 18)
	for _, c := range []struct {
		export ONNXExport
		has    []string
		lacks  string
	}{
		{ONNXExport{Model: "mnk-8x8x5"}, []string{"network for mnk:8,8,5,", sum, stones, `["a8","b8","c8","d8","e8","f8","g8","h8","a7",`}, "actions_second"},
		{ONNXExport{Model: "mnk-8x8x5", Game: "MNK:15,15,5"}, []string{"network for gomoku,", sum, stones, `["a15","b15",`}, "null"},
		{ONNXExport{Model: "mnk-8x8x5", AnySize: true}, []string{"network for mnk:8,8,5,", sum, stones}, `"a8"`},
		// Discs lie on the four cells in the middle from the start on.
		{ONNXExport{Model: "othello"}, []string{`["discs of the side to move",`, `"c4",null,null,"f4",`, `"h8","pass"]`}, "actions_second"},
		// No piece leaves its last row, or the board to the left.
		{ONNXExport{Model: "breakthrough"}, []string{`["pieces of the side to move, `, "[" + noMoves + `null,"a5a6","a5b6",`, "[" + noMoves + `null,"a2a1","a2b1",`}, stones},
	} {
		graph, _, err := ExportONNX(c.export)
		noError(t, err)
		content := graph.Encode()
		for _, text := range c.has {
			if !bytes.Contains(content, []byte(text)) {
				t.Errorf("%+v: the file lacks %q", c.export, text)
			}
		}
		if bytes.Contains(content, []byte(c.lacks)) {
			t.Errorf("%+v: the file has %q", c.export, c.lacks)
		}
	}
}
