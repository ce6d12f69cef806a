package mnk_test

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/lines"
	"tengen/game/mnk"
)

// onEmptyCell is the rule of where stones go.
func onEmptyCell(taken [][]bool, a game.Action) (row, column int, legal bool) {
	row, column = int(a)/len(taken[0]), int(a)%len(taken[0])
	return row, column, !taken[row][column]
}

// TestAgainstPlainRules covers every board up to 6x6 with every k, and the large ones.
func TestAgainstPlainRules(t *testing.T) {
	check := func(rows, columns, k int) {
		g, err := mnk.New(game.Size{Rows: rows, Columns: columns}, k)
		if err != nil {
			t.Fatal(err)
		}
		gametest.RunLines(t, g, k, onEmptyCell)
	}
	for rows := 1; rows <= 6; rows++ {
		for columns := 1; columns <= 6; columns++ {
			for k := 1; k <= max(rows, columns); k++ {
				check(rows, columns, k)
			}
		}
	}
	check(8, 8, 5)
	check(9, 8, 4)
	check(7, 19, 5)
	check(15, 15, 5)
	check(20, 20, 4)
	check(20, 19, 6)
}

// every returns all lines of n cells on the board, each as its cells in order.
func every(rows, columns, n int) [][]game.Action {
	var all [][]game.Action
	for _, step := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
		for row := range rows {
			for column := range columns {
				endRow, endColumn := row+(n-1)*step[0], column+(n-1)*step[1]
				if endRow >= rows || endColumn < 0 || endColumn >= columns {
					continue
				}
				var line []game.Action
				for i := range n {
					line = append(line, game.Action((row+i*step[0])*columns+column+i*step[1]))
				}
				all = append(all, line)
			}
		}
	}
	return all
}

// play lets the first player fill cells in order, while the second puts stones elsewhere without ever making a line. It
// returns the position after the last of cells, and the test fails if the game is over earlier.
func play(t *testing.T, g *mnk.Game, k int, cells []game.Action) mnk.State {
	t.Helper()
	replies := gametest.NewBoard(g.Board())
	columns := g.Board().Columns
	s := g.Start()
	for i, a := range cells {
		if i > 0 {
			s = s.Play(harmless(t, s, replies, columns, k, cells))
		}
		if _, over := s.Outcome(); over {
			t.Fatalf("%s: the game is over before move %d of %s", g.Name(), i+1, g.FormatMoves(cells))
		}
		s = s.Play(a)
	}
	return s
}

// harmless picks a cell outside reserved that gives the stones in replies no k in a row, and adds it to them.
func harmless(t *testing.T, s mnk.State, replies [][]bool, columns, k int, reserved []game.Action) game.Action {
	t.Helper()
	for _, a := range s.Legal(nil) {
		if slices.Contains(reserved, a) {
			continue
		}
		stone := &replies[int(a)/columns][int(a)%columns]
		*stone = true
		if !gametest.InARow(replies, k) {
			return a
		}
		*stone = false
	}
	t.Fatal("no harmless reply")
	return game.None
}

var lineBoards = []string{"5,1,3", "1,5,3", "3,3,3", "3,4,3", "4,4,3", "6,6,4", "8,8,5", "9,8,5", "15,15,5", "20,20,5"}

// size returns the numbers of a board.
func size(t *testing.T, numbers string) (rows, columns, k int) {
	t.Helper()
	board, k, err := lines.Parse(numbers)
	if err != nil {
		t.Fatal(err)
	}
	return board.Rows, board.Columns, k
}

// endWith returns line with the cell at index last moved to its end.
func endWith(line []game.Action, last int) []game.Action {
	return append(slices.Delete(slices.Clone(line), last, last+1), line[last])
}

// TestEveryLineWins plays each line of k on the board, with each of its cells the last.
func TestEveryLineWins(t *testing.T) {
	for _, numbers := range lineBoards {
		g := parse(t, numbers)
		rows, columns, k := size(t, numbers)
		for _, line := range every(rows, columns, k) {
			for last := range line {
				order := endWith(line, last)
				if z, over := play(t, g, k, order).Outcome(); z != -1 || !over {
					t.Fatalf("%s: %s: outcome %v, %t; want a loss for the side to move", numbers, g.FormatMoves(order), z, over)
				}
			}
		}
	}
}

// TestOverlinesWin joins up to k-1 stones on either side to a line of more than k.
func TestOverlinesWin(t *testing.T) {
	for _, test := range []struct {
		numbers string
		length  int
	}{{"6,6,4", 5}, {"8,8,4", 7}, {"15,15,5", 6}, {"15,15,5", 9}} {
		g := parse(t, test.numbers)
		rows, columns, k := size(t, test.numbers)
		for _, line := range every(rows, columns, test.length) {
			order := endWith(line, test.length/2)
			if z, over := play(t, g, k, order).Outcome(); z != -1 || !over {
				t.Fatalf("%s: %s: outcome %v, %t; want a loss for the side to move", test.numbers, g.FormatMoves(order), z, over)
			}
		}
	}
}

// TestEdgesDoNotWrap plays k cells whose numbers are evenly spaced like those of a line but which run over an edge.
func TestEdgesDoNotWrap(t *testing.T) {
	for _, numbers := range []string{"3,4,3", "4,3,2", "4,4,3", "6,6,4", "8,8,5", "9,8,5", "15,15,5"} {
		g := parse(t, numbers)
		rows, columns, k := size(t, numbers)
		all := every(rows, columns, k)
		tried := 0
		for _, stride := range []int{1, columns - 1, columns, columns + 1} {
			for from := 0; from+(k-1)*stride < rows*columns; from++ {
				var cells []game.Action
				for i := range k {
					cells = append(cells, game.Action(from+i*stride))
				}
				if slices.ContainsFunc(all, func(line []game.Action) bool { return slices.Equal(line, cells) }) {
					continue
				}
				tried++
				if _, over := play(t, g, k, cells).Outcome(); over {
					t.Fatalf("%s: %s wins around an edge", numbers, g.FormatMoves(cells))
				}
			}
		}
		if tried == 0 {
			t.Errorf("%s: no line runs over an edge", numbers)
		}
	}
}
