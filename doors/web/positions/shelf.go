package positions

import (
	"slices"
	"sync"
)

// shelf keeps what searches have used for later ones, which go on from there. The least recently used makes room, and is
// closed if it can be.
type shelf[T any] struct {
	spares int // kept beside those in use

	mu   sync.Mutex
	kept []labelled[T] // least recently used first
}

type labelled[T any] struct {
	label string // says what it is for
	thing T
}

// take takes one with that label off the shelf, if there is one.
func (s *shelf[T]) take(label string) (thing T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kept, func(l labelled[T]) bool { return l.label == label })
	if i < 0 {
		return thing, false
	}
	thing = s.kept[i].thing
	s.kept = slices.Delete(s.kept, i, i+1)
	return thing, true
}

func (s *shelf[T]) put(label string, thing T) {
	s.mu.Lock()
	s.kept = append(s.kept, labelled[T]{label, thing})
	s.mu.Unlock()
	s.keep(s.spares)
}

// keep keeps the most recently used, at most n.
func (s *shelf[T]) keep(n int) {
	s.mu.Lock()
	gone := max(0, len(s.kept)-n)
	closing := slices.Clone(s.kept[:gone])
	s.kept = slices.Delete(s.kept, 0, gone)
	s.mu.Unlock()
	for _, l := range closing {
		if c, ok := any(l.thing).(interface{ Close() }); ok {
			c.Close()
		}
	}
}
