package conformance

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
)

// faulty is tic-tac-toe with some of its methods replaced, to see whether the suite notices.
type faulty struct {
	*mnk.Game
	fault
}

// fault holds the replaced methods; zeros stand for the right ones.
type fault struct {
	Legal      func(s mnk.State, dst []game.Action) []game.Action
	Play       func(s state, a game.Action) state
	Outcome    func(s mnk.State) (float32, bool)
	Encode     func(s mnk.State, planes []float32)
	Key        func(s mnk.State) game.Key
	Ply        func(s mnk.State) int
	ToMove     func(s mnk.State) game.Side
	Cell       func(s mnk.State, cell int) game.Side
	Target     func(s mnk.State, a game.Action) game.Target
	Lines      func(s mnk.State) *game.LineSet
	Stones     func(s mnk.State, first, second []uint64)
	Planes     int
	Plies      int
	Symmetries []game.Symmetry
	Format     func(s mnk.State, a game.Action) string
	FromStones func(g *mnk.Game, cells []game.Side, toMove game.Side, last game.Action) (mnk.State, error)
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

func (f *faulty) Planes() int   { return f.fault.Planes }
func (f *faulty) MaxPlies() int { return f.fault.Plies }

func (f *faulty) Symmetries() []game.Symmetry { return f.fault.Symmetries }

func (f *faulty) FromStones(cells []game.Side, toMove game.Side, last game.Action) (state, error) {
	s, err := f.fault.FromStones(f.Game, cells, toMove, last)
	return state{s, f}, err
}

func (s state) Legal(dst []game.Action) []game.Action { return s.game.fault.Legal(s.State, dst) }
func (s state) Play(a game.Action) state              { return s.game.fault.Play(s, a) }
func (s state) Outcome() (float32, bool)              { return s.game.fault.Outcome(s.State) }
func (s state) Encode(planes []float32)               { s.game.fault.Encode(s.State, planes) }
func (s state) Key() game.Key                         { return s.game.fault.Key(s.State) }
func (s state) Ply() int                              { return s.game.fault.Ply(s.State) }
func (s state) ToMove() game.Side                     { return s.game.fault.ToMove(s.State) }
func (s state) Cell(cell int) game.Side               { return s.game.fault.Cell(s.State, cell) }
func (s state) Format(a game.Action) string           { return s.game.fault.Format(s.State, a) }
func (s state) Target(a game.Action) game.Target      { return s.game.fault.Target(s.State, a) }
func (s state) Lines() *game.LineSet                  { return s.game.fault.Lines(s.State) }
func (s state) Stones(first, second []uint64)         { s.game.fault.Stones(s.State, first, second) }

// ticTacToe returns tic-tac-toe with a fault.
func ticTacToe(f fault) *faulty {
	g := mnk.TicTacToe()
	right := fault{
		Legal: mnk.State.Legal, Outcome: mnk.State.Outcome, Encode: mnk.State.Encode, Key: mnk.State.Key,
		Ply: mnk.State.Ply, ToMove: mnk.State.ToMove, Cell: mnk.State.Cell,
		Target: mnk.State.Target, Lines: mnk.State.Lines, Stones: mnk.State.Stones,
		Planes: g.Planes(), Plies: g.MaxPlies(), Symmetries: g.Symmetries(),
		Format: mnk.State.Format, FromStones: (*mnk.Game).FromStones,
		Play: func(s state, a game.Action) state {
			s.State = s.State.Play(a)
			return s
		},
	}
	for i, fields := 0, reflect.ValueOf(&f).Elem(); i < fields.NumField(); i++ {
		if field := fields.Field(i); field.IsZero() {
			field.Set(reflect.ValueOf(right).Field(i))
		}
	}
	return &faulty{g, f}
}

// found returns what the checks find about a game, without what is kept or skipped, by claim.
func found[S game.State[S]](g game.Game[S], perft ...uint) map[string]Finding {
	all := map[string]Finding{}
	for _, f := range Check(g, perft...).Findings {
		if f.Level != Kept && f.Level != Skipped {
			all[f.Claim] = f
		}
	}
	return all
}

func TestSoundGamePasses(t *testing.T) {
	for name, f := range found(ticTacToe(fault{})) {
		t.Errorf("%s: %v", name, f)
	}
}

// Each fault breaks the claim that it should, and no other: one cause gives one failure, in one line.
func TestFaultsAreFound(t *testing.T) {
	for name, test := range faults() {
		t.Run(name, func(t *testing.T) {
			all := found(ticTacToe(test.fault))
			if f := all[test.breaks]; f.Text == "" || strings.Contains(f.Text, "\n") {
				t.Errorf("the checks do not find that %q is broken, in a line; they find %v", test.breaks, all)
			}
			delete(all, test.breaks)
			for _, f := range all {
				if f.Level == Failure {
					t.Errorf("besides %q they find %v", test.breaks, f)
				}
			}
		})
	}
}

// A mistake that only the games of the sample show is a failure that names the position, too.
func TestRareMistake(t *testing.T) {
	var end game.Key
	if err := randomGame(ticTacToe(fault{}), sampled-1, func(_ []game.Action, s state) error { end = s.Key(); return nil }); err != nil {
		t.Fatal(err)
	}
	r := Check(ticTacToe(fault{Play: func(s state, a game.Action) state {
		if s.State = s.State.Play(a); s.Key() == end {
			panic("not here")
		}
		return s
	}}))
	if !slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Level == Failure && strings.HasSuffix(f.Text, `")`) && strings.Contains(f.Text, "panic at faulty_test.go")
	}) {
		t.Errorf("%v", r.Findings)
	}
}

// ended is a finished game, with a result for the side to move.
type ended struct {
	mnk.State
	z     float32
	mover game.Side
}

func (s ended) Play(game.Action) ended                { panic("over") }
func (s ended) Legal(dst []game.Action) []game.Action { return dst }
func (s ended) Outcome() (float32, bool)              { return s.z, true }
func (s ended) ToMove() game.Side                     { return s.mover }

// Results are for the side to move: the same winner is another result if the other side is to move.
func TestUnequalResults(t *testing.T) {
	for _, test := range []struct {
		a, b ended
		want string
	}{
		{ended{z: -1, mover: game.First}, ended{z: -1, mover: game.Second}, ""},
		{ended{z: -1, mover: game.First}, ended{z: 1, mover: game.Second},
			"in the first the second player has won, the first player to move, in the second the second player has won, the second player to move"},
	} {
		if got := unequal(test.a, test.b, sameResult[ended], ""); got != test.want {
			t.Errorf("%+v and %+v: %q; want %q", test.a, test.b, got, test.want)
		}
	}
}
