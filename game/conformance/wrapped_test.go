package conformance

import (
	"slices"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/othello"
)

// pieces is Breakthrough with some methods replaced; nil stands for the right ones. It does not declare that its sides are
// alike.
type pieces struct {
	*breakthrough.Game
	encode     func(s breakthrough.State, planes []float32)
	outcome    func(s breakthrough.State) (float32, bool)
	format     func(s breakthrough.State, a game.Action) string
	seen       func(cell int, mover game.Side) int
	symmetries []game.Symmetry
	planes     int  // of the layout
	captions   int  // less than there are planes
	forgetful  bool // positions that are set up forget the piece on the last cell
}

// piece is a position of pieces.
type piece struct {
	breakthrough.State
	game *pieces
}

var (
	_ game.Turned       = (*pieces)(nil)
	_ game.Spatial      = (*pieces)(nil)
	_ game.Setup[piece] = (*pieces)(nil)
	_ game.Diagram      = piece{}
)

// onBoard returns Breakthrough on n rows and columns, with the replaced methods.
func onBoard(n int, p pieces) *pieces {
	g, err := breakthrough.New(game.Size{Rows: n, Columns: n})
	if err != nil {
		panic(err)
	}
	p.Game = g
	return &p
}

func (g *pieces) Start() piece { return piece{g.Game.Start(), g} }

func (g *pieces) Layout() game.Layout { return game.Layout{Planes: 3 + g.planes} }

func (g *pieces) Symmetries() []game.Symmetry {
	if g.symmetries != nil {
		return g.symmetries
	}
	return g.Game.Symmetries()
}

func (g *pieces) Seen(cell int, mover game.Side) int {
	if g.seen != nil {
		return g.seen(cell, mover)
	}
	return g.Game.Seen(cell, mover)
}

func (g *pieces) Captions() []string { return g.Game.Captions()[g.captions:] }

func (g *pieces) FromStones(cells []game.Side, toMove game.Side, last game.Action) (piece, error) {
	if g.forgetful {
		cells = slices.Clone(cells)
		cells[len(cells)-1] = game.Nobody
	}
	s, err := g.Game.FromStones(cells, toMove, last)
	return piece{s, g}, err
}

// SidesAlike hides the declaration.
func (s piece) SidesAlike(struct{}) {}

func (s piece) Play(a game.Action) piece { return piece{s.State.Play(a), s.game} }

func (s piece) Encode(planes []float32) {
	if s.State.Encode(planes); s.game.encode != nil {
		s.game.encode(s.State, planes)
	}
}

func (s piece) Outcome() (float32, bool) {
	if s.game.outcome != nil {
		return s.game.outcome(s.State)
	}
	return s.State.Outcome()
}

func (s piece) Format(a game.Action) string {
	if s.game.format != nil {
		return s.game.format(s.State, a)
	}
	return s.State.Format(a)
}

// reversed is Othello on 4x4 with results for the first player instead of the side to move.
type reversed struct{ *othello.Game }

// disc is a position of reversed.
type disc struct{ othello.State }

func (g reversed) Start() disc         { return disc{g.Game.Start()} }
func (g reversed) Image(i int) disc    { return disc{g.Game.Image(i)} }
func (s disc) Play(a game.Action) disc { return disc{s.State.Play(a)} }
func (s disc) Outcome() (float32, bool) {
	z, over := s.State.Outcome()
	return z * float32(s.ToMove()), over
}

func newReversed() reversed {
	g, err := othello.New(4)
	if err != nil {
		panic(err)
	}
	return reversed{g}
}

// recurring is archers whose planes lack the archer who shoots next, and that says so.
type recurring struct{ archers }

// open is a position of recurring.
type open struct{ row }

func (g recurring) Start() open        { return open{g.archers.Start()} }
func (s open) Play(a game.Action) open { return open{s.row.Play(a)} }
func (s open) PlanesIncomplete()       {}
