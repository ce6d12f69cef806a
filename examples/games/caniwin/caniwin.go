// Package caniwin plays Can I Win: the sides take numbers from 1 up to a largest one in turn, each number once, and whoever brings
// the sum of all that were taken to a total, or beyond, wins. When no number is left before that, the game is a draw; that can
// only be where all numbers together are less than the total. (LeetCode 464.)
package caniwin

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// The largest game: so many numbers, and such a total.
const (
	MaxNumbers = 20
	MaxTotal   = 300
)

// Game is one Can I Win: a game.Game[State]. It is immutable and safe for concurrent use.
type Game struct {
	name           string
	numbers, total int
	symmetries     []game.Symmetry
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Inscribed   = State{}
)

// New returns the game with the numbers from 1 up to the first argument, at most MaxNumbers, and a total from 1 to MaxTotal.
func New(numbers, total int) (*Game, error) {
	if numbers < 1 || numbers > MaxNumbers {
		return nil, fmt.Errorf("numbers up to %d: the largest must be from 1 to %d", numbers, MaxNumbers)
	}
	if total < 1 || total > MaxTotal {
		return nil, fmt.Errorf("the total is %d: it must be from 1 to %d", total, MaxTotal)
	}
	g := &Game{name: fmt.Sprintf("caniwin:%d,%d", numbers, total), numbers: numbers, total: total}
	g.symmetries = g.Board().Symmetries()[:1]
	return g, nil
}

// Parse returns the game described by "10,11", as it stands in a game's name after "caniwin:".
func Parse(text string) (*Game, error) {
	words := strings.Split(text, ",")
	if len(words) != 2 {
		return nil, fmt.Errorf("%q is not two numbers: want the largest number and the total, such as 10,11", text)
	}
	var values [2]int
	for i, word := range words {
		var err error
		if values[i], err = strconv.Atoi(strings.TrimSpace(word)); err != nil {
			return nil, fmt.Errorf("%q is no number: want the largest number and the total, such as 10,11", word)
		}
	}
	return New(values[0], values[1])
}

// Name is "caniwin:", the largest number and the total.
func (g *Game) Name() string { return g.name }

// Numbers is the largest number.
func (g *Game) Numbers() int { return g.numbers }

// Total is the sum that wins.
func (g *Game) Total() int { return g.total }

// Start has all numbers.
func (g *Game) Start() State { return State{game: g, missing: int16(g.total), last: game.None} }

// Board is a row with a cell for each number.
func (g *Game) Board() game.Size { return game.Size{Rows: 1, Columns: g.numbers} }

// Planes is 1 for the numbers, and as many as the total fills: see State.Encode.
func (g *Game) Planes() int { return 1 + (g.total+g.numbers-1)/g.numbers }

// Actions is the number of numbers: the move a takes a + 1.
func (g *Game) Actions() int { return g.numbers }

// MaxPlies is how many of the smallest numbers make the total, or all of them.
func (g *Game) MaxPlies() int {
	plies := 0
	for sum := 0; sum < g.total && plies < g.numbers; sum += plies {
		plies++
	}
	return plies
}

// Symmetries is the identity alone.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels are none: the numbers say themselves what they are.
func (g *Game) Labels() (columns, rows []string) { return nil, nil }

// FormatAction writes the number that is taken.
func (g *Game) FormatAction(a game.Action) string {
	if a < 0 || int(a) >= g.numbers {
		return fmt.Sprintf("#%d", a)
	}
	return strconv.Itoa(int(a) + 1)
}

// FormatMoves writes moves with a space between them, "3 10"; where no number has two digits, with nothing between them.
func (g *Game) FormatMoves(moves []game.Action) string {
	if g.digits() {
		return game.JoinMoves(g, moves, "")
	}
	return game.JoinMoves(g, moves, " ")
}

// digits reports whether every number is one digit, so that moves need no space between them.
func (g *Game) digits() bool { return g.numbers <= 9 }

// ParseMoves reads what FormatMoves writes, with any space between moves. The error names the text that is no number of the game.
func (g *Game) ParseMoves(text string) ([]game.Action, error) {
	words := strings.Fields(text)
	if g.digits() {
		words = strings.Split(strings.Join(words, ""), "")
	}
	var moves []game.Action
	for _, word := range words {
		n, err := strconv.ParseUint(word, 10, 8)
		if err != nil || n < 1 || int(n) > g.numbers {
			return nil, fmt.Errorf("move %d, %q, is not a number from 1 to %d", len(moves)+1, word, g.numbers)
		}
		moves = append(moves, game.Action(n-1))
	}
	return moves, nil
}
