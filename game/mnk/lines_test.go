package mnk_test

import (
	"fmt"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/lines"
	"tengen/game/mnk"
)

// lineBoards returns every board up to 6x6 with every k, and large ones.
func lineBoards(t *testing.T) (all []*mnk.Game) {
	t.Helper()
	for rows := 1; rows <= 6; rows++ {
		for columns := 1; columns <= 6; columns++ {
			for k := 1; k <= max(rows, columns); k++ {
				all = append(all, parse(t, fmt.Sprintf("%d,%d,%d", columns, rows, k)))
			}
		}
	}
	for _, numbers := range []string{"8,8,5", "9,8,5", "7,19,5", "15,15,5", "20,20,4", "19,20,6"} {
		all = append(all, parse(t, numbers))
	}
	return all
}

// every returns all lines of n cells on the board, each as its cells in order.
func every(size game.Size, n int) (all [][]game.Action) {
	for _, line := range lines.All(size, n) {
		var moves []game.Action
		for _, cell := range line {
			moves = append(moves, game.Action(cell))
		}
		all = append(all, moves)
	}
	return all
}

// join sets up the board with the first player's stones on all cells but one, and plays that.
func join(t *testing.T, g *mnk.Game, board []game.Side, cells []game.Action, last int) mnk.State {
	t.Helper()
	board = slices.Clone(board)
	for i, a := range cells {
		if i != last {
			board[a] = game.First
		}
	}
	s, err := g.FromStones(board, game.First, game.None)
	if err != nil {
		t.Fatal(err)
	}
	return s.Play(cells[last])
}

// TestEveryLineWins plays each line of k on the board, with each of its cells the last.
func TestEveryLineWins(t *testing.T) {
	for _, g := range lineBoards(t) {
		empty := make([]game.Side, g.Actions())
		for _, line := range every(g.Board(), g.K()) {
			for last := range line {
				if z, over := join(t, g, empty, line, last).Outcome(); z != -1 || !over {
					t.Fatalf("%s: %s, move %d last: outcome %v, %t; want a loss for the side to move",
						g.Name(), game.FormatMoves(g.Start(), line), last+1, z, over)
				}
			}
		}
	}
}

// TestEdgesDoNotWrap plays k cells whose numbers are evenly spaced like those of a line but which run over an edge.
func TestEdgesDoNotWrap(t *testing.T) {
	tried := 0
	for _, g := range lineBoards(t) {
		columns, k, empty := g.Board().Columns, g.K(), make([]game.Side, g.Actions())
		all := every(g.Board(), k)
		for _, stride := range []int{1, columns - 1, columns, columns + 1} {
			for from := 0; stride > 0 && from+(k-1)*stride < g.Actions(); from++ {
				var cells []game.Action
				for i := range k {
					cells = append(cells, game.Action(from+i*stride))
				}
				if slices.ContainsFunc(all, func(line []game.Action) bool { return slices.Equal(line, cells) }) {
					continue
				}
				tried++
				if _, over := join(t, g, empty, cells, 0).Outcome(); over {
					t.Fatalf("%s: %s wins around an edge", g.Name(), game.FormatMoves(g.Start(), cells))
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("%d lines run over an edge, too few", tried)
	}
}
