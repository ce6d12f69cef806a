// Package tengen holds the project's files that the binary carries. The commands are in cmd/tengen; the README lists the
// packages from the ground up.
package tengen

import _ "embed"

// DefaultConfig is config.yaml: every key with its default and what it does.
//
//go:embed config.yaml
var DefaultConfig []byte
