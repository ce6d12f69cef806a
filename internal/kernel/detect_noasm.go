//go:build !(amd64 || arm64) || noasm

package kernel

func detect() []*vectors { return []*vectors{plain} }
