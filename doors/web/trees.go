package web

import (
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"tengen/engine"
	"tengen/game"
)

// keptTrees is the maximum number of kept thinkers, and of kept networks. Kept trees take at most a gigabyte together,
// and each search that runs a quarter.
const (
	keptTrees     = 4
	treeMegabytes = 256
)

// thinker is an engine.Thinker with the moves of its position. One goroutine uses it at a time.
type thinker struct {
	engine.Thinker
	key   string // the player: thinkers with the same key are interchangeable
	moves []game.Action
}

// trees keeps networks and idle thinkers. Later searches continue the thinkers' trees.
type trees struct {
	most int

	mu       sync.Mutex
	idle     []*thinker // most recently used first
	networks []loaded   // most recently used first
	opening  singleflight.Group
}

type loaded struct {
	key     string
	network engine.Network
}

func newTrees(most int) *trees { return &trees{most: most} }

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
	t.idle = slices.Delete(t.idle, min(len(t.idle), t.most), len(t.idle))
}

// network returns the network under a key. It calls open if there is none, outside the lock and once for all who wait.
func (t *trees) network(key string, open func() (engine.Network, error)) (engine.Network, error) {
	if n := t.opened(key); n != nil {
		return n, nil
	}
	n, err, _ := t.opening.Do(key, func() (any, error) {
		n, err := open()
		if err != nil {
			return nil, err
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.networks = slices.Insert(t.networks, 0, loaded{key, n})
		t.networks = slices.Delete(t.networks, min(len(t.networks), t.most), len(t.networks))
		return n, nil
	})
	if err != nil {
		return nil, err
	}
	return n.(engine.Network), nil
}

// opened returns a kept network, nil if there is none, and marks it as the most recently used.
func (t *trees) opened(key string) engine.Network {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, l := range t.networks {
		if l.key == key {
			t.networks = slices.Insert(slices.Delete(t.networks, i, i+1), 0, l)
			return l.network
		}
	}
	return nil
}
