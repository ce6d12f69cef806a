package engine

import (
	"strings"

	"tengen/game"
)

// ParsePosition parses a position on one line: its moves, with spaces or commas between, or its board from the top row
// with slashes between rows, as in "..O/.X./X..". In boards, it ignores spaces and the brackets around a last move. The
// first player is to move if both have the same number of stones, the second player if it has one fewer.
func ParsePosition(e Game, text string) (Position, error) {
	if !strings.Contains(text, "/") {
		return e.Parse(text)
	}
	cells, err := readCells(e.Info().Size, text)
	if err != nil {
		return Position{}, err
	}
	stones := map[game.Side]int{}
	for _, side := range cells {
		stones[side]++
	}
	var toMove game.Side
	switch stones[game.First] - stones[game.Second] {
	case 0:
		toMove = game.First
	case 1:
		toMove = game.Second
	default:
		return Position{}, InputErrorf("the board cannot arise: it has %d of %s and %d of %s, which move in turn",
			stones[game.First], game.Stones[0], stones[game.Second], game.Stones[1])
	}
	p, err := e.SetUp(cells, toMove, game.None)
	if err != nil {
		return p, InputErrorf("the board cannot arise: %w", err)
	}
	return p, nil
}

func readCells(size game.Size, text string) ([]game.Side, error) {
	sides := map[rune]game.Side{'.': game.Nobody, 'X': game.First, 'O': game.Second}
	rows := strings.Split(strings.NewReplacer(" ", "", "(", "", ")", "").Replace(strings.ToUpper(text)), "/")
	var cells []game.Side
	for i, row := range rows {
		if len(row) != size.Columns || len(rows) != size.Rows {
			return nil, InputErrorf("row %d of %d, %q, has %d cells: the board has %v", i+1, len(rows), row, len(row), size)
		}
		for _, sign := range row {
			side, ok := sides[sign]
			if !ok {
				return nil, InputErrorf("row %d, %q: a cell is %s, %s or, if empty, a full stop", i+1, row, game.Stones[0], game.Stones[1])
			}
			cells = append(cells, side)
		}
	}
	return cells, nil
}
