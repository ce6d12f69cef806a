package conformance

import (
	"fmt"
	"math/bits"
	"slices"

	"tengen/game"
)

// kings is a game whose boards recur. Each side has a king in a corner of nine cells. A king that takes the other one
// wins, and after some plies the game is drawn. The functions stand for methods of a position.
type kings struct {
	shows            func(s king) (a, b uint16) // the sets that Encode writes
	key              func(s king) game.Key
	outcome          func(s king) (float32, bool)
	endings, rollout func(s king) []game.Action
}

// king is a position of kings.
type king struct {
	game *kings
	at   [2]uint16 // the king of the first and of the second player: cell i is bit i, and 0 is a king that was taken
	ply  int
	last game.Action
}

// newKings returns the game with a fault.
func newKings(plant func(g *kings)) *kings {
	g := &kings{
		shows: func(s king) (a, b uint16) { return s.own(), s.other() },
		key:   func(s king) game.Key { return game.Key{uint64(s.own())<<16 | uint64(s.other()), uint64(s.ply)} },
		outcome: func(s king) (float32, bool) {
			return float32(bits.OnesCount16(s.own()) - 1), s.own() == 0 || s.drawn()
		},
	}
	g.endings = func(s king) []game.Action { return s.Legal(nil) }
	g.rollout = g.endings
	plant(g)
	return g
}

var kingsSize = game.Size{Rows: 3, Columns: 3}

func (g *kings) Name() string                     { return "kings" }
func (g *kings) Board() game.Size                 { return kingsSize }
func (g *kings) Planes() int                      { return 2 }
func (g *kings) Actions() int                     { return 9 }
func (g *kings) MaxPlies() int                    { return 20 }
func (g *kings) Labels() (columns, rows []string) { return kingsSize.Labels() }
func (g *kings) Symmetries() []game.Symmetry      { return kingsSize.Symmetries()[:1] }
func (g *kings) Start() king                      { return king{g, [2]uint16{1, 1 << 8}, 0, game.None} }

func (s king) own() uint16                             { return s.at[s.ply%2] }
func (s king) other() uint16                           { return s.at[1-s.ply%2] }
func (s king) drawn() bool                             { return s.ply == s.game.MaxPlies() }
func (s king) SidesAlike()                             {}
func (s king) ToMove() game.Side                       { return game.Mover(s.ply) }
func (s king) Last() game.Action                       { return s.last }
func (s king) Ply() int                                { return s.ply }
func (s king) Key() game.Key                           { return s.game.key(s) }
func (s king) Outcome() (z float32, over bool)         { return s.game.outcome(s) }
func (s king) Endings(dst []game.Action) []game.Action { return append(dst, s.game.endings(s)...) }
func (s king) Rollout(dst []game.Action) []game.Action { return append(dst, s.game.rollout(s)...) }
func (s king) Cell(cell int) game.Side {
	return game.Side(s.at[0]>>cell&1) - game.Side(s.at[1]>>cell&1)
}
func (s king) Format(a game.Action) string {
	return kingsSize.CellName(s.Target(a).From) + kingsSize.CellName(int(a))
}

func (s king) Target(a game.Action) game.Target {
	return game.Target{From: bits.TrailingZeros16(s.own()), To: int(a)}
}

func (s king) Legal(dst []game.Action) []game.Action {
	if _, over := s.Outcome(); over {
		return dst
	}
	from := s.Target(0).From
	for a := range game.Action(9) {
		rows, columns := int(a)/3-from/3, int(a)%3-from%3
		if rows*rows <= 1 && columns*columns <= 1 && int(a) != from {
			dst = append(dst, a)
		}
	}
	return dst
}

func (s king) Play(a game.Action) king {
	if !slices.Contains(s.Legal(make([]game.Action, 0, 9)), a) {
		panic(fmt.Sprintf("kings: move %d is illegal", a))
	}
	s.at[s.ply%2] = 1 << a
	s.at[1-s.ply%2] &^= 1 << a
	s.ply++
	s.last = a
	return s
}

func (s king) Encode(planes []float32) {
	if len(planes) != 18 {
		panic("kings: wrong planes")
	}
	a, b := s.game.shows(s)
	for i := range planes {
		planes[i] = float32((uint32(a) | uint32(b)<<9) >> i & 1)
	}
}

// joined is kings on points that lines join.
type joined struct {
	*kings
	joins game.Joins
}

func (g joined) Joins() game.Joins { return g.joins }

// secretive is kings that says that its planes are incomplete.
type secretive struct{ *kings }

// secret is a position of secretive.
type secret struct{ king }

func (g secretive) Start() secret          { return secret{g.kings.Start()} }
func (s secret) Play(a game.Action) secret { return secret{s.king.Play(a)} }
func (s secret) PlanesIncomplete()         {}
