// Package onnx writes ONNX files (https://github.com/onnx/onnx) with the operators that networks need.
//
// Files follow ONNX 1.12. All tensors are float32. Equal graphs give equal bytes.
package onnx

// Graph is a file's content: nodes, each after the nodes that produce its inputs.
type Graph struct {
	Version  string            // the program's version
	Doc      string            // plain text
	Metadata map[string]string // further properties

	inputs, outputs []*Tensor
	nodes           []node
	constants       []*Tensor // in order of first use
}

// Names of open sizes that are products of other open sizes.
const (
	actionsSize     = "actions"
	cellActionsSize = "cell_actions" // those with a cell
)
