package connect4

import (
	"context"
	"slices"
	"sync"
)

// race solves p with all workers and returns the first result; the others would be equal. ok is false when ctx ended
// first.
func race(ctx context.Context, workers []*worker, p position, lower, upper int) (score int, ok bool) {
	racing, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var once sync.Once
	for _, w := range workers {
		wg.Go(func() {
			if found, done := w.solve(racing, p, lower, upper); done {
				once.Do(func() { score, ok = found, true })
				stop()
			}
		})
	}
	wg.Wait()
	return score, ok
}

// orderOf returns the columns, roughly from the centre outwards, in a different order for each thread: odd threads swap
// the sides, and higher threads swap a pair further from the centre.
func (b *board) orderOf(thread int) []uint64 {
	order := slices.Clone(b.order)
	if thread%2 == 1 {
		for i := 1; i+1 < len(order); i += 2 {
			order[i], order[i+1] = order[i+1], order[i]
		}
	}
	if i := thread / 2 % (len(order) - 1); i > 0 {
		order[i-1], order[i] = order[i], order[i-1]
	}
	return order
}
