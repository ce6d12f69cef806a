// Package tengen holds the project's files that the binary carries. The commands are in cmd/tengen; docs/packages.md lists
// the packages from the ground up.
package tengen

import "embed"

// DefaultConfig is config.yaml: every key with its default and what it does.
//
//go:embed config.yaml
var DefaultConfig []byte

// Pretrained holds the models that come with tengen, as files checkpoints/pretrained/NAME.safetensors.
//
//go:embed checkpoints/pretrained/*.safetensors
var Pretrained embed.FS

// FiveInARow is the one of them that plays five in a row on boards of all sizes, for a program that carries no other.
//
//go:embed checkpoints/pretrained/gomoku.safetensors
var FiveInARow string
