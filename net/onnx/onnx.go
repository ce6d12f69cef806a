// Package onnx writes ONNX files (https://github.com/onnx/onnx) for ONNX Runtime, Netron and other tools. It knows the
// operators that networks need but no network: package net adds its operations to a Graph.
//
// Files follow ONNX 1.12: IR version 8, operator set 17. All tensors are float32. Equal graphs give equal bytes.
package onnx

// Graph is the content of a file: operations in order, each after the operations that produce its inputs.
type Graph struct {
	Version  string            // the program's version
	Doc      string            // plain text
	Metadata map[string]string // further properties

	inputs, outputs []*Tensor
	nodes           []node
	constants       []*Tensor // in order of first use
}

// actionsSize names a size that is the product of other open sizes.
const actionsSize = "actions"
