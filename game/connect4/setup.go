package connect4

import (
	"errors"
	"fmt"

	"tengen/game"
)

// FromStones sets up a position. No stone may float, and the sides must have moved in turn: the first player has as
// many stones as the second, or one more with the second to move.
func (g *Game) FromStones(cells []game.Side, toMove game.Side, last game.Action) (s State, err error) {
	defer func() {
		if err != nil {
			s, err = State{}, fmt.Errorf("position of %s: %w", g.name, err)
		}
	}()
	if err := game.CheckStones(g.size, cells, toMove); err != nil {
		return s, err
	}
	s = State{game: g}
	var stones [3]int // [side+1]
	for i, side := range cells {
		stones[side+1]++
		switch side {
		case toMove:
			s.own |= 1 << g.piled[i]
		case toMove.Opponent():
			s.opponent |= 1 << g.piled[i]
		}
		if below := i + g.size.Columns; side != game.Nobody && below < len(cells) && cells[below] == game.Nobody {
			return s, fmt.Errorf("a stone of the %v floats in column %d: the cell below it, %d from the bottom, is empty",
				side, i%g.size.Columns+1, g.size.Rows-below/g.size.Columns)
		}
	}
	first, second := stones[game.First+1], stones[game.Second+1]
	if game.Mover(first+second) != toMove || first-second != (first+second)%2 {
		return s, fmt.Errorf("%d stones of the first player and %d of the second, the %v to move: the sides must have moved in turn",
			first, second, toMove)
	}
	s.last = move{column: last, wins: g.runs.in(s.opponent)}
	switch won := g.runs.in(s.own); {
	case won && s.last.wins:
		return s, errors.New("both players have won")
	case won:
		return s, fmt.Errorf("the %v has already won, so it cannot be to move", toMove)
	case last != game.None && !s.endsWith(last):
		return s, fmt.Errorf("last move #%d: the top of that column is not a stone of the %v, who moved last",
			last, toMove.Opponent())
	}
	return s, nil
}

// endsWith reports whether the side that moved last has the top stone of a column.
func (s State) endsWith(column game.Action) bool {
	if column < 0 || int(column) >= s.game.size.Columns {
		return false
	}
	cells := s.game.column[column]
	return s.opponent&cells > s.own&cells // the higher stone is the larger number
}
