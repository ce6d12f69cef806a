// Package igo implements the game of Go (igo in Japanese; go is a keyword) by the rules of Tromp and Taylor, without
// suicide: area scoring, positional superko, two passes end the game, and no stone is removed as dead
// (https://tromp.github.io/go.html). The first player has the black stones, and komi, the points that the second player
// gets for moving second, is a part of the game's name.
package igo

import (
	"errors"
	"fmt"
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
	komi2      int           // twice the komi
	row        int           // bits from a cell to the one below it, see set
	words      int           // of a set that the board uses
	board      set           // its cells
	stones     [2][]game.Key // [colour][bit] the Zobrist keys (Zobrist 1970)
	cellOf     [2]map[game.Key]int
	symmetries []game.Symmetry
	start      State
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Diagram     = State{}
	_ game.Scored      = State{}
)

// New returns a board with twice the given komi.
func New(size game.Size, komi2 int) (*Game, error) {
	if min(size.Rows, size.Columns) < 1 || max(size.Rows, size.Columns) > MaxSide {
		return nil, fmt.Errorf("%v: sides are 1 to %d", size, MaxSide)
	}
	if komi2 < 0 || komi2 > 2*size.Cells() {
		return nil, fmt.Errorf("komi %s: it must be 0 to %d, the number of cells", halves(komi2), size.Cells())
	}
	g := &Game{name: name(size, komi2), size: size, komi2: komi2, row: size.Columns + 1}
	g.words = (g.row*size.Rows + 63) / 64
	for colour := range g.stones {
		g.stones[colour] = make([]game.Key, g.words*64)
		g.cellOf[colour] = map[game.Key]int{}
		for cell := range size.Cells() {
			bit, key := g.bit(cell), game.Key{0, 1}.Absorb(uint64(4*cell+2*colour))
			g.board.add(bit)
			g.stones[colour][bit], g.cellOf[colour][key] = key, bit
		}
	}
	g.start = State{&position{game: g, last: game.None}}
	g.symmetries = size.Symmetries()
	for i := range g.symmetries {
		g.symmetries[i].Actions = append(g.symmetries[i].Actions, g.pass())
	}
	return g, nil
}

// Parse returns the board for a name's part after "go:": SIDE, SIDE,KOMI or COLUMNSxROWS,KOMI; 9x9 with komi 7 for "".
func Parse(text string) (*Game, error) {
	if text == "" {
		text = "9"
	}
	board, komi, komiGiven := strings.Cut(text, ",")
	columns, rows, rectangle := strings.Cut(board, "x")
	if !rectangle {
		rows = columns
	}
	c, err1 := strconv.Atoi(strings.TrimSpace(columns))
	r, err2 := strconv.Atoi(strings.TrimSpace(rows))
	if errors.Join(err1, err2) != nil {
		return nil, fmt.Errorf("board %q: want a side or COLUMNSxROWS, such as 9 or 9x7", board)
	}
	size := game.Size{Rows: r, Columns: c}
	if !komiGiven {
		if c != r {
			return nil, fmt.Errorf("board %q: name the komi of a board that is no square, such as %s,7", board, board)
		}
		return New(size, 2*usualKomi(c))
	}
	k, err := strconv.ParseFloat(strings.TrimSpace(komi), 64)
	if err != nil || k*2 != float64(int(k*2)) {
		return nil, fmt.Errorf("komi %q: want a number of points or half points, such as 7 or 6.5", komi)
	}
	return New(size, int(2*k))
}

// usualKomi is about what the first player wins by with best play: proved on 5x5 (van der Werf, Winands 2009), believed on
// 6x6 and 7x7, customary on larger boards.
func usualKomi(side int) int {
	switch side {
	case 5:
		return 24 // a win of all 25 remains a win
	case 6:
		return 4
	case 7:
		return 9
	}
	if side < 5 {
		return 0
	}
	return 7
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

func (g *Game) cell(bit int) int { return bit - bit/g.row }

func (g *Game) pass() game.Action { return game.Action(g.size.Cells()) }

// Name returns "go", or "go:" with the board and the komi, such as "go:7,9" or "go:9x7,6.5".
func (g *Game) Name() string { return g.name }

// Komi returns the second player's points for moving second, a multiple of 0.5.
func (g *Game) Komi() float64 { return float64(g.komi2) / 2 }

// Start returns the empty board.
func (g *Game) Start() State { return g.start }

// Sentence returns the rules in a few words.
func (g *Game) Sentence() string {
	return fmt.Sprintf("Surround area. Stones without a free neighbouring cell are taken, no position comes twice, and two passes end the "+
		"game. Your stones and the area that they surround count; the second player gets %s more.", halves(g.komi2))
}

// Board returns the board size.
func (g *Game) Board() game.Size { return g.size }

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
