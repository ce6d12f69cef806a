package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Each core calls the function of each phase once, however many cores there are, whether the pool is awake or asleep, and
// no goroutine outlives the pool.
func TestPool(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, cores := range []int{1, 2, 3, 16} {
		p := NewPool(cores)
		calls := make([]int, cores)
		for phase := 1; phase <= 300; phase++ {
			if phase%100 == 0 {
				time.Sleep(time.Millisecond) // the helpers sleep
			}
			p.Run("one", func(core int) {
				calls[core]++
				if core == phase%cores {
					for range 100 {
						runtime.Gosched()
					}
				}
			})
			for core, n := range calls {
				if n != phase {
					t.Fatalf("%d cores: core %d has called %d times in %d phases", cores, core, n, phase)
				}
			}
		}
		var sum, calledBy atomic.Int64
		p.Each("two", 100, func(i, core int) { sum.Add(int64(i)); calledBy.Store(int64(core)) })
		if sum.Load() != 4950 || calledBy.Load() >= int64(cores) {
			t.Errorf("%d cores: sum %d, core %d", cores, sum.Load(), calledBy.Load())
		}
		if times := p.Phases(); len(times) != 2 || times[0].Name != "one" || times[1].Name != "two" || times[0].Time <= 0 {
			t.Errorf("%d cores: phases %v", cores, times)
		}
		p.Close()
	}
}

func BenchmarkPool(b *testing.B) {
	p := NewPool(runtime.GOMAXPROCS(0))
	defer p.Close()
	for b.Loop() {
		p.Run("empty", func(int) {})
	}
}
