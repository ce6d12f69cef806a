package game

import (
	"fmt"
	"slices"
	"strings"
)

// Setup is a Game that can set up a position of a Diagram without the moves that led to it.
type Setup[S State[S]] interface {
	// FromStones returns the position whose cells [H*W] are held by these sides. last is the move that led to it, or
	// None if unknown: then Encode and Last may differ until the next move. Otherwise the position equals the one
	// reached by play. Only outside a Placement, where cells do not tell the ply, Ply and Key may be another game's. A
	// position that toMove's opponent has won, or that has no legal move, is over. The error names the invalid stone,
	// count or line.
	FromStones(cells []Side, toMove Side, last Action) (S, error)
}

// SetupOf returns g as a Setup. The error says that it is none.
func SetupOf[S State[S]](g Game[S]) (Setup[S], error) {
	maker, ok := g.(Setup[S])
	if !ok {
		return nil, fmt.Errorf("positions of %s cannot be set up: give the moves that lead there", g.Name())
	}
	return maker, nil
}

// CheckStones returns an error unless cells fits the board and toMove is a player.
func CheckStones(size Size, cells []Side, toMove Side) error {
	if len(cells) != size.Cells() {
		return fmt.Errorf("stones for %d cells; the board of %v has %d", len(cells), size, size.Cells())
	}
	for i, side := range cells {
		if side < Second || side > First {
			return fmt.Errorf("cell %d holds %d; want %d, %d or %d", i, int8(side), Second, Nobody, First)
		}
	}
	if toMove != First && toMove != Second {
		return fmt.Errorf("the side to move is %d; want %d or %d", int8(toMove), First, Second)
	}
	return nil
}

// boardSigns are the signs of cells and of the side to move in boards. Servers and endgame collections write - and *.
var boardSigns = map[byte]Side{'.': Nobody, '-': Nobody, 'X': First, '*': First, 'O': Second}

// IsBoard reports whether a text that describes a position is a board, not moves: it has a slash or only a board's
// signs. Hyphens alone may be a pass.
func IsBoard(text string) bool {
	return strings.Contains(text, "/") || strings.Trim(text, ".-*XOxo() ") == "" && strings.ContainsAny(text, ".*XOxo")
}

// ParseBoard sets up the position of a board on one line, such as "..O/.X./X.. X": the cells row by row from the top,
// with or without slashes between rows, and the side to move. X or * is the first player, O the second, and a full stop
// or a hyphen an empty cell. Spaces and the brackets around a last move do not count. A Placement may leave out the
// side: the second player is to move if it has a stone less than the first, which has as many otherwise.
func ParseBoard[S State[S]](g Game[S], text string) (s S, err error) {
	maker, err := SetupOf(g)
	if err != nil {
		return s, err
	}
	cells, toMove, err := readBoard(g.Board(), text)
	if err != nil {
		return s, err
	}
	if toMove == Nobody {
		counts := map[Side]int{}
		for _, side := range cells {
			counts[side]++
		}
		more := counts[First] - counts[Second]
		if _, placed := any(g.Start()).(Placement); !placed || more < 0 || more > 1 {
			return s, fmt.Errorf("the board has %d cells, but does not say whose turn it is: write %s or %s after them",
				len(cells), Stones[0], Stones[1])
		}
		toMove = Mover(more)
	}
	if s, err = maker.FromStones(cells, toMove, None); err != nil {
		return s, fmt.Errorf("the board cannot arise: %w", err)
	}
	return s, nil
}

// readBoard returns the cells of a board, and the side to move, or Nobody if the text has none.
func readBoard(size Size, text string) (cells []Side, toMove Side, err error) {
	signs := strings.NewReplacer(" ", "", "(", "", ")", "").Replace(strings.ToUpper(text))
	if end := len(signs) - 1; end-strings.Count(signs, "/") == size.Cells() && boardSigns[signs[end]] != Nobody {
		toMove, signs = boardSigns[signs[end]], strings.TrimSuffix(signs[:end], "/")
	}
	rows := strings.Split(signs, "/")
	if len(rows) == 1 && len(signs) == size.Cells() {
		rows = nil
		for row := range slices.Chunk([]byte(signs), size.Columns) {
			rows = append(rows, string(row))
		}
	}
	for i, row := range rows {
		if len(row) != size.Columns || len(rows) != size.Rows {
			return nil, Nobody, fmt.Errorf("row %d of %d, %.80q, has %d cells: the board has %v",
				i+1, len(rows), row, len(row), size)
		}
		for k := range len(row) {
			side, ok := boardSigns[row[k]]
			if !ok {
				return nil, Nobody, fmt.Errorf("row %d, %q: a cell is %s, %s or, if empty, a full stop",
					i+1, row, Stones[0], Stones[1])
			}
			cells = append(cells, side)
		}
	}
	return cells, toMove, nil
}
