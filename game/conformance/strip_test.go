package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// strip is a row of cells that the sides mark in turn. The side that marks the last cell wins. If the first cell is marked
// as the third move or later, the opponent must pass. The marks alone do not show that.
type strip struct {
	keyless   bool // the key lacks the duty to pass
	planeless bool // the planes lack it
	shared    bool // the positions of a game share their cells, so that a move changes its receiver
}

// marks is a position of strip.
type marks struct {
	game  strip
	cells uint8 // marked
	duty  bool
	ply   int
	last  game.Action
	board *uint8 // the cells, if they are shared; else nil
}

const stripCells = 6

func (g strip) Name() string                     { return "strip" }
func (g strip) Board() game.Size                 { return game.Size{Rows: 1, Columns: stripCells} }
func (g strip) Planes() int                      { return 2 }
func (g strip) Actions() int                     { return stripCells + 1 }
func (g strip) MaxPlies() int                    { return stripCells + 1 }
func (g strip) Labels() (columns, rows []string) { return nil, nil }

func (g strip) Start() marks {
	s := marks{game: g, last: game.None}
	if g.shared {
		s.board = new(uint8)
	}
	return s
}

func (g strip) Symmetries() []game.Symmetry {
	s := g.Board().Symmetries()[0]
	s.Actions = append(s.Actions, stripCells)
	return []game.Symmetry{s}
}

func (s marks) SidesAlike()       {}
func (s marks) ToMove() game.Side { return game.Mover(s.ply) }
func (s marks) Last() game.Action { return s.last }
func (s marks) Ply() int          { return s.ply }
func (s marks) String() string    { return fmt.Sprintf("%06b", s.cells) }

func (s marks) Format(a game.Action) string {
	if a == stripCells {
		return "pass"
	}
	return fmt.Sprint(a + 1)
}

func (s marks) Key() game.Key {
	key := game.Key{uint64(s.cells), uint64(s.ply) << 1}
	if s.duty && !s.game.keyless {
		key[1]++
	}
	return key
}

func (s marks) Legal(dst []game.Action) []game.Action {
	if _, over := s.Outcome(); over {
		return dst
	}
	if s.duty {
		return append(dst, stripCells)
	}
	for a := range game.Action(stripCells) {
		if s.marked()>>a&1 == 0 {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s marks) marked() uint8 {
	if s.board != nil {
		return *s.board
	}
	return s.cells
}

func (s marks) Play(a game.Action) marks {
	if !slices.Contains(s.Legal(make([]game.Action, 0, 8)), a) {
		panic(fmt.Sprintf("strip: move %d is illegal", a))
	}
	s.duty = a == 0 && s.ply >= 2
	if a < stripCells {
		s.cells |= 1 << a
	}
	s.ply++
	s.last = a
	if s.board != nil {
		*s.board = s.cells
	}
	return s
}

func (s marks) Outcome() (z float32, over bool) {
	if s.cells == 1<<stripCells-1 {
		return -1, true
	}
	return 0, false
}

func (s marks) Encode(planes []float32) {
	if len(planes) != 2*stripCells {
		panic("strip: wrong planes")
	}
	for cell := range stripCells {
		planes[cell] = float32(s.cells >> cell & 1)
		planes[stripCells+cell] = 0
		if s.duty && !s.game.planeless {
			planes[stripCells+cell] = 1
		}
	}
}
