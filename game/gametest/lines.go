package gametest

import (
	"fmt"
	"slices"
	"testing"

	"tengen/game"
)

// Place returns where the stone of move a lands, with row 0 at the top, and whether the move is legal if the cells of
// taken [row][column] are taken.
type Place func(taken [][]bool, a game.Action) (row, column int, legal bool)

// RunLines checks a game in which k in a row win: every position of random games must have the outcome, legal moves and
// planes that a plain scan of the whole board gives.
func RunLines[S game.State[S]](t *testing.T, g game.Game[S], k int, place Place) {
	t.Helper()
	RunRows(t, g, func(own, _ [][]bool) bool { return InARow(own, k) }, place)
}

// RunRows is RunLines for other conditions: won reports whether the stones own win against the stones opponent.
func RunRows[S game.State[S]](t *testing.T, g game.Game[S], won func(own, opponent [][]bool) bool, place Place) {
	t.Helper()
	c := claim[S]{check: func(g game.Game[S]) error { return lines(g, won, place) }}
	if err := c.holds(g); err != nil {
		t.Errorf("%s: %v", g.Name(), err)
	}
}

// InARow reports whether stones [row][column] hold k in an unbroken line.
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

// Rows calls found for each maximal row of at least two stones of own, with its length and the number of its ends that
// the opponent holds, until found returns true. It reports whether found did.
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

func on(stones [][]bool, row, column int) bool {
	return row >= 0 && row < len(stones) && column >= 0 && column < len(stones[row]) && stones[row][column]
}

// NewBoard returns an empty board [rows][columns].
func NewBoard(size game.Size) [][]bool {
	board := make([][]bool, size.Rows)
	for row := range board {
		board[row] = make([]bool, size.Columns)
	}
	return board
}

type diagram struct {
	stones [2][][]bool // by side
	taken  [][]bool    // by either
	last   [][]bool    // the last stone
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

func (d *diagram) put(row, column int) {
	d.stones[d.ply%2][row][column] = true
	d.taken[row][column] = true
	d.last = NewBoard(d.size)
	d.last[row][column] = true
	d.ply++
}

func (d *diagram) outcome(won func(own, opponent [][]bool) bool) (z float32, over bool) {
	if mover := d.ply % 2; won(d.stones[1-mover], d.stones[mover]) {
		return -1, true
	}
	return 0, d.ply == d.size.Cells()
}

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
