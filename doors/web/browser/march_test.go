package browser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/run"
)

// march is a game of pieces for tests, on 5 rows and this number of columns. Each side has a row of pawns. A pawn steps straight ahead
// to a free cell, or diagonally ahead onto an opponent's piece, which it takes. On the last row it becomes a queen or a
// knight, and its side wins. A side that cannot move loses.
type march int

// column is a position of march.
type column struct {
	width march
	cells [marchRows * marchMost]int8 // 0, or the kind of a piece: positive for the first player
	ply   int16
	last  game.Action
}

const (
	marchRows = 5
	marchMost = 12    // columns
	ways      = 3 * 2 // left, straight or right, as pawn or queen, or as knight
)

var marchFamily = run.Of(engine.Rules[column, march]{
	Name: "march", Form: "march:COLUMNS",
	Parse: func(columns string) (march, error) {
		n, err := strconv.Atoi(columns)
		return march(min(n, marchMost)), err
	},
})

func (g march) Name() string     { return fmt.Sprintf("march:%d", g) }
func (g march) Board() game.Size { return game.Size{Rows: marchRows, Columns: int(g)} }
func (g march) Planes() int      { return 2 }
func (g march) Actions() int     { return g.Board().Cells() * ways }
func (g march) MaxPlies() int    { return 2 * g.Board().Cells() }

func (g march) Labels() (columns, rows []string) {
	return strings.Split("abcdefghijkl", "")[:g], strings.Split("54321", "")
}

func (g march) Symmetries() []game.Symmetry {
	one := game.Symmetry{}
	for cell := range g.Board().Cells() {
		one.Cells = append(one.Cells, int32(cell))
	}
	for a := range g.Actions() {
		one.Actions = append(one.Actions, game.Action(a))
	}
	return []game.Symmetry{one}
}

func (g march) Start() column {
	s := column{width: g, last: game.None}
	for x := range g {
		s.cells[x], s.cells[(marchRows-1)*g+x] = -1, 1
	}
	return s
}

// target returns where a move goes, or -1 off the board.
func (s column) target(a game.Action) int {
	from, step := int(a)/ways, int(a)%ways/2-1
	columns := int(s.width)
	x, y := from%columns+step, from/columns-int(s.ToMove())
	if x < 0 || x >= columns || y < 0 || y >= marchRows {
		return -1
	}
	return y*columns + x
}

// promotes reports whether a cell is on the last row of the side to move.
func (s column) promotes(cell int) bool {
	return cell/int(s.width) == map[game.Side]int{game.First: 0, game.Second: marchRows - 1}[s.ToMove()]
}

func (s column) Legal(dst []game.Action) []game.Action {
	if slices.ContainsFunc(s.cells[:], func(kind int8) bool { return max(kind, -kind) > 1 }) {
		return dst
	}
	for a := range game.Action(s.width.Actions()) {
		to, knight := s.target(a), a%2 == 1
		if s.Cell(int(a)/ways) != s.ToMove() || to < 0 || knight && !s.promotes(to) {
			continue
		}
		if wants := [2]game.Side{game.Nobody, s.ToMove().Opponent()}[(a%ways/2+1)%2]; s.Cell(to) == wants {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s column) Play(a game.Action) column {
	to, kind := s.target(a), int8(s.ToMove())
	if s.promotes(to) {
		kind *= 2 + int8(a%2)
	}
	s.cells[int(a)/ways], s.cells[to] = 0, kind
	s.ply, s.last = s.ply+1, a
	return s
}

func (s column) Outcome() (z float32, over bool) {
	if len(s.Legal(nil)) == 0 {
		return -1, true
	}
	return 0, false
}

func (s column) Encode(planes []float32) {
	clear(planes)
	for i := range s.width.Board().Cells() {
		if side := s.Cell(i); side != game.Nobody {
			planes[len(planes)/2*int(1-side)/2+i] = 1
		}
	}
}

func (s column) Key() (k game.Key) {
	for _, kind := range s.cells {
		k[0] = k[0]*1000003 + uint64(kind+3)
	}
	return game.Key{k[0], uint64(s.ply)}
}

func (s column) ToMove() game.Side    { return game.Mover(int(s.ply)) }
func (s column) Last() game.Action    { return s.last }
func (s column) Ply() int             { return int(s.ply) }
func (s column) Cell(i int) game.Side { return game.Side(max(-1, min(1, s.cells[i]))) }

func (s column) Target(a game.Action) game.Target {
	t := game.Target{From: int(a) / ways, To: s.target(a)}
	if s.promotes(t.To) {
		t.Word = [2]string{"queen", "knight"}[a%2]
	}
	return t
}

func (s column) Format(a game.Action) string {
	name := func(cell int) string { return fmt.Sprintf("%c%d", 'a'+cell%int(s.width), marchRows-cell/int(s.width)) }
	t := s.Target(a)
	return name(t.From) + name(t.To) + map[string]string{"queen": "Q", "knight": "N"}[t.Word]
}

func (s column) Text(i int) string {
	return [...]string{"", "P", "Q", "N"}[max(s.cells[i], -s.cells[i])]
}

func (s column) Tally() string {
	count := map[game.Side]int{}
	for i := range s.cells {
		count[s.Cell(i)]++
	}
	return fmt.Sprintf("first player %d, second player %d", count[game.First], count[game.Second])
}
