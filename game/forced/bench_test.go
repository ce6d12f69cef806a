package forced_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// BenchmarkExamine examines positions in the order of the games they are from, one after the other as a search meets them: 40
// games of moves that land beside a stone and do not lose at once if that can be had.
func BenchmarkExamine(b *testing.B) {
	for _, nodes := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("connect4/nodes=%d", nodes), func(b *testing.B) { benchmarkExamine(b, connect4.Standard(), nodes) })
		b.Run(fmt.Sprintf("gomoku/nodes=%d", nodes), func(b *testing.B) { benchmarkExamine(b, mnk.Gomoku(), nodes) })
	}
}

func benchmarkExamine[S game.State[S]](b *testing.B, g game.Game[S], nodes int) {
	var states []S
	for seed := range uint64(40) {
		states = append(states, closeGame(g, random.New(seed, random.Bench))...)
	}
	p := forced.New[S]()
	proofs, moves := 0, 0
	for _, s := range states {
		found := p.Examine(s, nodes)
		if found.Result != game.Unknown {
			proofs++
			continue
		}
		for _, r := range found.Moves {
			if r == game.Loss {
				moves++
			}
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		p.Examine(states[i], nodes)
		if i++; i == len(states) {
			i = 0
		}
	}
	b.ReportMetric(100*float64(proofs)/float64(len(states)), "%proven")
	b.ReportMetric(float64(moves)/float64(len(states)-proofs), "lost-moves/open-position")
}

// closeGame plays a game of careful moves that land beside a stone, and returns its positions.
func closeGame[S game.State[S]](g game.Game[S], rng *rand.Rand) (states []S) {
	s := g.Start()
	columns := g.Board().Columns
	for {
		states = append(states, s)
		legal := s.Legal(nil)
		var a game.Action
		for try := range 50 {
			a = legal[rng.IntN(len(legal))]
			if (besideStone(any(s).(game.Placement), a, columns, g.Board().Cells()) || s.Ply() == 0) && !canComplete(s.Play(a)) && try < 40 {
				break
			}
		}
		for _, winning := range legal {
			if completes(s, winning) {
				a = winning
			}
		}
		s = s.Play(a)
		if _, over := s.Outcome(); over {
			return states
		}
	}
}

// besideStone reports whether a move lands on one of the eight cells around a stone.
func besideStone(p game.Placement, a game.Action, columns, cells int) bool {
	at := p.Target(a).To
	for _, row := range []int{-columns, 0, columns} {
		for column := -1; column <= 1; column++ {
			next := at + row + column
			onBoard := next >= 0 && next < cells && at%columns+column >= 0 && at%columns+column < columns
			if onBoard && p.Cell(next) != game.Nobody {
				return true
			}
		}
	}
	return false
}
