package connect4

import (
	"testing"

	"tengen/game/connect4"
	"tengen/internal/random"
)

// BenchmarkPublished solves the sets of Pons with a table that is kept from one position to the next; an operation is one
// position.
func BenchmarkPublished(b *testing.B) {
	for _, name := range []string{"end-easy", "begin-easy"} {
		set := published(b, name)
		b.Run(name, func(b *testing.B) {
			benchmark(b, len(set), func(s *Solver, n int) error {
				_, err := s.Solve(b.Context(), set[n].state)
				return err
			})
		})
	}
}

// BenchmarkSign finds the signs of positions with 30 empty cells from random games, as learning does.
func BenchmarkSign(b *testing.B) {
	rng := random.New(1, random.Bench)
	var set []connect4.State
	for len(set) < 100 {
		s := wander(connect4.Standard().Start(), 12, rng.IntN)
		if _, over := s.Outcome(); !over {
			set = append(set, s)
		}
	}
	benchmark(b, len(set), func(s *Solver, n int) error {
		_, err := s.Sign(b.Context(), set[n])
		return err
	})
}

// benchmark solves n positions in turn, by solve, with a table that is empty at the beginning of each round.
func benchmark(b *testing.B, n int, solve func(s *Solver, n int) error) {
	s := solverWith(b, connect4.Standard(), Options{TableMegabytes: 8, Threads: 1})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i == 0 {
			b.StopTimer()
			for e := range s.table.entries {
				s.table.entries[e].Store(0)
			}
			b.StartTimer()
		}
		if err := solve(s, i); err != nil {
			b.Fatal(err)
		}
		i = (i + 1) % n
	}
	b.ReportMetric(float64(s.Nodes())/float64(b.N), "nodes/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
}
