package mnk

import (
	"tengen/game"
	"tengen/game/lines"
)

// Parse returns the board "columns,rows,k" with optional rule words, as in "15,15,5,exact".
func Parse(text string) (*Game, error) {
	numbers, rule, err := cutRule(text)
	if err != nil {
		return nil, err
	}
	size, k, err := lines.Parse(numbers)
	if err != nil {
		return nil, err
	}
	return NewByRule(size, k, rule)
}

// TicTacToe returns the board 3,3,3.
func TicTacToe() *Game { return square(3, 3) }

// Gomoku returns the freestyle board 15,15,5.
func Gomoku() *Game { return square(15, 5) }

func square(side, k int) *Game {
	g, err := New(game.Size{Rows: side, Columns: side}, k)
	if err != nil {
		panic(err)
	}
	return g
}

func name(size game.Size, k int, rule Rule) string {
	switch numbers := lines.Format(size, k) + rule.suffix(); numbers {
	case "3,3,3":
		return "tictactoe"
	case "15,15,5":
		return "gomoku"
	default:
		return "mnk:" + numbers
	}
}
