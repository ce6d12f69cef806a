package engine

import "tengen/game"

// ParsePosition parses a position on one line: its moves, with spaces or commas between, or its board (see
// game.ParseBoard). All errors are InputErrors.
func ParsePosition(e Game, text string) (Position, error) {
	if game.IsBoard(text) {
		return e.ParseBoard(text)
	}
	return e.Parse(text)
}
