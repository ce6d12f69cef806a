package conformance

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"

	"tengen/game"
)

func description[S game.State[S]](g game.Game[S]) error {
	size := g.Board()
	columns, rows := g.Labels()
	switch {
	case g.Name() == "":
		return fmt.Errorf("the game has no name")
	case size.Rows < 1 || size.Columns < 1 || g.Planes() < 1:
		return fmt.Errorf("%d planes of %v", g.Planes(), size)
	case g.Actions() < 1 || g.Actions() > math.MaxInt16 || g.MaxPlies() < 1 || g.MaxPlies() > math.MaxInt16:
		return fmt.Errorf("%d moves, up to %d plies: both must be from 1 to %d", g.Actions(), g.MaxPlies(), math.MaxInt16)
	case columns != nil && len(columns) != size.Columns || rows != nil && len(rows) != size.Rows:
		return fmt.Errorf("%v, but labels for %d columns and %d rows", size, len(columns), len(rows))
	}
	return nil
}

// comparability checks that == works on positions. An uncomparable type compiles, but panics when compared.
func comparability[S game.State[S]](g game.Game[S]) error {
	if !reflect.TypeFor[S]().Comparable() {
		return fmt.Errorf("type %v cannot be compared", reflect.TypeFor[S]())
	}
	if any(g.Start()) != any(g.Start()) {
		return fmt.Errorf("two starting positions of one game differ")
	}
	return nil
}

func display[S game.State[S]](g game.Game[S]) error {
	switch any(g.Start()).(type) {
	case game.Diagram, fmt.Stringer:
		return nil
	}
	return fmt.Errorf("type %v is not a game.Diagram and has no String method", reflect.TypeFor[S]())
}

func start[S game.State[S]](g game.Game[S]) error {
	s := g.Start()
	if _, over := s.Outcome(); over || len(s.Legal(nil)) == 0 {
		return fmt.Errorf("start: over %t, legal moves %v", over, s.Legal(nil))
	}
	if s.Last() != game.None || s.ToMove() != game.First {
		return fmt.Errorf("start: last move %d, %v to move", s.Last(), s.ToMove())
	}
	return nil
}

// ending checks that the games of the sample end, and that no move is legal then.
func ending[S game.State[S]](g game.Game[S]) error {
	for n := range sampled {
		if err := randomGame(g, n, func(_ []game.Action, s S) error {
			legal := s.Legal(nil)
			if _, over := s.Outcome(); over && len(legal) > 0 {
				return fmt.Errorf("%s, but %s is legal", outcomeText(s), s.Format(legal[0]))
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func legalOrder[S game.State[S]](g game.Game[S], moves []game.Action, s S) error {
	legal := s.Legal(nil)
	for i, a := range legal {
		if a < 0 || int(a) >= g.Actions() || i > 0 && a <= legal[i-1] {
			return fmt.Errorf("the numbers of the legal moves do not ascend within [0, %d): %v", g.Actions(), legal)
		}
	}
	prefix := []game.Action{-7, 7}
	if got, want := s.Legal(slices.Clone(prefix)), append(prefix, legal...); !slices.Equal(got, want) {
		return fmt.Errorf("moves are not appended to %v: Legal returns %v; want %v", prefix, got, want)
	}
	return nil
}

func turns[S game.State[S]](g game.Game[S], moves []game.Action, s S) error {
	switch {
	case s.Ply() != len(moves):
		return fmt.Errorf("ply %d after %d moves", s.Ply(), len(moves))
	case s.ToMove() != game.Mover(len(moves)):
		return fmt.Errorf("the %v is to move after %d moves", s.ToMove(), len(moves))
	case len(moves) > 0 && s.Last() != moves[len(moves)-1]:
		return fmt.Errorf("the last move is %d; want %d", s.Last(), moves[len(moves)-1])
	}
	return nil
}

func illegalMoves[S game.State[S]](g game.Game[S], _ []game.Action, s S) error {
	legal := s.Legal(nil)
	for a := game.Action(-1); int(a) <= g.Actions(); a++ {
		if slices.Contains(legal, a) {
			continue
		}
		if !panics(func() { s.Play(a) }) {
			return fmt.Errorf("playing move number %d, which is illegal, does not panic: legal are %s", a, game.LegalMoves(s))
		}
	}
	return nil
}

type view struct {
	legal  []game.Action
	z      float32
	over   bool
	toMove game.Side
	planes []float32
	key    game.Key
	last   game.Action
	ply    int
}

func look[S game.State[S]](g game.Game[S], s S) view {
	z, over := s.Outcome()
	return view{s.Legal(nil), z, over, s.ToMove(), encode(g, s), s.Key(), s.Last(), s.Ply()}
}

// immutability checks that Play changes neither its receiver nor a position it returned before.
func immutability[S game.State[S]](g game.Game[S], _ []game.Action, s S) error {
	legal := s.Legal(nil)
	if len(legal) == 0 {
		return nil
	}
	one, other := legal[0], legal[len(legal)-1]
	name, otherName := s.Format(one), s.Format(other)
	before := look(g, s)
	child := s.Play(one)
	if !reflect.DeepEqual(look(g, s), before) {
		return fmt.Errorf("playing %s changes the position in which it is played", name)
	}
	childBefore := look(g, child)
	s.Play(other).Legal(nil)
	if !reflect.DeepEqual(look(g, child), childBefore) {
		return fmt.Errorf("playing %s changes the position that playing %s has returned", otherName, name)
	}
	return nil
}

func outcome[S game.State[S]](_ game.Game[S], _ []game.Action, s S) error {
	z, over := s.Outcome()
	if !over && z != 0 {
		return fmt.Errorf("the game is not over, but its outcome is %v", z)
	}
	if z != -1 && z != 0 && z != 1 {
		return fmt.Errorf("the outcome is %v; want -1, 0 or 1", z)
	}
	return nil
}

// allocation checks the calls that a search makes per node. Legal gets a large enough buffer.
func allocation[S game.State[S]](g game.Game[S]) error {
	planes := make([]float32, game.InputLen(g))
	legal := make([]game.Action, 0, g.Actions())
	s := g.Start()
	type step struct {
		name string
		do   func()
	}
	steps := []step{
		{"Legal", func() { legal = s.Legal(legal[:0]) }},
		{"Play", func() { s.Play(legal[0]) }},
		{"Outcome", func() { s.Outcome() }},
		{"Encode", func() { s.Encode(planes) }},
		{"Key", func() { s.Key() }},
	}
	if position, ok := any(&s).(game.Alignment); ok {
		words := (g.Board().Cells() + 63) / 64
		first, second := make([]uint64, words), make([]uint64, words)
		steps = append(steps, step{"Stones", func() { position.Stones(first, second) }},
			step{"Lines", func() { position.Lines() }})
	}
	for _, step := range steps {
		if n := allocations(step.do); n != 0 {
			return fmt.Errorf("at the start, %s allocates %d times a call: that makes searches slower, not wrong. "+
				"An array on the stack avoids it: var buffer [64]game.Action; legal := s.Legal(buffer[:0])", step.name, n)
		}
	}
	return nil
}

// allocations returns the mean number of allocations of a call, rounded down, so that a few of the runtime do not
// count.
func allocations(do func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const calls = 10
	do()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		do()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / calls
}
