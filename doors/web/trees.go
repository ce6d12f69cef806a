package web

import (
	"slices"
	"sync"

	"tengen/engine"
	"tengen/game"
)

// keptTrees is the maximum number of kept thinkers, and of kept networks. A tree takes at most players.TreeMegabytes.
const keptTrees = 4

// thinker is an engine.Thinker with the moves of its position. One goroutine uses it at a time.
type thinker struct {
	engine.Thinker
	key   string // the player: thinkers with the same key are interchangeable
	moves []game.Action
}

// trees keeps idle thinkers. Later searches continue their trees.
type trees struct {
	limit int

	mu   sync.Mutex
	idle []*thinker // most recently used first
}

func newTrees(limit int) *trees { return &trees{limit: limit} }

// take returns the thinker at the position or at most two moves before it, or nil if there is none.
func (t *trees) take(key string, moves []game.Action) *thinker {
	t.mu.Lock()
	defer t.mu.Unlock()
	for back := range min(3, len(moves)+1) {
		there := moves[:len(moves)-back]
		i := slices.IndexFunc(t.idle, func(th *thinker) bool { return th.key == key && slices.Equal(th.moves, there) })
		if i >= 0 {
			th := t.idle[i]
			t.idle = slices.Delete(t.idle, i, i+1)
			return th
		}
	}
	return nil
}

func (t *trees) put(th *thinker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = slices.Insert(t.idle, 0, th)
	t.idle = slices.Delete(t.idle, min(len(t.idle), t.limit), len(t.idle))
}
