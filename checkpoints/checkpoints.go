// Package checkpoints holds the models that come with tengen.
package checkpoints

import (
	"embed"
	"io/fs"
)

// Pretrained has the models as files NAME.safetensors.
func Pretrained() fs.FS {
	folder, err := fs.Sub(pretrained, "pretrained")
	if err != nil {
		panic(err) // the name is malformed
	}
	return folder
}

//go:embed pretrained/*.safetensors
var pretrained embed.FS

// FiveInARow is the gomoku model in Pretrained, for boards of all sizes. A program that uses only FiveInARow does not
// contain the other models.
//
//go:embed pretrained/gomoku.safetensors
var FiveInARow []byte
