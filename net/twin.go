package net

import (
	"slices"

	"tengen/internal/gpu"
)

// twin is a network on a device that computes what operations compute here.
type twin struct {
	*gpu.Network
	batch   int
	params  []Param
	buffers map[*float32]gpu.Buffer // what holds parameters and results, by the first element of their memory here
}

// add adds operations to the network.
func (t twin) add(operations []*operation) {
	for _, op := range operations {
		call := deviceCall{twin: t, op: op, y: t.result(op.memory)}
		if op.second != nil {
			call.second = t.result(op.second.memory)
		}
		op.device(call)
	}
}

// result returns what holds a result. It makes that if it is new.
func (t twin) result(memory []float32) gpu.Buffer {
	b, ok := t.buffers[&memory[0]]
	if !ok {
		b = t.Result(len(memory) / t.batch)
		t.buffers[&memory[0]] = b
	}
	return b
}

// of returns what holds a parameter or an earlier result.
func (t twin) of(memory []float32) gpu.Buffer {
	b, ok := t.buffers[&memory[0]]
	if !ok {
		if !slices.ContainsFunc(t.params, func(p Param) bool { return &p.Data[0] == &memory[0] }) {
			panic("net: an operation on a device reads what is neither a parameter nor a result")
		}
		b = t.Constant(func() []float32 { return memory })
		t.buffers[&memory[0]] = b
	}
	return b
}

// deviceCall is the twin to which an operation adds itself.
type deviceCall struct {
	twin
	op        *operation
	y, second gpu.Buffer // for the results
}

// in returns what holds an input.
func (d deviceCall) in(i int) gpu.Buffer { return d.of(d.op.in[i]) }
