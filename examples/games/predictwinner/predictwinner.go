// Package predictwinner implements Predict the Winner (LeetCode 486). A move takes the number at either end of a row.
// When all numbers are taken, the side with the higher sum wins. Equal sums are a draw; LeetCode counts them as a win
// for the first player.
package predictwinner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// The limits of a row.
const (
	MaxNumbers = 20
	MaxNumber  = 10_000_000
)

// The moves. Left takes the last number.
const (
	Left game.Action = iota
	Right
)

// Game is a row of numbers and implements game.Game[State]. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	numbers    []int32
	texts      []string // the numbers, formatted
	symmetries []game.Symmetry
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Inscribed   = State{}
)

// New returns the game of 1 to MaxNumbers numbers, each from 0 to MaxNumber.
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

// Parse parses a game's name without "predictwinner:", such as "3,9,1,2".
func Parse(text string) (*Game, error) {
	var numbers []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number: want the row, such as 3,9,1,2", word)
		}
		numbers = append(numbers, n)
	}
	return New(numbers)
}

// Name returns a name such as "predictwinner:3,9,1,2".
func (g *Game) Name() string { return g.name }

// Numbers returns a copy of the row.
func (g *Game) Numbers() []int32 { return slices.Clone(g.numbers) }

// Start implements game.Game.
func (g *Game) Start() State { return State{game: g, last: game.None} }

// Board implements game.Game.
func (g *Game) Board() game.Size { return game.Size{Rows: 1, Columns: len(g.numbers)} }

// Planes returns 3: see State.Encode.
func (g *Game) Planes() int { return 3 }

// Actions implements game.Game.
func (g *Game) Actions() int { return 2 }

// MaxPlies implements game.Game.
func (g *Game) MaxPlies() int { return len(g.numbers) }

// Symmetries returns the identity alone. Reflecting a row that reads the same from both ends is no symmetry, since
// Right would have to take the last number.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns none: moves name ends, not cells.
func (g *Game) Labels() (columns, rows []string) { return nil, nil }
