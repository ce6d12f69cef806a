package main

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
)

// reach is the largest distance of a move from a stone, in king's moves.
const reach = 2

// mover plays quickly and partly at random: it makes proven wins and ranks other moves by the next position's estimate.
type mover struct {
	prover *forced.Prover[mnk.State]
	nodes  int  // limit of a proof; 0: only fives and double fours
	near   bool // rank only moves in reach of a stone
}

func newMover(nodes int, near bool) *mover {
	return &mover{prover: forced.New[mnk.State](), nodes: nodes, near: near}
}

// choose returns a proven win, or the first ranked move that it does not skip. It skips each with probability slack.
func (m *mover) choose(s mnk.State, slack float64, rng *rand.Rand) game.Action {
	found := m.prover.Examine(s, m.nodes)
	if found.Result == game.Win {
		return game.Action(slices.Index(found.Moves, game.Win))
	}
	var ranked []game.Action
	worth := make([]int, board.Actions())
	legal := s.Legal(nil)
	for _, a := range legal {
		if found.Moves[a] == game.Loss && found.Result != game.Loss || m.near && !inReach(s, a) {
			continue
		}
		if next := s.Play(a); !isOver(next) {
			worth[a] = -next.Estimate()
		}
		ranked = append(ranked, a)
	}
	slices.SortStableFunc(ranked, func(a, b game.Action) int { return cmp.Compare(worth[b], worth[a]) })
	for _, a := range ranked {
		if rng.Float64() >= slack {
			return a
		}
	}
	if len(ranked) == 0 {
		return legal[0] // only moves out of reach are not proven losses
	}
	return ranked[0]
}

func inReach(s mnk.State, a game.Action) bool {
	size := board.Board()
	row, column := int(a)/size.Columns, int(a)%size.Columns
	for r := max(0, row-reach); r <= min(size.Rows-1, row+reach); r++ {
		for c := max(0, column-reach); c <= min(size.Columns-1, column+reach); c++ {
			if s.Cell(r*size.Columns+c) != game.Nobody {
				return true
			}
		}
	}
	return false
}

func isOver(s mnk.State) bool {
	_, over := s.Outcome()
	return over
}

// scatter plays random moves: the first at most 3 king's moves from the centre, the others in reach of a stone.
func scatter(plies int, rng *rand.Rand) (s mnk.State, moves []game.Action) {
	s = board.Start()
	size := board.Board()
	for len(moves) < plies {
		a := game.Action(rng.IntN(size.Cells()))
		near := inReach(s, a)
		if len(moves) == 0 {
			near = kingsMoves(int(a), size.Cells()/2) <= 3
		}
		if near && s.Cell(int(a)) == game.Nobody {
			s, moves = s.Play(a), append(moves, a)
		}
	}
	return s, moves
}

func kingsMoves(a, b int) int {
	columns := board.Board().Columns
	return max(abs(a/columns-b/columns), abs(a%columns-b%columns))
}

func abs(n int) int { return max(n, -n) }
