package conformance

import (
	"fmt"
	"slices"

	"tengen/game"
)

// march is Breakthrough: pieces step ahead, straight or diagonally, and capture diagonally; who reaches the last row, or
// takes all pieces, wins. The zero march has 5x5 cells and no faults.
type march struct {
	side int // rows and columns; 0: 5

	noSide     bool // no plane shows the side to move
	blank      bool // the planes are all zero
	wrongWay   bool // the reflection of the columns leaves the steps as they are
	wrongSign  bool // the result is for the first player, not for the side to move
	sameText   bool // the notation is the cell that a piece reaches
	noCaptures bool // a captured piece stays where it is, below the other
	blurred    bool // the second player sees the columns one to the right
	kinds      int  // of moves by Layout; 0: 3
}

// troops is a position of march.
type troops struct {
	game   march
	pieces [2]uint64 // of the first and of the second player; cell i is bit i
	ply    int
	last   game.Action
}

var (
	_ game.Game[troops] = march{}
	_ game.Turned       = march{}
	_ game.Spatial      = march{}
	_ game.Diagram      = troops{}
)

func (g march) n() int {
	if g.side == 0 {
		return 5
	}
	return g.side
}

func (g march) Name() string        { return fmt.Sprint("march:", g.n()) }
func (g march) Board() game.Size    { return game.Size{Rows: g.n(), Columns: g.n()} }
func (g march) Planes() int         { return 3 }
func (g march) Actions() int        { return 3 * g.n() * g.n() }
func (g march) Layout() game.Layout { return game.Layout{Planes: 3 - g.kinds} }
func (g march) MaxPlies() int       { return 4*g.n()*(g.n()-2) + 1 }

func (g march) Start() troops {
	two := uint64(1)<<(2*g.n()) - 1
	return troops{game: g, pieces: [2]uint64{two << (g.n() * (g.n() - 2)), two}, last: game.None}
}

// Symmetries are the identity and the reflection of the columns. The move 3*cell+step goes step-1 columns to the right.
func (g march) Symmetries() []game.Symmetry {
	all := g.Board().Symmetries()[:2]
	for i := range all {
		all[i].Actions = nil
		for _, image := range all[i].Cells {
			for step := range 3 {
				if i == 1 && !g.wrongWay {
					step = 2 - step
				}
				all[i].Actions = append(all[i].Actions, game.Action(3*int(image)+step))
			}
		}
	}
	return all
}

func (g march) Labels() (columns, rows []string) {
	for i := range g.n() {
		columns, rows = append(columns, string(rune('a'+i))), append(rows, fmt.Sprint(g.n()-i))
	}
	return columns, rows
}

func (g march) Seen(cell int, mover game.Side) int {
	if n := g.n(); g.blurred && mover == game.Second {
		return cell/n*n + (cell+1)%n
	}
	return cell
}

func (s troops) ToMove() game.Side { return game.Mover(s.ply) }
func (s troops) Last() game.Action { return s.last }
func (s troops) Ply() int          { return s.ply }
func (s troops) Key() game.Key {
	return game.Key{s.pieces[0] | uint64(s.ply)<<40, s.pieces[1]}
}

func (s troops) Cell(cell int) game.Side {
	return game.Side(s.pieces[0]>>cell&1) - game.Side(s.pieces[1]>>cell&1)
}

// Target is off the board at -1 if the move leads there.
func (s troops) Target(a game.Action) game.Target {
	n := s.game.n()
	row, column := int(a)/3/n-int(s.ToMove()), int(a)/3%n+int(a)%3-1
	if row < 0 || row >= n || column < 0 || column >= n {
		return game.Onto(-1)
	}
	return game.Target{From: int(a) / 3, To: row*n + column}
}

func (s troops) Format(a game.Action) string {
	columns, rows := s.game.Labels()
	name := func(cell int) string { return columns[cell%len(columns)] + rows[cell/len(columns)] }
	target := s.Target(a)
	if s.game.sameText {
		return name(target.To)
	}
	return name(target.From) + name(target.To)
}

func (s troops) Legal(dst []game.Action) []game.Action {
	if _, over := s.Outcome(); over {
		return dst
	}
	own, opponent := s.pieces[s.ply%2], s.pieces[1-s.ply%2]
	for a := range game.Action(s.game.Actions()) {
		to := s.Target(a).To
		if own>>(a/3)&1 == 0 || to < 0 || own>>to&1 != 0 || opponent>>to&1 != 0 && a%3 == 1 {
			continue
		}
		dst = append(dst, a)
	}
	return dst
}

func (s troops) Play(a game.Action) troops {
	var buffer [128]game.Action
	if !slices.Contains(s.Legal(buffer[:0]), a) {
		panic(fmt.Sprintf("march: move %d is illegal", a))
	}
	target := s.Target(a)
	s.pieces[s.ply%2] ^= 1<<target.From | 1<<target.To
	if !s.game.noCaptures {
		s.pieces[1-s.ply%2] &^= 1 << target.To
	}
	s.ply++
	s.last = a
	return s
}

func (s troops) Outcome() (z float32, over bool) {
	n := s.game.n()
	row := uint64(1)<<n - 1
	first := s.pieces[0]&row != 0 || s.pieces[1] == 0
	second := s.pieces[1]&(row<<(n*(n-1))) != 0 || s.pieces[0] == 0
	switch {
	case !first && !second:
		return 0, false
	case s.game.wrongSign && first:
		return 1, true
	}
	return -1, true
}

// Encode shows the board as it lies, the same for both sides.
func (s troops) Encode(planes []float32) {
	cells := s.game.n() * s.game.n()
	if len(planes) != 3*cells {
		panic("march: wrong planes")
	}
	clear(planes)
	if s.game.blank {
		return
	}
	for cell := range cells {
		planes[cell] = float32(s.pieces[s.ply%2] >> cell & 1)
		planes[cells+cell] = float32(s.pieces[1-s.ply%2] >> cell & 1)
		if s.ply%2 == 0 && !s.game.noSide {
			planes[2*cells+cell] = 1
		}
	}
}
