package net

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tengen/game"
	"tengen/internal/parallel"
	"tengen/internal/portable"
)

// Trainer computes the loss and its gradient for batches of one size, with its own weights, on the cores of a pool. It
// divides a batch into equal micro-batches, computes the means over each, and averages them. Their number changes the
// last bits of the results, the number of cores none. A Trainer is not safe for concurrent use.
//
// A run has three phases, between which cores wait for each other. First, each core takes some images through the
// network and back. Then they take the sums over each micro-batch, mostly gradients of weights, unless the first phase
// has (see plan). Last, they average the micro-batches.
type Trainer struct {
	network   *network
	tape      tape           // sorted by aroundLoss
	device    *Device        // computes Run, or nil
	board     *trainerDevice // the network on it
	weights   *Weights       // the graph's memory
	batch     *game.Batch
	mask      []float32 // [B, Actions], 0 for legal moves, else illegal; the graph's memory
	gradients []Param   // of Losses.Total, by parameter

	forwardEnd int // tape.operations[:forwardEnd] come before the loss
	lossEnd    int // tape.operations[forwardEnd:lossEnd] compute the loss

	pool       *parallel.Pool
	scratch    [][]float32                  // by core
	imageTasks []imageRange                 // of the first phase
	inline     bool                         // imageTasks[i] takes the sums of micro-batch i on its way
	sumOf      map[*operation][]portionFunc // by micro-batch
	sums       []task                       // of the second phase
	means      []task                       // of the third
	fills      []task                       // of Update

	losses    []*partialSum // without gradients
	entropy   []float32     // by micro-batch
	logPolicy []float32     // [B, Actions] of the last run
	names     []string      // Config.Terms
	terms     [][]float32   // [1] each, the graph's memory: a micro-batch's losses
	weighted  [][]float32   // [1] each
}

// NewTrainer compiles the loss of the network of w for batches of at least 1, in equal micro-batches, and loads w. It
// panics when w lacks auxiliary heads, as a published model does.
func NewTrainer(w *Weights, batch, microBatches int, pool *parallel.Pool) *Trainer {
	checkBatch(batch)
	if microBatches < 1 || batch%microBatches > 0 {
		panic(fmt.Sprintf("net: a batch of %d rows in %d equal micro-batches", batch, microBatches))
	}
	building.Lock()
	defer building.Unlock()
	var l *loss
	n := distinct(func(salt string) *network {
		n := newNetwork(w.Config, w.Shape, training, batch, salt)
		l = n.addLoss(batch / microBatches)
		return n
	})
	t := &Trainer{
		network:   n,
		tape:      record(n.graph, n.builder.whole()),
		weights:   n.bind(),
		batch:     l.newBatch(n.planes),
		mask:      memory(l.mask),
		gradients: n.bind().Params,
		pool:      pool,
		logPolicy: memory(l.logPolicy),
		names:     w.Config.Terms(),
	}
	for i, term := range l.terms {
		t.terms, t.weighted = append(t.terms, memory(term)), append(t.weighted, memory(l.weighted[i]))
	}
	forward, lossOperations, backward := t.tape.aroundLoss()
	t.tape.operations = slices.Concat(forward, lossOperations, backward)
	t.forwardEnd, t.lossEnd = len(forward), len(forward)+len(lossOperations)
	t.plan(l, microBatches)
	t.Load(w)
	return t
}

// Load replaces the weights. It panics when the architecture differs.
func (t *Trainer) Load(w *Weights) {
	t.weights.CopyFrom(w)
	t.Update()
}

// Weights returns the trainer's own weights. After a change of them, the caller must call Update.
func (t *Trainer) Weights() *Weights { return t.weights }

// Update transforms changed weights.
func (t *Trainer) Update() {
	if t.device != nil {
		t.board.network.Load() // an error loses the device
	} else {
		t.compute(t.fills)
	}
}

