package connect4

import (
	"context"
	"slices"
	"sync"
)

// race lets all workers solve p and returns what the first finds; they would all find the same. ok is false when ctx ended
// before.
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

// orderOf returns the columns, roughly the centre first, in an order of the given thread's own: the sides change places,
// and as threads get more a pair further and further from the centre.
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
