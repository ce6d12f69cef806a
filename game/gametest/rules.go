package gametest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
)

// description checks what a Game says of its board.
func description[S game.State[S]](g game.Game[S]) error {
	height, width := g.Board()
	columns, rows := g.Labels()
	switch {
	case g.Name() == "":
		return fmt.Errorf("the game has no name")
	case height < 1 || width < 1 || g.Actions() < 1:
		return fmt.Errorf("board %dx%d with %d actions", height, width, g.Actions())
	case len(columns) != width || rows != nil && len(rows) != height:
		return fmt.Errorf("board %dx%d with labels for %d rows and %d columns", height, width, len(rows), len(columns))
	}
	return nil
}

// comparability checks that == works on positions: an uncomparable type compiles, and panics when compared.
func comparability[S game.State[S]](g game.Game[S]) error {
	if !reflect.TypeFor[S]().Comparable() {
		return fmt.Errorf("type %v cannot be compared", reflect.TypeFor[S]())
	}
	if any(g.Start()) != any(g.Start()) {
		return fmt.Errorf("two starting positions of one game differ")
	}
	return nil
}

func start[S game.State[S]](g game.Game[S]) error {
	s := g.Start()
	if _, over := s.Outcome(); over || s.Last() != game.None || len(s.Legal(nil)) == 0 {
		return fmt.Errorf("start: over %t, last move %d, legal moves %v", over, s.Last(), s.Legal(nil))
	}
	for i, v := range encode(g, s)[:3*cellCount(g)] {
		if v != 0 {
			return fmt.Errorf("start: element %d of the first three planes is %v; want an empty board", i, v)
		}
	}
	return nil
}

// ending checks that every game ends by the time the board is full, and that no moves are legal then. visit sees to the
// rest: that a game which goes on has a legal move.
func ending[S game.State[S]](g game.Game[S]) error {
	return visit(g, func(moves []game.Action, s S) error {
		legal := s.Legal(nil)
		if _, over := s.Outcome(); over && len(legal) > 0 {
			return fmt.Errorf("the game is over, but moves %v are legal", legal)
		}
		return nil
	})
}

func legalOrder[S game.State[S]](g game.Game[S]) error {
	return visit(g, func(moves []game.Action, s S) error {
		legal := s.Legal(nil)
		for i, a := range legal {
			if a < 0 || int(a) >= g.Actions() || i > 0 && a <= legal[i-1] {
				return fmt.Errorf("legal moves %v do not ascend within [0, %d)", legal, g.Actions())
			}
		}
		prefix := []game.Action{-7, 7}
		if got, want := s.Legal(slices.Clone(prefix)), append(prefix, legal...); !slices.Equal(got, want) {
			return fmt.Errorf("legal moves appended to %v give %v; want %v", prefix[:2], got, want)
		}
		return nil
	})
}

func plies[S game.State[S]](g game.Game[S]) error {
	return visit(g, func(moves []game.Action, s S) error {
		if s.Ply() != len(moves) {
			return fmt.Errorf("ply %d after %d moves", s.Ply(), len(moves))
		}
		return nil
	})
}

func illegalMoves[S game.State[S]](g game.Game[S]) error {
	return visit(g, func(moves []game.Action, s S) error {
		legal := s.Legal(nil)
		for a := game.Action(-1); int(a) <= g.Actions(); a++ {
			if slices.Contains(legal, a) {
				continue
			}
			if !panics(func() { s.Play(a) }) {
				return fmt.Errorf("playing %s, which is illegal, does not panic", g.FormatAction(a))
			}
		}
		return nil
	})
}

// view is everything that a position shows of itself.
type view struct {
	legal  []game.Action
	z      float32
	over   bool
	planes []float32
	key    game.Key
	last   game.Action
}

func look[S game.State[S]](g game.Game[S], s S) view {
	z, over := s.Outcome()
	return view{s.Legal(nil), z, over, encode(g, s), s.Key(), s.Last()}
}

// immutability checks that playing moves changes neither the position nor the one that another move has led to.
func immutability[S game.State[S]](g game.Game[S]) error {
	return visit(g, func(moves []game.Action, s S) error {
		legal := s.Legal(nil)
		if len(legal) == 0 {
			return nil
		}
		first, last := legal[0], legal[len(legal)-1]
		copied, before := s, look(g, s)
		child := s.Play(first)
		childBefore := look(g, child)
		s.Play(last).Legal(nil)
		if any(s) != any(copied) || !reflect.DeepEqual(look(g, s), before) {
			return fmt.Errorf("playing %s and %s changed the position", g.FormatAction(first), g.FormatAction(last))
		}
		if !reflect.DeepEqual(look(g, child), childBefore) {
			return fmt.Errorf("playing %s changed the position after %s", g.FormatAction(last), g.FormatAction(first))
		}
		return nil
	})
}

func outcome[S game.State[S]](g game.Game[S]) error {
	return visit(g, func(moves []game.Action, s S) error {
		z, over := s.Outcome()
		if !over && z != 0 {
			return fmt.Errorf("the game goes on, but its outcome is %v", z)
		}
		if over && z != -1 && z != 0 {
			return fmt.Errorf("the outcome is %v for the side to move, which cannot have won; want -1 or 0", z)
		}
		return nil
	})
}

// allocation checks what the search does once per node. Legal gets a buffer that is large enough.
func allocation[S game.State[S]](g game.Game[S]) error {
	planes := make([]float32, game.Planes*cellCount(g))
	legal := make([]game.Action, 0, g.Actions())
	s := g.Start()
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Legal", func() { legal = s.Legal(legal[:0]) }},
		{"Play", func() { s.Play(legal[0]) }},
		{"Outcome", func() { s.Outcome() }},
		{"Encode", func() { s.Encode(planes) }},
		{"Key", func() { s.Key() }},
	} {
		if n := testing.AllocsPerRun(10, step.do); n != 0 {
			return fmt.Errorf("%s allocates %v times", step.name, n)
		}
	}
	return nil
}
