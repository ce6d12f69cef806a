package browser

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/run"
)

// shots is a game of texts on free cells for tests, on 3 rows and this number of columns. The sides shoot at free cells in turn, and
// no side holds a cell that is hit. The side that hits the last cell wins.
type shots int

// shot is a position of shots.
type shot struct {
	columns shots
	hit     uint64
	last    game.Action
}

const shotRows = 3

var shotsFamily = run.Of(engine.Rules[shot, shots]{
	Name: "shots", Form: "shots:COLUMNS",
	Parse: func(columns string) (shots, error) {
		n, err := strconv.Atoi(columns)
		return shots(n), err
	},
})

func (g shots) Name() string     { return fmt.Sprintf("shots:%d", g) }
func (g shots) Board() game.Size { return game.Size{Rows: shotRows, Columns: int(g)} }
func (g shots) Planes() int      { return 1 }
func (g shots) Actions() int     { return g.Board().Cells() }
func (g shots) MaxPlies() int    { return g.Board().Cells() }
func (g shots) Start() shot      { return shot{columns: g, last: game.None} }

func (g shots) Labels() (columns, rows []string) {
	return strings.Split("abcdefghijkl", "")[:g], strings.Split("321", "")
}

func (g shots) Symmetries() []game.Symmetry { return g.Board().Symmetries()[:1] }

func (s shot) Legal(dst []game.Action) []game.Action {
	for a := range game.Action(s.columns.Actions()) {
		if s.hit>>a&1 == 0 {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s shot) Play(a game.Action) shot {
	if !slices.Contains(s.Legal(nil), a) {
		panic(fmt.Sprintf("shots: move %d with hits %b", a, s.hit))
	}
	return shot{s.columns, s.hit | 1<<a, a}
}

func (s shot) Outcome() (z float32, over bool) {
	if s.Ply() < s.columns.Actions() {
		return 0, false
	}
	return -1, true
}

func (s shot) Encode(planes []float32) {
	for i := range planes {
		planes[i] = float32(s.hit >> i & 1)
	}
}

func (s shot) SidesAlike()                      {}
func (s shot) Key() game.Key                    { return game.Key{s.hit} }
func (s shot) ToMove() game.Side                { return game.Mover(s.Ply()) }
func (s shot) Last() game.Action                { return s.last }
func (s shot) Ply() int                         { return bits.OnesCount64(s.hit) }
func (s shot) Cell(int) game.Side               { return game.Nobody }
func (s shot) Target(a game.Action) game.Target { return game.Onto(int(a)) }

func (s shot) Format(a game.Action) string {
	columns, rows := s.columns.Labels()
	return columns[int(a)%len(columns)] + rows[int(a)/len(columns)]
}

func (s shot) Text(i int) string {
	return [2]string{"", "#"}[s.hit>>i&1]
}

// Tally is long for the second player, and empty for the first.
func (s shot) Tally() string {
	return [2]string{"", "second player shoots at a free cell with one more arrow"}[s.Ply()%2]
}
