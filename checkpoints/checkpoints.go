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

// FiveInARow is the model among them that plays five in a row on boards of all sizes, for a program that carries no other.
//
//go:embed pretrained/gomoku.safetensors
var FiveInARow []byte
