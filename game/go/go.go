// Package igo implements the game of Go (igo in Japanese; go is a keyword) by the rules of Tromp and Taylor, without
// suicide: area scoring, positional superko, two passes end the game, and no stone is removed as dead
// (https://tromp.github.io/go.html). The first player has the black stones, and komi, the points that the second player
// gets for moving second, is a part of the game's name.
package igo

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tengen/game"
)

// MaxSide is the longest side of a board.
const MaxSide = 19

// Game is one board with one komi. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	size       game.Size
	komi2      int // twice the komi
	row        int // bits from a cell to the one below it, see set
	words      int // of a set that the board uses
	board      set // its cells
	symmetries []game.Symmetry
	start      State
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Compensated = (*Game)(nil)
	_ game.Captioned   = (*Game)(nil)
	_ game.Owned       = State{}
	_ game.Scored      = State{}
	_ game.Ending      = State{}
	_ game.Rollout     = State{}
	_ game.Refusing    = State{}
)

// New returns Go on a board of a size. komi2 is twice the komi, which may be half a point.
func New(size game.Size, komi2 int) (*Game, error) {
	if min(size.Rows, size.Columns) < 1 || max(size.Rows, size.Columns) > MaxSide {
		return nil, fmt.Errorf("%v: sides are 1 to %d", size, MaxSide)
	}
	if komi2 < 0 || komi2 > 2*size.Cells() {
		return nil, fmt.Errorf("komi %s: it must be 0 to %d, the number of cells", halves(komi2), size.Cells())
	}
	g := &Game{name: name(size, komi2), size: size, komi2: komi2, row: size.Columns + 1}
	g.words = (g.row*size.Rows + 63) / 64
	for cell := range size.Cells() {
		g.board.add(g.bit(cell))
	}
	g.start = State{&position{game: g, last: game.None}}
	g.symmetries = size.Symmetries()
	for i := range g.symmetries {
		g.symmetries[i].Actions = append(g.symmetries[i].Actions, g.pass())
	}
	return g, nil
}

var form = regexp.MustCompile(`^ *(\d{1,3})(?: *x *(\d{1,3}))?(?: *, *(\d{1,3}(?:\.[05])?))? *$`)

// Parse returns the board for a name's part after "go:": SIDE, SIDE,KOMI or COLUMNSxROWS,KOMI; 9x9 with komi 7 for "".
func Parse(text string) (*Game, error) {
	parts := form.FindStringSubmatch(cmp.Or(text, "9"))
	if parts == nil {
		return nil, fmt.Errorf("%q: want SIDE,KOMI or COLUMNSxROWS,KOMI, such as 9x7,6.5, and no more: areas are counted, "+
			"as in China, and there is no handicap", text)
	}
	columns, _ := strconv.Atoi(parts[1])
	rows, _ := strconv.Atoi(cmp.Or(parts[2], parts[1]))
	komi, _ := strconv.ParseFloat(parts[3], 64)
	switch {
	case parts[3] == "" && rows != columns:
		return nil, fmt.Errorf("%q: name the komi of a board that is no square, such as %s,7", text, text)
	case parts[3] == "":
		komi = float64(usualKomi(columns))
	}
	return New(game.Size{Rows: rows, Columns: columns}, int(2*komi))
}

// usualKomi is about what the first player wins by with best play: proved on 5x5 (van der Werf, Winands 2009), where a
// win of all 25 remains a win, believed on 6x6 and 7x7, customary on larger boards.
func usualKomi(side int) int {
	if side > 7 {
		return 7
	}
	return [8]int{5: 24, 6: 4, 7: 9}[side]
}

func name(size game.Size, komi2 int) string {
	board := strconv.Itoa(size.Columns)
	if size.Columns != size.Rows {
		board += "x" + strconv.Itoa(size.Rows)
	}
	if board == "9" && komi2 == 2*usualKomi(9) {
		return "go"
	}
	return "go:" + board + "," + halves(komi2)
}

// halves formats half the number.
func halves(n int) string { return strconv.FormatFloat(float64(n)/2, 'g', -1, 64) }

func (g *Game) bit(cell int) int { return cell + cell/g.size.Columns }

func (g *Game) action(bit int) game.Action { return game.Action(bit - bit/g.row) }

func (g *Game) pass() game.Action { return game.Action(g.size.Cells()) }

// Name returns "go", or "go:" with the board and the komi, such as "go:7,9" or "go:9x7,6.5".
func (g *Game) Name() string { return g.name }

// Komi returns the second player's points for moving second, a multiple of 0.5.
func (g *Game) Komi() float64 { return float64(g.komi2) / 2 }

// Start returns the empty board.
func (g *Game) Start() State { return g.start }

// Sentence returns the rules in a few words.
func (g *Game) Sentence() string {
	return fmt.Sprintf("Surround area. Stones without a free neighbouring cell are taken, no position comes twice, "+
		"and two passes end the game. Your stones and the area that they surround count; the second player gets %s more. "+
		"Take dead stones before you pass: all that stand count.",
		halves(g.komi2))
}

// Board returns the board size.
func (g *Game) Board() game.Size { return g.size }

// Captions names the planes.
func (g *Game) Captions() []string {
	return []string{"stones of the side to move", "stones of its opponent", "the last stone",
		"all cells if the opponent has just passed", "all cells if the first player is to move"}
}

// Planes returns 5: see State.Encode.
func (g *Game) Planes() int { return planes }

// Actions returns the number of cells and the pass. An action is the number of its cell.
func (g *Game) Actions() int { return g.size.Cells() + 1 }

// Layout returns a plane of stones and the pass.
func (g *Game) Layout() game.Layout { return game.Layout{Planes: 1, Named: 1} }

// MaxPlies returns three times the number of cells, at least 12. A game that comes to it is counted as it stands.
func (g *Game) MaxPlies() int { return max(12, 3*g.size.Cells()) }

// Symmetries returns those of the board.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// columnNames leave out I, which looks like 1.
const columnNames = "abcdefghjklmnopqrst"

// Labels returns letters without i for the columns and numbers, from the bottom, for the rows.
func (g *Game) Labels() (columns, rows []string) {
	_, rows = g.size.Labels()
	return strings.Split(columnNames[:g.size.Columns], ""), rows
}
