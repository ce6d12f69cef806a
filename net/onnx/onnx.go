// Package onnx writes ONNX files (https://github.com/onnx/onnx), which ONNX Runtime and many others run, in browsers, too, and
// Netron shows. It knows the operators that networks need, and no network: package net adds its operations to a Graph.
//
// Files are of ONNX 1.12: IR version 8, operator set 17. All tensors are float32. Equal graphs give equal bytes.
package onnx

// Graph is the content of a file: operations from inputs to outputs, each after those whose results it takes.
type Graph struct {
	Version  string            // of the program
	Doc      string            // for people to read
	Metadata map[string]string // further properties

	inputs, outputs []*Tensor
	nodes           []node
	constants       []*Tensor // in the order of their first use
}

// actionsSize is the name of a size that is the product of other open sizes.
const actionsSize = "actions"
