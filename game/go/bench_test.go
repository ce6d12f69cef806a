package igo_test

import (
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	igo "tengen/game/go"
	"tengen/game/mnk"
	"tengen/internal/random"
	"tengen/mcts"
)

var parse = gametest.Parser(igo.Parse)

func BenchmarkNine(b *testing.B) { gametest.Bench(b, parse(b, "9")) }

func BenchmarkNineteen(b *testing.B) { gametest.Bench(b, parse(b, "19")) }

// BenchmarkSearch is the tree alone, on an evaluation that knows nothing.
func BenchmarkSearch(b *testing.B) {
	b.Run("go", func(b *testing.B) { search(b, parse(b, "9"), 0) })
	b.Run("go, ply 60", func(b *testing.B) { search(b, parse(b, "9"), 60) })
	g, _ := mnk.Parse("9,9,5")
	b.Run("mnk", func(b *testing.B) { search[mnk.State](b, g, 0) })
}

func search[S game.State[S]](b *testing.B, g game.Game[S], plies int) {
	s, rng := g.Start(), random.New(1, random.Test)
	for range plies {
		legal := s.Legal(nil)
		s = s.Play(legal[rng.IntN(max(1, len(legal)-1))])
	}
	prior := make([]float32, g.Actions())
	for i := range prior {
		prior[i] = rng.Float32()
	}
	tree := mcts.New[S](mcts.Default(), g.Actions())
	tree.LimitNodes(2000)
	for b.Loop() {
		if tree.Simulations() == 0 || tree.Simulations() > 1500 {
			tree.Reset(s)
			tree.Begin(1<<20, nil)
		}
		if _, status := tree.Select(); status == mcts.Leaf {
			tree.Expand(prior, 2*rng.Float32()-1)
		}
	}
}
