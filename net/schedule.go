package net

import (
	"cmp"
	"maps"
	"slices"
)

// task is what one core computes of a phase without a pause, with its own scratch memory.
type task struct {
	work float64 // multiplications and additions, about: largestFirst sorts by it
	do   func(scratch []float32)
}

// portionFunc computes one of several equal portions of a sum or of packed weights, counted from 0. Portions have no
// element in common, so several cores may compute them at once, and their number changes no bit.
type portionFunc func(scratch []float32, portion, portions int)

// portionsPerCore is about the number of tasks of a phase for each core: enough that none waits long for the last, and
// few, since each portion of a convolution's gradient transforms the same images again.
const portionsPerCore = 3

// divide returns tasks for the portions of a sum. Their number, at most maxPortions and at least 1, grows with what the
// sum's work is of the phase's total work.
func divide(work, total float64, cores, maxPortions int, do portionFunc) (tasks []task) {
	portions := max(1, min(maxPortions, int(portionsPerCore*float64(cores)*work/total)))
	for k := range portions {
		tasks = append(tasks, task{work / float64(portions), func(scratch []float32) { do(scratch, k, portions) }})
	}
	return tasks
}

// largestFirst sorts tasks so that the last to begin are short.
func largestFirst(tasks []task) {
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(b.work, a.work) })
}

// partialSum is a sum over the batch, taken over each micro-batch alone. The graph keeps the sum in memory: the sum of
// one micro-batch while its losses are computed, the mean of all once a gradient is complete.
// Invariant: len(partials[i]) == len(memory), with a partial for every micro-batch.
type partialSum struct {
	memory   []float32
	partials [][]float32 // by micro-batch
}

// plan divides the work of all phases into tasks. With at least as many micro-batches as cores, an image task takes a
// whole micro-batch through the network, and takes its sums on the way, while their terms are in the caches. Otherwise
// the sums are a phase of their own, in which several cores can work on one.
func (t *Trainer) plan(l *loss, microBatches int) {
	b, cores := t.network.builder, t.pool.Cores()
	for range cores {
		t.scratch = append(t.scratch, make([]float32, b.workspace))
	}
	tasks := min(max(cores, microBatches), b.batch)
	for i := range tasks {
		t.imageTasks = append(t.imageTasks, b.images(i, tasks))
	}
	t.inline = cores <= microBatches
	t.tape.reuse(!t.inline, t.logPolicy)
	sums := t.planSums(microBatches)
	for i, g := range l.gradients {
		t.gradients[i].Data = memory(g)
		t.planMean(sums[&memory(g)[0]])
		delete(sums, &memory(g)[0])
	}
	t.losses = slices.Collect(maps.Values(sums))
	t.planFills()
}

// planSums plans the sums. It returns them by the first element of their memory.
func (t *Trainer) planSums(microBatches int) map[*float32]*partialSum {
	b, total := t.network.builder, 0.0
	for _, op := range t.tape.sums() {
		total += op.work
	}
	t.sumOf = make(map[*operation][]portionFunc)
	sums := make(map[*float32]*partialSum)
	newPartial := func(memory []float32) []float32 {
		if memory == nil {
			return nil
		}
		s := sums[&memory[0]]
		if s == nil {
			s = &partialSum{memory: memory}
			sums[&memory[0]] = s
		}
		s.partials = append(s.partials, make([]float32, len(memory)))
		return s.partials[len(s.partials)-1]
	}
	for _, op := range t.tape.sums() {
		for i := range microBatches {
			r, result, second := b.images(i, microBatches), newPartial(op.memory), newPartial(op.secondMemory())
			do := func(scratch []float32, portion, portions int) {
				r := r
				r.scratch = scratch
				op.sum(op.in, result, second, r, portion, portions)
			}
			t.sumOf[op] = append(t.sumOf[op], do)
			if !t.inline {
				t.sums = append(t.sums, divide(op.work/float64(microBatches), total, t.pool.Cores(), op.maxPortions, do)...)
			}
		}
	}
	t.entropy = make([]float32, microBatches)
	for i := range t.entropy {
		t.sums = append(t.sums, task{float64(len(t.logPolicy) / microBatches), func([]float32) { t.takeEntropy(i) }})
	}
	largestFirst(t.sums)
	return sums
}

// takeEntropy takes the mean entropy of the policy over a micro-batch.
func (t *Trainer) takeEntropy(i int) {
	r := t.network.builder.images(i, len(t.entropy))
	t.entropy[i] = meanEntropy(r.of(t.logPolicy), r.last-r.first)
}

// meanBlock is the number of elements that a core averages at a time.
const meanBlock = 1 << 12

// planMean plans the mean of a gradient over the micro-batches.
func (t *Trainer) planMean(s *partialSum) {
	weight := 1 / float32(len(s.partials))
	for first := 0; first < len(s.memory); first += meanBlock {
		last := min(first+meanBlock, len(s.memory))
		t.means = append(t.means, task{do: func([]float32) {
			for i := first; i < last; i++ {
				sum := float32(0)
				for _, partial := range s.partials {
					sum += float32(weight * partial[i])
				}
				s.memory[i] = sum
			}
		}})
	}
}

// planFills plans Update, which packs changed weights.
func (t *Trainer) planFills() {
	total := 0.0
	for _, w := range t.network.builder.packed {
		total += float64(len(w.memory))
	}
	for _, w := range t.network.builder.packed {
		t.fills = append(t.fills, divide(float64(len(w.memory)), total, t.pool.Cores(), w.maxPortions, func(scratch []float32, portion, portions int) {
			w.fill(w.memory, scratch, portion, portions)
		})...)
	}
	largestFirst(t.fills)
}
