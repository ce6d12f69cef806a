// Package evalcache caches evaluations of positions, which recur in other trees and games.
package evalcache

import (
	"math/bits"
	"sync"

	"tengen/game"
	"tengen/internal/random"
)

// Cache stores evaluations by position, side to move, model and, if the network sees it, last move. A colliding entry
// replaces the old one. Evaluations do not depend on the batch, so the cache does not affect searches. It is safe for
// concurrent use.
type Cache[S game.State[S]] struct {
	actions  int
	lastMove bool // part of the key
	shards   []shard
}

type shard struct {
	mu      sync.Mutex
	entries []entry
	priors  []float32 // [entries, actions]
}

type entry struct {
	key
	value float32
}

type key struct {
	position game.Key
	model    uint64
	last     game.Action
	toMove   game.Side // never 0, so no key equals the zero entry's
}

const shardCount = 64

// New returns a cache of about that size; for 0 nil, a valid cache that stores nothing. Without lastMove, positions
// that differ only in the last move share an evaluation.
func New[S game.State[S]](megabytes, actions int, lastMove bool) *Cache[S] {
	entrySize := 48 + 4*actions
	n := megabytes << 20 / entrySize / shardCount
	if n == 0 {
		return nil
	}
	c := &Cache[S]{actions: actions, lastMove: lastMove, shards: make([]shard, shardCount)}
	for i := range c.shards {
		c.shards[i].entries = make([]entry, n)
		c.shards[i].priors = make([]float32, n*actions)
	}
	return c
}

// Get returns the model's value of s and copies its prior to prior [actions], or returns false if they are not cached.
func (c *Cache[S]) Get(model uint64, s S, prior []float32) (value float32, ok bool) {
	if c == nil {
		return 0, false
	}
	k := c.key(model, s)
	sh, i := c.place(k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.entries[i].key != k {
		return 0, false
	}
	copy(prior, sh.priors[i*c.actions:(i+1)*c.actions])
	return sh.entries[i].value, true
}

// Put stores the model's evaluation of s.
func (c *Cache[S]) Put(model uint64, s S, prior []float32, value float32) {
	if c == nil {
		return
	}
	k := c.key(model, s)
	sh, i := c.place(k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.entries[i] = entry{k, value}
	copy(sh.priors[i*c.actions:(i+1)*c.actions], prior)
}

func (c *Cache[S]) key(model uint64, s S) key {
	k := key{s.Key(), model, game.None, s.ToMove()}
	if c.lastMove {
		k.last = s.Last()
	}
	return k
}

// place returns a key's shard and index.
func (c *Cache[S]) place(k key) (*shard, int) {
	h := random.Mix(k.position[0])
	for _, x := range [...]uint64{k.position[1], uint64(k.last), k.model} {
		h = random.Mix(h ^ x)
	}
	sh := &c.shards[h%shardCount]
	i, _ := bits.Mul64(h, uint64(len(sh.entries)))
	return sh, int(i)
}
