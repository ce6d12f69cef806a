package gametest

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Bench measures the calls that a search makes, averaged over positions of random games.
func Bench[S game.State[S]](b *testing.B, g game.Game[S]) {
	var states []S            // unfinished
	var replies []game.Action // a legal move in states[i]
	legal := make([]game.Action, 0, g.Actions())
	for n := range 8 + 400/g.MaxPlies() {
		rng, s := random.New(1, random.Suite, uint64(n)), g.Start()
		for _, over := s.Outcome(); !over; _, over = s.Outcome() {
			legal = s.Legal(legal[:0])
			a := legal[rng.IntN(len(legal))]
			states, replies = append(states, s), append(replies, a)
			s = s.Play(a)
		}
	}
	planes := make([]float32, game.InputLen(g))
	measure := func(name string, do func(i int)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				do(i)
				if i++; i == len(states) {
					i = 0
				}
			}
		})
	}
	measure("PlayOutcome", func(i int) { states[i].Play(replies[i]).Outcome() })
	measure("Legal", func(i int) { legal = states[i].Legal(legal[:0]) })
	measure("Encode", func(i int) { states[i].Encode(planes) })
	measure("Key", func(i int) { states[i].Key() })
	rng := random.New(1, random.Bench)
	measure("RandomGame", func(int) {
		s := g.Start()
		for _, over := s.Outcome(); !over; _, over = s.Outcome() {
			legal = s.Legal(legal[:0])
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	})
}
