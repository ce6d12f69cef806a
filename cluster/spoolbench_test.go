package cluster

import (
	"sync"
	"testing"

	"tengen/replay"
	"tengen/replay/logtest"
)

// BenchmarkSpool keeps games as fast as a disk takes them, and forgets each as soon as it is found: as a worker whose games take no
// time does whose run is near.
func BenchmarkSpool(b *testing.B) {
	s, err := openSpool(b.TempDir(), "host", 10_000)
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	w := &Worker{spool: s}
	finished := make(chan *replay.Record, queueLength)
	var sending sync.WaitGroup
	for range 4 {
		sending.Go(func() {
			for kept := range s.pending {
				if _, err := s.get(kept); err != nil {
					b.Error(err)
				}
				if err := s.remove(kept); err != nil {
					b.Error(err)
				}
			}
		})
	}
	b.ResetTimer()
	go func() {
		defer close(finished)
		for i := range b.N {
			finished <- logtest.Game(uint64(i), 30)
		}
	}()
	if err := w.keep(b.Context(), finished); err != nil {
		b.Error(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
	close(s.pending)
	sending.Wait()
}
