// Package toads implements Toads and Frogs (Berlekamp, Conway and Guy, "Winning Ways"). In each row, toads at the left
// and frogs at the right have a gap between them. Toads move to the right and frogs to the left: one step to an empty
// cell, or over one animal of the other side to the empty cell behind it. A side that cannot move loses.
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
)

// Family is the game for tengen.Main.
var Family = engine.Rules[State, *Game]{
	Name: "toads", Form: "toads:TOADS,GAP,ROWS", Parse: Parse, Boards: []string{"toads:2,2,3", "toads:3,3,2"},
	Sentence: func(*Game) string {
		return "Move an animal of yours one step ahead, or over one of the other side onto the next cell. If you cannot, you lose."
	},
}

// Game implements game.Game[State].
type Game struct {
	size        game.Size
	toads, gap  int    // of a row
	first, last uint64 // the toads at the start; the last column
}

var (
	_ game.Turned  = (*Game)(nil)
	_ game.Diagram = State{}
)

// Parse returns the board for the numbers of toads and of empty cells in a row, and of rows.
func Parse(numbers string) (*Game, error) {
	var toads, gap, rows int
	_, err := fmt.Sscanf(numbers, "%d,%d,%d", &toads, &gap, &rows)
	columns := 2*toads + gap
	if err != nil || strings.Count(numbers, ",") != 2 || min(toads, gap, rows) < 1 || max(columns, rows) > 26 || columns*rows > 64 {
		return nil, fmt.Errorf("%q: want three numbers from 1 on, the toads and the empty cells of a row and the rows, with at most 26 columns and 64 cells", numbers)
	}
	g := &Game{size: game.Size{Rows: rows, Columns: columns}, toads: toads, gap: gap}
	for row := range rows {
		g.first |= (1<<toads - 1) << (row * columns)
		g.last |= 1 << (row*columns + columns - 1)
	}
	return g, nil
}

// Name implements game.Game.
func (g *Game) Name() string { return fmt.Sprintf("toads:%d,%d,%d", g.toads, g.gap, g.size.Rows) }

// Board implements game.Game.
func (g *Game) Board() game.Size { return g.size }

// Planes returns 2: see State.Encode.
func (g *Game) Planes() int { return 2 }

const kinds = 2 // of moves: a step and a jump

// Layout returns a plane for each kind of move. A move has the cell that the animal leaves.
func (g *Game) Layout() game.Layout { return game.Layout{Planes: kinds} }

// Seen implements game.Turned: it turns the board by half for the frogs.
func (g *Game) Seen(cell int, mover game.Side) int {
	if mover == game.Second {
		return g.size.Cells() - 1 - cell
	}
	return cell
}

// Actions implements game.Game.
func (g *Game) Actions() int { return kinds * g.size.Cells() }

// MaxPlies counts the steps that take all animals to the other end.
func (g *Game) MaxPlies() int { return 2 * g.size.Rows * g.toads * (g.toads + g.gap) }

// Start implements game.Game.
func (g *Game) Start() State {
	return State{game: g, own: g.first, other: g.turned(g.first), action: game.None}
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
func (g *Game) Labels() (columns, rows []string) { return g.size.Labels() }

// turned returns animals as the other side sees them.
func (g *Game) turned(animals uint64) uint64 { return bits.Reverse64(animals) >> (64 - g.size.Cells()) }
