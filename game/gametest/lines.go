package gametest

import (
	"fmt"
	"slices"
	"testing"

	"tengen/game"
)

// Place tells where the stone of move a lands, row 0 at the top, and whether the board allows the move, given which
// cells [row][column] are taken: the rules of a game as one would explain them.
type Place func(taken [][]bool, a game.Action) (row, column int, legal bool)

// RunLines checks a game in which k in a row win against the rules written down plainly: every position of random games
// must have the outcome, the legal moves and the planes that a scan of the whole board gives.
func RunLines[S game.State[S]](t *testing.T, g game.Game[S], k int, place Place) {
	t.Helper()
	RunRows(t, g, func(own, _ [][]bool) bool { return InARow(own, k) }, place)
}

// RunRows is RunLines where won says whether the stones of a side, own, win beside those of its opponent.
func RunRows[S game.State[S]](t *testing.T, g game.Game[S], won func(own, opponent [][]bool) bool, place Place) {
	t.Helper()
	c := claim[S]{check: func(g game.Game[S]) error { return lines(g, won, place) }}
	if err := c.holds(g); err != nil {
		t.Errorf("%s: %v", g.Name(), err)
	}
}

// InARow reports whether stones, [row][column], hold k in an unbroken line.
func InARow(stones [][]bool, k int) bool {
	for row := range stones {
		for column, stone := range stones[row] {
			if !stone {
				continue
			}
			for _, step := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				run := 0
				for r, c := row, column; run < k && on(stones, r, c); r, c = r+step[0], c+step[1] {
					run++
				}
				if run == k {
					return true
				}
			}
		}
	}
	return false
}

// Rows tells of each row of two stones of own or more that cannot be made longer, how long it is and how many of its
// two ends are held by the opponent, until found returns true. It reports whether that was so.
func Rows(own, opponent [][]bool, found func(length, blocked int) bool) bool {
	for row := range own {
		for column := range own[row] {
			for _, step := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				if !own[row][column] || on(own, row-step[0], column-step[1]) {
					continue // not the first stone
				}
				length, blocked := 0, 0
				r, c := row, column
				for on(own, r, c) {
					length, r, c = length+1, r+step[0], c+step[1]
				}
				if on(opponent, row-step[0], column-step[1]) {
					blocked++
				}
				if on(opponent, r, c) {
					blocked++
				}
				if length >= 2 && found(length, blocked) {
					return true
				}
			}
		}
	}
	return false
}

// on reports whether there is such a cell with a stone on it.
func on(stones [][]bool, row, column int) bool {
	return row >= 0 && row < len(stones) && column >= 0 && column < len(stones[row]) && stones[row][column]
}

// NewBoard returns an empty board of cells [rows][columns].
func NewBoard(size game.Size) [][]bool {
	board := make([][]bool, size.Rows)
	for row := range board {
		board[row] = make([]bool, size.Columns)
	}
	return board
}

// diagram is a position as a person would draw it.
type diagram struct {
	stones [2][][]bool // of the first and of the second player
	taken  [][]bool    // by either
	last   [][]bool    // the last stone alone
	size   game.Size
	ply    int
}

func newDiagram(size game.Size) *diagram {
	return &diagram{
		stones: [2][][]bool{NewBoard(size), NewBoard(size)},
		taken:  NewBoard(size),
		last:   NewBoard(size),
		size:   size,
	}
}

// put adds a stone of the side to move.
func (d *diagram) put(row, column int) {
	d.stones[d.ply%2][row][column] = true
	d.taken[row][column] = true
	d.last = NewBoard(d.size)
	d.last[row][column] = true
	d.ply++
}

// outcome is the result for the side to move.
func (d *diagram) outcome(won func(own, opponent [][]bool) bool) (z float32, over bool) {
	if mover := d.ply % 2; won(d.stones[1-mover], d.stones[mover]) {
		return -1, true
	}
	return 0, d.ply == d.size.Cells()
}

// planes are those that Encode should write.
func (d *diagram) planes() []float32 {
	cells := d.size.Cells()
	planes := make([]float32, game.PlacementPlanes*cells)
	for i, board := range [][][]bool{d.stones[d.ply%2], d.stones[1-d.ply%2], d.last} {
		for cell := range cells {
			if board[cell/d.size.Columns][cell%d.size.Columns] {
				planes[i*cells+cell] = 1
			}
		}
	}
	for i := range cells {
		planes[3*cells+i] = float32(1 - d.ply%2)
	}
	return planes
}

func lines[S game.State[S]](g game.Game[S], won func(own, opponent [][]bool) bool, place Place) error {
	var d *diagram
	return visit(g, func(moves []game.Action, s S) error {
		if len(moves) == 0 {
			d = newDiagram(g.Board())
		} else {
			row, column, _ := place(d.taken, moves[len(moves)-1])
			d.put(row, column)
		}
		z, over := s.Outcome()
		wantZ, wantOver := d.outcome(won)
		if z != wantZ || over != wantOver {
			return fmt.Errorf("outcome %v, %t; want %v, %t", z, over, wantZ, wantOver)
		}
		var want []game.Action
		for a := game.Action(0); !wantOver && int(a) < g.Actions(); a++ {
			if _, _, legal := place(d.taken, a); legal {
				want = append(want, a)
			}
		}
		if legal := s.Legal(nil); !slices.Equal(legal, want) {
			return fmt.Errorf("legal moves %v; want %v", legal, want)
		}
		if planes := encode(g, s); !slices.Equal(planes, d.planes()) {
			return fmt.Errorf("planes %v; want %v", planes, d.planes())
		}
		return nil
	})
}
