package net

import (
	"fmt"

	"tengen/internal/kernel"
)

// Inference is a network compiled for one batch size, with its own weights. It is not safe for concurrent use; several
// may run at once.
type Inference struct {
	network *network // for the rows of one pass
	tape    tape
	weights *Weights   // the graph's memory
	images  imageRange // of a pass
	pass    buffers    // the graph's memory
	buffers            // the whole batch
}

// buffers hold positions and their outputs.
type buffers struct {
	planes []float32 // [rows, planes, H, W]
	logits []float32 // [rows, actions]
	value  []float32 // [rows]
}

// cut returns rows first to last-1.
func (b buffers) cut(first, last int) buffers {
	row := func(s []float32) []float32 {
		n := len(s) / len(b.value)
		return s[first*n : last*n : last*n]
	}
	return buffers{row(b.planes), row(b.logits), row(b.value)}
}

// NewInference compiles the network of w for batches of at least 1, and loads w.
func NewInference(w *Weights, batch int) *Inference {
	inf := compileInference(w, batch)
	inf.Load(w)
	return inf
}

// compileInference is NewInference without loading the weights.
func compileInference(w *Weights, batch int) *Inference {
	checkBatch(batch)
	inf := compile(w, playing, batch, min(batch, passRows(w)))
	inf.tape.reuse(false, inf.pass.logits, inf.pass.value)
	return inf
}

// compile returns an inference without weights, whose passes take some rows.
func compile(w *Weights, why purpose, batch, rows int) *Inference {
	building.Lock()
	defer building.Unlock()
	n := distinct(func(salt string) *network { return newNetwork(w.Config, w.Shape, why, rows, salt) })
	whole := n.builder.whole()
	return &Inference{
		network: n,
		images:  whole,
		tape:    record(n.graph, whole),
		weights: n.bind(),
		pass:    buffers{memory(n.planes), memory(n.outputs[policyHead.name]), memory(n.outputs[valueHead.name])},
		buffers: buffers{
			planes: make([]float32, batch*w.Shape.inputLen()),
			logits: make([]float32, batch*w.Shape.Actions),
			value:  make([]float32, batch),
		},
	}
}

// passRows returns the rows of a pass through all layers: those that a convolution of the trunk transforms together, so
// that they stay in a core's caches. The minimum keeps dense layers efficient.
func passRows(w *Weights) int {
	const fewest = 4
	width := w.Config.Channels
	return max(fewest, kernel.NewConv(w.Shape.Height, w.Shape.Width, width, width).ChunkImages())
}

func checkBatch(batch int) {
	if batch < 1 {
		panic(fmt.Sprintf("net: batch of %d rows", batch))
	}
}

// Load replaces the weights. It panics when the architecture differs.
func (inf *Inference) Load(w *Weights) {
	inf.weights.CopyFrom(w)
	inf.network.builder.update(inf.images.scratch)
}

// LoadFrom loads the weights of from and shares its transformed filters until either loads others. No Load of from may
// run meanwhile, but Forward may. It panics when the architecture differs.
func (inf *Inference) LoadFrom(from *Inference) {
	inf.weights.CopyFrom(from.weights)
	inf.network.builder.shareFrom(from.network.builder)
}

// Batch returns the number of rows.
func (inf *Inference) Batch() int { return len(inf.value) }

// Input returns the memory of row i, [planes, H, W], for Forward.
func (inf *Inference) Input(i int) []float32 { return inf.cut(i, i+1).planes }

// Forward evaluates the first n rows, 1 to Batch, in time proportional to n. The other outputs are undefined. It panics
// when n is out of range.
func (inf *Inference) Forward(n int) {
	if n < 1 || n > inf.Batch() {
		panic(fmt.Sprintf("net: Forward of %d rows in a batch of %d", n, inf.Batch()))
	}
	first := 0
	for passes := (n-1)/inf.network.batch + 1; passes > 0; passes-- {
		size := (n - first) / passes
		from, to := inf.cut(first, first+size), inf.pass.cut(0, size)
		copy(to.planes, from.planes)
		inf.images.last = size
		inf.tape.play(inf.images, nil)
		copy(from.logits, to.logits)
		copy(from.value, to.value)
		first += size
	}
}

// Logits returns row i's logits, [Actions], legal or not, until the next Forward.
func (inf *Inference) Logits(i int) []float32 { return inf.cut(i, i+1).logits }

// Value returns row i's expected outcome for the side to move, in [-1, 1].
func (inf *Inference) Value(i int) float32 { return inf.value[i] }
