//go:build !js

package checkpoints

import "embed"

//go:embed pretrained/*.safetensors
var pretrained embed.FS

// FiveInARow is the gomoku model in Pretrained, for boards of all sizes. A program that uses only FiveInARow does not
// contain the other models.
//
//go:embed pretrained/gomoku.safetensors
var FiveInARow []byte
