package net

import (
	"cmp"
	"maps"
	"slices"
)

// task is a share of a phase's work, for a core with scratch memory.
type task struct {
	work float64 // about proportional to its time
	do   func(scratch []float32)
}

// shareFunc computes a share of some work.
type shareFunc func(scratch []float32, share, shares int)

// sharesPerCore is about the number of tasks of a phase for each core: enough that none waits long for the last, and few,
// since a share of a convolution's gradient repeats some work.
const sharesPerCore = 3

// divide returns a task for each share of some work, of a phase's total work. There are at most maxShares; 0 means 1.
func divide(work, total float64, cores, maxShares int, do shareFunc) (tasks []task) {
	shares := max(1, min(maxShares, int(sharesPerCore*float64(cores)*work/total)))
	for k := range shares {
		tasks = append(tasks, task{work / float64(shares), func(scratch []float32) { do(scratch, k, shares) }})
	}
	return tasks
}

// largestFirst sorts tasks so that the last to begin are short.
func largestFirst(tasks []task) {
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(b.work, a.work) })
}

// partialSum is a sum over the images of each micro-batch.
type partialSum struct {
	memory   []float32   // the graph's, for one micro-batch or the mean
	partials [][]float32 // like memory, by micro-batch
}

// plan divides the work of all phases among the cores. With as many micro-batches as cores or more, a core
// takes a whole one through the network, and its sums on the way, while their terms are in the caches. Otherwise sums
// have a phase.
func (t *Trainer) plan(l *loss, microBatches int) {
	b, cores := t.network.builder, t.pool.Cores()
	for range cores {
		t.scratch = append(t.scratch, make([]float32, b.workspace))
	}
	tasks := min(max(cores, microBatches), b.batch)
	for i := range tasks {
		t.imageTasks = append(t.imageTasks, b.images(i, tasks))
	}
	t.inlineSums = make([][]shareFunc, tasks)
	t.tape.reuse(cores > microBatches, t.logPolicy)
	sums := t.planSums(microBatches, cores > microBatches)
	for i, g := range l.gradients {
		t.gradients[i].Data = memory(g)
		t.planMean(sums[&memory(g)[0]])
		delete(sums, &memory(g)[0])
	}
	t.losses = slices.Collect(maps.Values(sums))
	t.planFills()
}

// planSums plans the sums. It returns them by the graph's memory.
func (t *Trainer) planSums(microBatches int, later bool) map[*float32]*partialSum {
	b, total := t.network.builder, 0.0
	for _, op := range t.tape.sums() {
		total += op.work
	}
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
			do := func(scratch []float32, share, shares int) {
				r := r
				r.scratch = scratch
				op.sum(op.in, result, second, r, share, shares)
			}
			if later {
				t.sums = append(t.sums, divide(op.work/float64(microBatches), total, t.pool.Cores(), op.maxShares, do)...)
			} else {
				t.inlineSums[i] = append(t.inlineSums[i], do)
			}
		}
	}
	t.entropy = make([]float32, microBatches)
	for i := range t.entropy {
		r := b.images(i, microBatches)
		t.sums = append(t.sums, task{float64(len(t.logPolicy) / microBatches), func([]float32) {
			t.entropy[i] = meanEntropy(r.of(t.logPolicy), r.last-r.first)
		}})
	}
	largestFirst(t.sums)
	return sums
}

// meanBlock is the number of elements that a core averages at a time.
const meanBlock = 1 << 12

// planMean plans the mean of a gradient over the micro-batches.
func (t *Trainer) planMean(s *partialSum) {
	share := 1 / float32(len(s.partials))
	for first := 0; first < len(s.memory); first += meanBlock {
		last := min(first+meanBlock, len(s.memory))
		t.means = append(t.means, task{do: func([]float32) {
			for i := first; i < last; i++ {
				sum := float32(0)
				for _, partial := range s.partials {
					sum += float32(share * partial[i])
				}
				s.memory[i] = sum
			}
		}})
	}
}

// planFills plans Update.
func (t *Trainer) planFills() {
	total := 0.0
	for _, w := range t.network.builder.packed {
		total += float64(len(w.memory))
	}
	for _, w := range t.network.builder.packed {
		t.fills = append(t.fills, divide(float64(len(w.memory)), total, t.pool.Cores(), w.maxShares, func(scratch []float32, share, shares int) {
			w.fill(w.memory, scratch, share, shares)
		})...)
	}
	largestFirst(t.fills)
}
