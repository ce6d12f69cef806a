package gametest

import (
	"cmp"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

// faulty is tic-tac-toe with some of its methods replaced, to see whether the suite notices.
type faulty struct {
	*mnk.Game
	fault
}

// fault holds the replaced methods; nil stands for the right one.
type fault struct {
	legal      func(s mnk.State, dst []game.Action) []game.Action
	play       func(s state, a game.Action) state
	outcome    func(s mnk.State) (float32, bool)
	encode     func(s mnk.State, planes []float32)
	key        func(s mnk.State) game.Key
	ply        func(s mnk.State) int
	toMove     func(s mnk.State) game.Side
	cell       func(s mnk.State, cell int) game.Side
	lastCell   func(s mnk.State) int
	target     func(s mnk.State, a game.Action) int
	lines      func(s mnk.State) *game.LineSet
	stones     func(s mnk.State, first, second []uint64)
	planes     int
	plies      int
	symmetries []game.Symmetry
	format     func(moves []game.Action) string
	parse      func(text string) ([]game.Action, error)
	fromStones func(g *mnk.Game, cells []game.Side, toMove game.Side, last game.Action) (mnk.State, error)
}

// state is a position of a faulty game.
type state struct {
	mnk.State
	game *faulty
}

var (
	_ game.Game[state]  = (*faulty)(nil)
	_ game.Setup[state] = (*faulty)(nil)
	_ game.Alignment    = state{}
)

func (f *faulty) Start() state { return state{f.Game.Start(), f} }

func (f *faulty) FromStones(cells []game.Side, toMove game.Side, last game.Action) (state, error) {
	fromStones := (*mnk.Game).FromStones
	if f.fromStones != nil {
		fromStones = f.fromStones
	}
	s, err := fromStones(f.Game, cells, toMove, last)
	return state{s, f}, err
}

func (f *faulty) Planes() int { return cmp.Or(f.planes, f.Game.Planes()) }

func (f *faulty) MaxPlies() int { return cmp.Or(f.plies, f.Game.MaxPlies()) }

func (f *faulty) Symmetries() []game.Symmetry {
	if f.symmetries != nil {
		return f.symmetries
	}
	return f.Game.Symmetries()
}

func (f *faulty) FormatMoves(moves []game.Action) string {
	if f.format != nil {
		return f.format(moves)
	}
	return f.Game.FormatMoves(moves)
}

func (f *faulty) ParseMoves(text string) ([]game.Action, error) {
	if f.parse != nil {
		return f.parse(text)
	}
	return f.Game.ParseMoves(text)
}

func (s state) Legal(dst []game.Action) []game.Action {
	if s.game.legal != nil {
		return s.game.legal(s.State, dst)
	}
	return s.State.Legal(dst)
}

func (s state) Play(a game.Action) state {
	if s.game.play != nil {
		return s.game.play(s, a)
	}
	s.State = s.State.Play(a)
	return s
}

func (s state) Outcome() (float32, bool) {
	if s.game.outcome != nil {
		return s.game.outcome(s.State)
	}
	return s.State.Outcome()
}

func (s state) Encode(planes []float32) {
	if s.game.encode != nil {
		s.game.encode(s.State, planes)
		return
	}
	s.State.Encode(planes)
}

func (s state) Key() game.Key {
	if s.game.key != nil {
		return s.game.key(s.State)
	}
	return s.State.Key()
}

func (s state) Ply() int {
	if s.game.ply != nil {
		return s.game.ply(s.State)
	}
	return s.State.Ply()
}

func (s state) ToMove() game.Side {
	if s.game.toMove != nil {
		return s.game.toMove(s.State)
	}
	return s.State.ToMove()
}

func (s state) Cell(cell int) game.Side {
	if s.game.cell != nil {
		return s.game.cell(s.State, cell)
	}
	return s.State.Cell(cell)
}

func (s state) LastCell() int {
	if s.game.lastCell != nil {
		return s.game.lastCell(s.State)
	}
	return s.State.LastCell()
}

func (s state) Target(a game.Action) int {
	if s.game.target != nil {
		return s.game.target(s.State, a)
	}
	return s.State.Target(a)
}

func (s state) Lines() *game.LineSet {
	if s.game.lines != nil {
		return s.game.lines(s.State)
	}
	return s.State.Lines()
}

func (s state) Stones(first, second []uint64) {
	if s.game.stones != nil {
		s.game.stones(s.State, first, second)
		return
	}
	s.State.Stones(first, second)
}

// broken returns the claims that a tic-tac-toe with the fault does not keep, by name.
func broken(f fault) map[string]error {
	errs := map[string]error{}
	g := &faulty{mnk.TicTacToe(), f}
	for _, c := range claims(g) {
		if err := c.holds(g); err != nil {
			errs[c.name] = err
		}
	}
	return errs
}

func TestSoundGamePasses(t *testing.T) {
	for name, err := range broken(fault{}) {
		t.Errorf("%s: %v", name, err)
	}
}

func TestFaultsAreFound(t *testing.T) {
	for name, test := range faults() {
		t.Run(name, func(t *testing.T) {
			errs := broken(test.fault)
			if errs[test.breaks] == nil {
				t.Errorf("the suite does not find that %q is broken; it finds %v", test.breaks, errs)
			}
		})
	}
}

// TestPlainRulesFindFaults covers the faults that only the comparison with the plain rules can find.
func TestPlainRulesFindFaults(t *testing.T) {
	place := func(taken [][]bool, a game.Action) (row, column int, legal bool) {
		return int(a) / 3, int(a) % 3, !taken[a/3][a%3]
	}
	check := claim[state]{check: func(g game.Game[state]) error {
		return lines(g, func(own, _ [][]bool) bool { return InARow(own, 3) }, place)
	}}
	for name, test := range map[string]struct {
		fault
		sound bool
	}{
		"none":            {sound: true},
		"a win is a draw": {fault: fault{outcome: func(s mnk.State) (float32, bool) { _, over := s.Outcome(); return 0, over }}},
		"no win on the long diagonal": {fault: fault{outcome: func(s mnk.State) (float32, bool) {
			z, over := s.Outcome()
			if key := s.Key(); key[1]&0b100010001 == 0b100010001 {
				return 0, false
			}
			return z, over
		}}},
		"a legal move is missing": {fault: fault{legal: func(s mnk.State, dst []game.Action) []game.Action {
			return slices.DeleteFunc(s.Legal(dst), func(a game.Action) bool { return a == 4 && len(s.Legal(nil)) > 1 })
		}}},
		"planes upside down": {fault: fault{encode: func(s mnk.State, planes []float32) {
			s.Encode(planes)
			turn(planes, mnk.TicTacToe().Symmetries()[2])
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := check.holds(&faulty{mnk.TicTacToe(), test.fault}); (err == nil) != test.sound {
				t.Errorf("error %v; want one: %t", err, !test.sound)
			}
		})
	}
}

func TestInARow(t *testing.T) {
	for _, test := range []struct {
		k    int
		rows []string
		want bool
	}{
		{3, []string{"xx.x", "...."}, false},
		{3, []string{".xxx", "...."}, true},
		{3, []string{"x..", "x..", "x.."}, true},
		{3, []string{"x..", ".x.", "..x"}, true},
		{3, []string{"..x", ".x.", "x.."}, true},
		{3, []string{".xx", "x.."}, false},
		{2, []string{"xxx"}, true},
		{1, []string{"."}, false},
	} {
		board := NewBoard(game.Size{Rows: len(test.rows), Columns: len(test.rows[0])})
		for row, text := range test.rows {
			for column, c := range text {
				board[row][column] = c == 'x'
			}
		}
		if got := InARow(board, test.k); got != test.want {
			t.Errorf("%d in a row in %q: %t; want %t", test.k, test.rows, got, test.want)
		}
	}
}

// turn replaces planes with their image.
func turn(planes []float32, s game.Symmetry) {
	s.Apply(planes, slices.Clone(planes))
}
