// Package caniwin implements Can I Win (LeetCode 464). The sides take turns to take one of the numbers 1 to n, each of
// which exists once. The side that brings the sum of all taken numbers to a total or above wins. If the numbers run out
// first, the game is a draw; this happens only where all numbers together are less than the total.
package caniwin

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// The limits of a game.
const (
	MaxNumbers = 20
	MaxTotal   = 300
)

// Game implements game.Game[State]. It is immutable and safe for concurrent use.
type Game struct {
	name           string
	numbers, total int
	symmetries     []game.Symmetry
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Inscribed   = State{}
)

// New returns the game with the numbers 1 to numbers, at most MaxNumbers, and a total from 1 to MaxTotal.
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

// Parse parses a game's name without "caniwin:", such as "10,11".
func Parse(text string) (*Game, error) {
	words := strings.Split(text, ",")
	if len(words) != 2 {
		return nil, fmt.Errorf("%q is not two numbers: want the largest number and the total, such as 10,11", text)
	}
	var values [2]int
	for i, word := range words {
		var err error
		if values[i], err = strconv.Atoi(strings.TrimSpace(word)); err != nil {
			return nil, fmt.Errorf("%q is not a number: want the largest number and the total, such as 10,11", word)
		}
	}
	return New(values[0], values[1])
}

// Name returns a name such as "caniwin:10,11".
func (g *Game) Name() string { return g.name }

// Numbers returns the largest number.
func (g *Game) Numbers() int { return g.numbers }

// Total returns the sum that wins.
func (g *Game) Total() int { return g.total }

// Start implements game.Game.
func (g *Game) Start() State { return State{game: g, missing: int16(g.total), last: game.None} }

// Board implements game.Game.
func (g *Game) Board() game.Size { return game.Size{Rows: 1, Columns: g.numbers} }

// Planes counts one plane for the numbers and as many as the total fills: see State.Encode.
func (g *Game) Planes() int { return 1 + (g.total+g.numbers-1)/g.numbers }

// Actions returns the number of moves: move a takes the number a+1.
func (g *Game) Actions() int { return g.numbers }

// MaxPlies counts the smallest numbers that reach the total, or all numbers.
func (g *Game) MaxPlies() int {
	plies := 0
	for sum := 0; sum < g.total && plies < g.numbers; sum += plies {
		plies++
	}
	return plies
}

// Symmetries implements game.Game.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns none: the cells show their numbers.
func (g *Game) Labels() (columns, rows []string) { return nil, nil }
