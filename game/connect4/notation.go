package connect4

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// FormatAction returns the column's number, from 1.
func (g *Game) FormatAction(a game.Action) string {
	if a < 0 || int(a) >= g.size.Columns {
		return fmt.Sprintf("#%d", a)
	}
	return strconv.Itoa(int(a) + 1)
}

// FormatMoves returns moves as in "44353", with spaces if there are more than 9 columns.
func (g *Game) FormatMoves(moves []game.Action) string {
	if g.digits() {
		return game.JoinMoves(g, moves, "")
	}
	return game.JoinMoves(g, moves, " ")
}

// ParseMoves parses the output of FormatMoves, with any space between moves.
func (g *Game) ParseMoves(text string) ([]game.Action, error) {
	texts := strings.Fields(text)
	if g.digits() {
		texts = strings.Split(strings.Join(texts, ""), "")
	}
	moves := make([]game.Action, len(texts))
	for i, column := range texts {
		n, err := strconv.ParseUint(column, 10, 8)
		if err != nil || n < 1 || int(n) > g.size.Columns {
			return nil, fmt.Errorf("move %d, %q, is not a column of the board; columns are 1 to %d", i+1, column, g.size.Columns)
		}
		moves[i] = game.Action(n - 1)
	}
	return moves, nil
}

func (g *Game) digits() bool { return g.size.Columns <= 9 }