// Batch returns the inputs' memory, to fill before Run.
func (t *Trainer) Batch() *game.Batch { return t.batch }

// Gradients returns the derivatives of Losses.Total by parameter. Each Run overwrites them.
func (t *Trainer) Gradients() []Param { return t.gradients }

// Run computes the batch's losses and their gradients. It returns an error when the loss is not finite, or
// ErrDeviceLost.
func (t *Trainer) Run() (mean Losses, err error) {
	if t.device == nil {
		t.run()
		return t.meanLosses()
	}
	if t.runOn(t.board) != nil {
		return mean, t.lost()
	}
	mean, err = t.meanLosses()
	return mean, cmp.Or(t.verify(err != nil), err)
}

// ErrDeviceLost says that a Trainer's device is lost. From then on this processor computes. The steps since the last
// Verify may be wrong, and must be repeated.
var ErrDeviceLost = errors.New("the device is lost")

// OnDevice reports whether a device computes Run.
func (t *Trainer) OnDevice() bool { return t.device != nil }

// Verify computes the last Run on a device again on this processor. It returns ErrDeviceLost if the device is lost, by
// a difference or before.
func (t *Trainer) Verify() error { return t.verify(true) }

func (t *Trainer) verify(must bool) error {
	if t.device == nil || t.device.sample(must, t.pool.Cores(), func() error { return t.compare(t.board) }) == nil {
		return nil
	}
	return t.lost()
}

func (t *Trainer) lost() error {
	t.Close()
	return ErrDeviceLost
}

// meanLosses returns the means over the micro-batches of the last run.
func (t *Trainer) meanLosses() (mean Losses, err error) {
	for i := range t.entropy {
		l := t.microBatchLosses(i)
		mean.Add(l, 1/float32(len(t.entropy)))
		if !finite(l.Total) && err == nil {
			err = fmt.Errorf("net: the loss is not finite, %v: go back to an earlier checkpoint and lower the learning rate", l.Terms)
		}
	}
	return mean, err
}

// run computes the gradients, and all that the losses are made of, on this processor.
func (t *Trainer) run() {
	t.pool.Each(len(t.imageTasks), func(i, core int) {
		r := t.imageTasks[i]
		r.scratch = t.scratch[core]
		t.maskIllegal(r)
		t.tape.play(r, t.sumInline(i, r))
	})
	t.compute(t.sums)
	t.compute(t.means)
}

// sumInline returns what image task i does at sums, for tape.play: nil if they are a phase of their own.
func (t *Trainer) sumInline(i int, r imageRange) func(op *operation) {
	if !t.inline {
		return nil
	}
	return func(op *operation) { t.sumOf[op][i](r.scratch, 0, 1) }
}

// maskIllegal sets the mask of some images.
func (t *Trainer) maskIllegal(r imageRange) {
	mask := r.of(t.mask)
	for k, legal := range r.of(t.batch.Legal) {
		mask[k] = (1 - legal) * illegal
	}
}

// microBatchLosses returns the losses of a micro-batch.
func (t *Trainer) microBatchLosses(i int) Losses {
	for _, s := range t.losses {
		copy(s.memory, s.partials[i])
	}
	for _, op := range t.tape.scalars {
		op.compute(imageRange{})
	}
	l := Losses{Entropy: t.entropy[i]}
	for k, name := range t.names {
		l.Terms = append(l.Terms, Term{name, t.terms[k][0]})
		l.Total += t.weighted[k][0]
	}
	return l
}

func (t *Trainer) compute(tasks []task) {
	t.pool.Each(len(tasks), func(i, core int) { tasks[i].do(t.scratch[core]) })
}

// meanEntropy returns the mean over some rows.
func meanEntropy(logPolicy []float32, rows int) float32 {
	sum := 0.0
	for _, logP := range logPolicy {
		sum -= float64(portable.Exp(float64(logP)) * float64(logP))
	}
	return float32(sum / float64(rows))
}
