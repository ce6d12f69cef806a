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
	err := visit(g, func(moves []game.Action, s S) error {
		if len(moves) > 0 {
			replies = append(replies, moves[len(moves)-1])
		}
		if _, over := s.Outcome(); !over {
			states = append(states, s)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	planes := make([]float32, game.InputLen(g))
	legal := make([]game.Action, 0, g.Actions())
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
