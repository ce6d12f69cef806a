package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// archers is a row of cells on which a turn takes two steps, with a forced pass of the other side between them: a side puts
// an archer on a free cell, then that archer shoots at a free cell that is not next to it. Nobody can use cells that are hit.
// A side that cannot move loses.
type archers struct {
	keyless   bool // the key lacks the archer who shoots next
	planeless bool // the planes lack it
}

// row is a position of archers.
type row struct {
	game   archers
	placed [2]uint16 // the archers of the first and of the second player; cell i is bit i
	hit    uint16
	archer int8 // who shoots in this turn, or -1
	ply    int
	last   game.Action
}

const archerCells = 12

func (g archers) Name() string                     { return "archers" }
func (g archers) Board() game.Size                 { return game.Size{Rows: 1, Columns: archerCells} }
func (g archers) Planes() int                      { return 5 }
func (g archers) Actions() int                     { return archerCells + 1 }
func (g archers) MaxPlies() int                    { return 3 * archerCells }
func (g archers) Labels() (columns, rows []string) { return nil, nil }
func (g archers) Start() row                       { return row{game: g, archer: -1, last: game.None} }

func (g archers) Symmetries() []game.Symmetry {
	s := g.Board().Symmetries()[0]
	s.Actions = append(s.Actions, archerCells)
	return []game.Symmetry{s}
}

func (s row) SidesAlike()       {}
func (s row) ToMove() game.Side { return game.Mover(s.ply) }
func (s row) Last() game.Action { return s.last }
func (s row) Ply() int          { return s.ply }
func (s row) String() string    { return fmt.Sprintf("%012b %012b", s.placed, s.hit) }

func (s row) Format(a game.Action) string {
	if a == archerCells {
		return "pass"
	}
	return fmt.Sprint(a + 1)
}

func (s row) Key() game.Key {
	key := game.Key{uint64(s.placed[0]) | uint64(s.placed[1])<<16 | uint64(s.hit)<<32, uint64(s.ply)}
	if !s.game.keyless {
		key[1] |= uint64(s.archer+1) << 32
	}
	return key
}

func (s row) Legal(dst []game.Action) []game.Action {
	if s.ply%3 == 1 {
		return append(dst, archerCells)
	}
	for a := range game.Action(archerCells) {
		free := (s.placed[0]|s.placed[1]|s.hit)>>a&1 == 0
		if distance := a - game.Action(s.archer); free && (s.archer < 0 || distance*distance > 1) {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s row) Play(a game.Action) row {
	if !slices.Contains(s.Legal(make([]game.Action, 0, archerCells)), a) {
		panic(fmt.Sprintf("archers: move %d is illegal", a))
	}
	switch s.ply % 3 {
	case 0:
		s.placed[s.ply%2] |= 1 << a
		s.archer = int8(a)
	case 2:
		s.hit |= 1 << a
		s.archer = -1
	}
	s.ply++
	s.last = a
	return s
}

func (s row) Outcome() (z float32, over bool) {
	if len(s.Legal(make([]game.Action, 0, archerCells))) == 0 {
		return -1, true
	}
	return 0, false
}

func (s row) Encode(planes []float32) {
	if len(planes) != 5*archerCells {
		panic("archers: wrong planes")
	}
	shoots, waits := uint16(0), uint16(0)
	if s.archer >= 0 && !s.game.planeless {
		shoots = 1 << s.archer
	}
	if s.ply%3 == 1 {
		waits = 1<<archerCells - 1
	}
	for i, set := range [5]uint16{s.placed[s.ply%2], s.placed[1-s.ply%2], s.hit, shoots, waits} {
		for cell := range archerCells {
			planes[i*archerCells+cell] = float32(set >> cell & 1)
		}
	}
}
