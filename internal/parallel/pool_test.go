package parallel

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Every task of every phase runs once, on one of the cores, whether the helpers are awake, asleep or late. No two tasks
// run on one core at once, and no goroutine outlives the pool.
func TestPool(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, cores := range []int{1, 2, 3, 16} {
		p := NewPool(cores)
		for phase := range 300 {
			if phase%100 == 99 {
				time.Sleep(time.Millisecond) // the helpers sleep
			}
			runs, busy := make([]int, phase%40), make([]atomic.Bool, cores)
			p.Each(len(runs), func(i, core int) {
				if busy[core].Swap(true) {
					t.Errorf("core %d has two tasks", core)
				}
				runs[i]++
				if i%7 == phase%7 {
					for range 100 {
						runtime.Gosched()
					}
				}
				busy[core].Store(false)
			})
			if i := slices.IndexFunc(runs, func(n int) bool { return n != 1 }); i >= 0 {
				t.Fatalf("%d cores: task %d of phase %d has run %d times", cores, i, phase, runs[i])
			}
		}
		p.Close()
	}
}

func BenchmarkPool(b *testing.B) {
	p := NewPool(runtime.GOMAXPROCS(0))
	defer p.Close()
	for b.Loop() {
		p.Each(p.Cores(), func(int, int) {})
	}
}
