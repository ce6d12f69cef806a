// Package predictwinner plays Predict the Winner: there is a row of numbers, a move takes the one at either end, and when all are taken,
// the side with the higher sum wins. Equal sums are a draw. (LeetCode 486 counts them as a win of the first player.)
package predictwinner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// The largest row: so many numbers up to such a one.
const (
	MaxNumbers = 20
	MaxNumber  = 10_000_000
)

// The moves. The last number of all is taken by Left.
const (
	Left game.Action = iota
	Right
)

// Game is one row of numbers: a game.Game[State]. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	numbers    []int32
	texts      []string // of the numbers
	symmetries []game.Symmetry
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Inscribed   = State{}
)

// New returns the game of 1 to MaxNumbers numbers from 0 to MaxNumber.
func New(numbers []int) (*Game, error) {
	if len(numbers) < 1 || len(numbers) > MaxNumbers {
		return nil, fmt.Errorf("%d numbers: there must be 1 to %d", len(numbers), MaxNumbers)
	}
	g := &Game{symmetries: game.Size{Rows: 1, Columns: len(numbers)}.Symmetries()[:1]}
	g.symmetries[0].Actions = []game.Action{Left, Right}
	for i, n := range numbers {
		if n < 0 || n > MaxNumber {
			return nil, fmt.Errorf("number %d is %d: it must be from 0 to %d", i+1, n, MaxNumber)
		}
		g.numbers = append(g.numbers, int32(n))
		g.texts = append(g.texts, strconv.Itoa(n))
	}
	g.name = "predictwinner:" + strings.Join(g.texts, ",")
	return g, nil
}

// Parse returns the game described by "3,9,1,2", as it stands in a game's name after "predictwinner:".
func Parse(text string) (*Game, error) {
	var numbers []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is no number: want the row, such as 3,9,1,2", word)
		}
		numbers = append(numbers, n)
	}
	return New(numbers)
}

// Name is "predictwinner:" and the numbers.
func (g *Game) Name() string { return g.name }

// Numbers is the row.
func (g *Game) Numbers() []int32 { return slices.Clone(g.numbers) }

// Start has all numbers.
func (g *Game) Start() State { return State{game: g, last: game.None, lastCell: -1} }

// Board is a row with a cell for each number.
func (g *Game) Board() game.Size { return game.Size{Rows: 1, Columns: len(g.numbers)} }

// Planes is 3: see State.Encode.
func (g *Game) Planes() int { return 3 }

// Actions is 2: Left and Right.
func (g *Game) Actions() int { return 2 }

// MaxPlies is the number of numbers.
func (g *Game) MaxPlies() int { return len(g.numbers) }

// Symmetries is the identity alone: a row that reads the same from both ends is turned round by its reflection, but the last
// number would have to be taken by Right.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels are none: moves name sides.
func (g *Game) Labels() (columns, rows []string) { return nil, nil }

// FormatAction writes "L" or "R".
func (g *Game) FormatAction(a game.Action) string {
	switch a {
	case Left:
		return "L"
	case Right:
		return "R"
	}
	return fmt.Sprintf("#%d", a)
}

// FormatMoves writes moves without anything between them: "LRRL".
func (g *Game) FormatMoves(moves []game.Action) string {
	return game.JoinMoves(g, moves, "")
}

// ParseMoves reads what FormatMoves writes. The error names the text that is no move.
func (g *Game) ParseMoves(text string) ([]game.Action, error) {
	var moves []game.Action
	for _, letter := range strings.Join(strings.Fields(text), "") {
		switch letter {
		case 'L', 'l':
			moves = append(moves, Left)
		case 'R', 'r':
			moves = append(moves, Right)
		default:
			return nil, fmt.Errorf("move %d, %q, is neither L nor R, the left and the right end of the row", len(moves)+1, letter)
		}
	}
	return moves, nil
}
