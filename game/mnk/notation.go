package mnk

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// FormatAction returns the column's letter, from a with none left out, and the row's number, from 1 at the bottom.
func (g *Game) FormatAction(a game.Action) string {
	if a < 0 || int(a) >= g.cells {
		return fmt.Sprintf("#%d", a)
	}
	row, column := int(a)/g.size.Columns, int(a)%g.size.Columns
	return string(rune('a'+column)) + strconv.Itoa(g.size.Rows-row)
}

// FormatMoves returns moves separated by spaces: "h8 i9".
func (g *Game) FormatMoves(moves []game.Action) string {
	return game.JoinMoves(g, moves, " ")
}

// ParseMoves parses moves like "h8 i9", in either case, with or without spaces.
func (g *Game) ParseMoves(text string) ([]game.Action, error) {
	var moves []game.Action
	for _, field := range strings.Fields(text) {
		for rest := field; rest != ""; {
			digits := 1
			for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
				digits++
			}
			a, ok := g.parseCell(rest[:digits])
			if !ok {
				return nil, fmt.Errorf("move %d in %q is not a cell of the board; cells are %s to %s",
					len(moves)+1, field, g.FormatAction(game.Action(g.size.Columns*(g.size.Rows-1))), g.FormatAction(game.Action(g.size.Columns-1)))
			}
			moves = append(moves, a)
			rest = rest[digits:]
		}
	}
	return moves, nil
}

func (g *Game) parseCell(text string) (a game.Action, ok bool) {
	column := int(text[0]|0x20) - 'a' // to lower case
	row, err := strconv.Atoi(text[1:])
	if err != nil || column < 0 || column >= g.size.Columns || row < 1 || row > g.size.Rows {
		return game.None, false
	}
	return game.Action((g.size.Rows-row)*g.size.Columns + column), true
}
