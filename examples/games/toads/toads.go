// Package toads implements Toads and Frogs (Berlekamp, Conway and Guy, "Winning Ways"). In each row, toads at the left
// and frogs at the right have a gap between them. Toads move to the right and frogs to the left: one step to an empty
// cell, or over one animal of the other side to the empty cell behind it. A side that cannot move loses. There are no
// draws.
//
// The planes and the numbers of moves show the board as the side to move sees it, turned by half for the frogs. So both
// sides move to the right, and a network learns their moves once.
package toads

import (
	"fmt"
	"math/bits"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/run"
)

// Family is the game for tengen.Main.
var Family = run.Of(engine.Rules[State, *Game]{
	Name: "toads", Form: "toads:TOADS,GAP,ROWS", Parse: Parse, Boards: []string{"toads:2,2,3", "toads:3,3,2"},
	Title: func(g *Game) string {
		return fmt.Sprintf("Toads and Frogs, %d rows of %d", g.size.Rows, g.size.Columns)
	},
	Sentence: func(*Game) string {
		return "Move an animal of yours one step ahead, or over one of the other side onto the next cell. If you cannot, you lose."
	},
})

// Game implements game.Game[State].
type Game struct {
	size        game.Size
	toads, gap  int    // of a row
	last        uint64 // the cells of the last column
	nextToLast  uint64
	toadsInside uint64 // their cells at the start
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Diagram     = State{}
)

// Parse returns the board for the numbers of toads and of empty cells in a row, and of rows.
func Parse(numbers string) (*Game, error) {
	var toads, gap, rows int
	_, err := fmt.Sscanf(numbers, "%d,%d,%d", &toads, &gap, &rows)
	if err != nil || strings.Count(numbers, ",") != 2 || min(toads, gap, rows) < 1 || max(toads, gap, rows) > 64 || (2*toads+gap)*rows > 64 {
		return nil, fmt.Errorf("%q: want three numbers from 1 on, the toads and the empty cells of a row and the rows, with at most 64 cells", numbers)
	}
	g := &Game{size: game.Size{Rows: rows, Columns: 2*toads + gap}, toads: toads, gap: gap}
	for row := range rows {
		first := row * g.size.Columns
		g.toadsInside |= (1<<toads - 1) << first
		g.last |= 1 << (first + g.size.Columns - 1)
		g.nextToLast |= 1 << (first + g.size.Columns - 2)
	}
	return g, nil
}

// Name implements game.Game.
func (g *Game) Name() string { return fmt.Sprintf("toads:%d,%d,%d", g.toads, g.gap, g.size.Rows) }

// Board implements game.Game.
func (g *Game) Board() game.Size { return g.size }

// Planes returns 2: see State.Encode.
func (g *Game) Planes() int { return 2 }

// kinds is the number of kinds of moves: a step and a jump.
const kinds = 2

// Actions implements game.Game.
func (g *Game) Actions() int { return kinds * g.size.Cells() }

// MaxPlies counts the steps that take all animals to the other end.
func (g *Game) MaxPlies() int { return 2 * g.size.Rows * g.toads * (g.toads + g.gap) }

// Start implements game.Game.
func (g *Game) Start() State {
	return State{game: g, own: g.toadsInside, other: g.turned(g.toadsInside), action: game.None}
}

// Symmetries returns the identity and the reflection of the rows.
func (g *Game) Symmetries() []game.Symmetry {
	all := g.size.Symmetries()
	both := []game.Symmetry{all[0], all[2]}
	for i := range both {
		both[i].Actions = nil
		for _, image := range both[i].Cells {
			both[i].Actions = append(both[i].Actions, game.Action(kinds*image), game.Action(kinds*image+1))
		}
	}
	return both
}

// Labels names the columns by letters and the rows by numbers from the bottom.
func (g *Game) Labels() (columns, rows []string) {
	for c := range g.size.Columns {
		columns = append(columns, string(rune('a'+c)))
	}
	for r := g.size.Rows; r > 0; r-- {
		rows = append(rows, fmt.Sprint(r))
	}
	return columns, rows
}

// turned returns animals as the other side sees them.
func (g *Game) turned(animals uint64) uint64 { return bits.Reverse64(animals) >> (64 - g.size.Cells()) }
