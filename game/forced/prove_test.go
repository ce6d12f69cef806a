package forced_test

import (
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// The line of a proof is one of legal moves that the proven winner ends. In it the winner never lets go: at each of the
// winner's turns the position is proven won, and at each of the loser's within a chain there is one reply.
func TestLinesOfProofs(t *testing.T) {
	t.Run("connect four", func(t *testing.T) { checkLines(t, connect4.Standard()) })
	t.Run("gomoku", func(t *testing.T) { checkLines(t, mnk.Gomoku()) })
	for _, numbers := range []string{"6,6,4", "6,6,4,exact", "8,8,4,caro", "9,9,5,exact,caro"} {
		t.Run(numbers, func(t *testing.T) { checkLines(t, newMNK(t, numbers)) })
	}
	t.Run("5,4,3 upright", func(t *testing.T) { checkLines(t, newConnect4(t, "5,4,3")) })
}

func checkLines[S game.State[S]](t *testing.T, g game.Game[S]) {
	p := forced.New[S]()
	longest := map[game.Result]int{}
	for seed := range uint64(30) {
		for _, start := range closeGame(g, random.New(seed, random.Test, 5)) {
			result, line := p.Prove(start, 20_000)
			if examined := p.Examine(start, 20_000).Result; examined != result {
				t.Fatalf("%x: proven a %v, examined a %v", start.Key(), result, examined)
			}
			if result == game.Unknown {
				if len(line) > 0 {
					t.Fatalf("%x: nothing is proven, by %s", start.Key(), game.FormatMoves(g.Start(), line))
				}
				continue
			}
			longest[result] = max(longest[result], len(line))
			s := start
			for i, a := range line {
				if _, over := s.Outcome(); over {
					t.Fatalf("%x: the line %s continues after the end", start.Key(), game.FormatMoves(g.Start(), line))
				}
				if won := (i%2 == 0) == (result == game.Win); won && p.Examine(s, 20_000).Result != game.Win {
					t.Fatalf("%x: the winner of %s has nothing proven after %d moves", start.Key(), game.FormatMoves(g.Start(), line), i)
				}
				s = s.Play(a)
			}
			z, over := s.Outcome()
			if wins := len(line)%2 == 1; !over || z != -1 || wins != (result == game.Win) {
				t.Fatalf("%x: a %v by %s, which ends with %v, %t", start.Key(), result, game.FormatMoves(g.Start(), line), z, over)
			}
		}
	}
	if longest[game.Win] < 3 || longest[game.Loss] < 4 {
		t.Errorf("the longest lines have %v moves; nothing was tested", longest)
	}
	t.Logf("longest lines: %v", longest)
}
