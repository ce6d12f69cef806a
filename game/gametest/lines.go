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

// RunLines checks a game in which k in a row win. Every position of random games must have the outcome, legal moves and
// planes of a plain scan of the whole board.
func RunLines[S game.State[S]](t *testing.T, g game.Game[S], k int, place Place) {
	t.Helper()
	RunRows(t, g, func(own, _ [][]bool) bool { return InARow(own, k) }, place)
}

// RunRows is RunLines for other conditions. won reports whether own wins against opponent.
func RunRows[S game.State[S]](t *testing.T, g game.Game[S], won func(own, opponent [][]bool) bool, place Place) {
	t.Helper()
	c := claim[S]{check: func(g game.Game[S]) error { return lines(g, won, place) }}
	if err := c.holds(g); err != nil {
		t.Errorf("%s: %v", g.Name(), err)
	}
}

// InARow reports whether stones [row][column] hold k in an unbroken line.
func InARow(stones [][]bool, k int) bool {
	return Rows(stones, nil, func(length, _ int) bool { return length >= k })
}

// Rows calls found for each maximal row of own, in each direction, with its length and the number of ends that the
// opponent holds, until found returns true. It reports whether found did.
func Rows(own, opponent [][]bool, found func(length, blocked int) bool) bool {
	for row := range own {
		for column, stone := range own[row] {
			for _, step := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				if !stone || on(own, row-step[0], column-step[1]) {
					continue // not the first stone
				}
				length, blocked := 0, 0
				r, c := row, column
				for ; on(own, r, c); r, c = r+step[0], c+step[1] {
					length++
				}
				if on(opponent, row-step[0], column-step[1]) {
					blocked++
				}
				if on(opponent, r, c) {
					blocked++
				}
				if found(length, blocked) {
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

type drawing struct {
	size   game.Size
	stones [2][][]bool // by side
	taken  [][]bool
	last   int // the last stone's cell, or -1
	ply    int
}

func (d *drawing) put(row, column int) {
	d.stones[d.ply%2][row][column] = true
	d.taken[row][column] = true
	d.last = row*d.size.Columns + column
	d.ply++
}

func (d *drawing) planes() []float32 {
	cells := d.size.Cells()
	planes := make([]float32, game.PlacementPlanes*cells)
	for cell := range cells {
		for i := range 2 {
			if d.stones[(d.ply+i)%2][cell/d.size.Columns][cell%d.size.Columns] {
				planes[i*cells+cell] = 1
			}
		}
		planes[3*cells+cell] = float32(1 - d.ply%2)
	}
	if d.last >= 0 {
		planes[2*cells+d.last] = 1
	}
	return planes
}

func lines[S game.State[S]](g game.Game[S], won func(own, opponent [][]bool) bool, place Place) error {
	var d *drawing
	size := g.Board()
	return visit(g, func(moves []game.Action, s S) error {
		if len(moves) == 0 {
			d = &drawing{size: size, stones: [2][][]bool{NewBoard(size), NewBoard(size)}, taken: NewBoard(size), last: -1}
		} else {
			row, column, _ := place(d.taken, moves[len(moves)-1])
			d.put(row, column)
		}
		wantZ, wantOver := float32(0), d.ply == size.Cells()
		if won(d.stones[1-d.ply%2], d.stones[d.ply%2]) {
			wantZ, wantOver = -1, true
		}
		if z, over := s.Outcome(); z != wantZ || over != wantOver {
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
