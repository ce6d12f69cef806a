package gomocup

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/game"
)

// variant is gomoku by one of the rules on a board of some size. An action is the cell that gets a stone.
type variant struct {
	engine.Game
	info engine.Info
	rule int // a key of rules
}

// open returns a variant. rule is a key of rules.
func open(size game.Size, rule int) (variant, error) {
	g, err := engine.Open(fmt.Sprintf("mnk:%d,%d,5%s", size.Columns, size.Rows, rules[rule]))
	if err != nil {
		return variant{}, err
	}
	return variant{g, g.Info(), rule}, nil
}

type board struct {
	variant
	cells []game.Side // own, opponent or game.Nobody
	last  game.Action // game.None if unknown
}

func newBoard(v variant) *board {
	return &board{variant: v, cells: make([]game.Side, v.info.Size.Cells()), last: game.None}
}

func (b *board) clone() *board { return &board{b.variant, slices.Clone(b.cells), b.last} }

// The sides in board.cells.
const (
	own      = game.First
	opponent = game.Second
)

// at returns the cell in column x and row y, from 0 at the top left.
func (b *board) at(x, y int) (game.Action, error) {
	if size := b.info.Size; x < 0 || y < 0 || x >= size.Columns || y >= size.Rows {
		return game.None, fmt.Errorf("%d,%d is not on the board of %v", x, y, size)
	}
	return game.Action(y*b.info.Size.Columns + x), nil
}

// format writes cells as "x,y x,y".
func (b *board) format(cells ...game.Action) string {
	texts := make([]string, len(cells))
	for i, a := range cells {
		texts[i] = fmt.Sprintf("%d,%d", int(a)%b.info.Size.Columns, int(a)/b.info.Size.Columns)
	}
	return strings.Join(texts, " ")
}

func (b *board) put(side game.Side, x, y int) error {
	a, err := b.at(x, y)
	if err != nil {
		return err
	}
	if b.cells[a] != game.Nobody {
		return fmt.Errorf("%d,%d is taken", x, y)
	}
	b.cells[a], b.last = side, a
	return nil
}

func (b *board) takeBack(x, y int) error {
	a, err := b.at(x, y)
	if err != nil {
		return err
	}
	if b.cells[a] == game.Nobody {
		return fmt.Errorf("there is no stone on %d,%d", x, y)
	}
	b.cells[a], b.last = game.Nobody, game.None
	return nil
}

// setUp returns a board with these stones. Each is x, y and 1 for the engine or 2 for the opponent. If the sides
// alternate and the last stone is the opponent's, it is the last move.
func (b *board) setUp(stones [][]int) (*board, error) {
	next, alternate := newBoard(b.variant), true
	before := game.Nobody
	for i, s := range stones {
		if len(s) != 3 || s[2] != 1 && s[2] != 2 {
			return nil, fmt.Errorf("stone %d is not x,y,1 or x,y,2 before DONE: no other stones are supported", i+1)
		}
		side := own
		if s[2] == 2 {
			side = opponent
		}
		if err := next.put(side, s[0], s[1]); err != nil {
			return nil, err
		}
		alternate = alternate && side != before
		before = side
	}
	if !alternate || before != opponent {
		next.last = game.None
	}
	return next, nil
}

// position returns the position with the engine to move. The side with more stones made the first move; with equal
// numbers, the engine did. It fails if the game is over or the position impossible.
func (b *board) position() (engine.Position, error) {
	stones := map[game.Side]int{}
	for _, side := range b.cells {
		stones[side]++
	}
	me := game.First
	if stones[own] < stones[opponent] {
		me = game.Second
	}
	sides := make([]game.Side, len(b.cells))
	for i, side := range b.cells {
		sides[i] = side * me
	}
	last := b.last
	if last != game.None && b.cells[last] != opponent {
		last = game.None
	}
	p, err := b.SetUp(sides, me, last)
	switch {
	case err != nil:
		return p, err
	case p.Over && p.Outcome == 0:
		return p, errors.New("the board is full")
	case p.Over:
		return p, errors.New("the opponent has won")
	}
	return p, nil
}
