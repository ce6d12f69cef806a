package selfplay

import (
	"math/bits"
	"sync"

	"tengen/game"
	"tengen/internal/random"
)

// cache keeps evaluations by position and model, so that a position met again by any worker costs nothing. The network also
// sees the last move and whether the first player is to move, so these are in the key. A colliding entry replaces the old one. Evaluations
// don't depend on who made them, so neither do games on what the cache happens to hold. Safe for concurrent use.
type cache[S game.State[S]] struct {
	actions int
	shards  []shard
}

type shard struct {
	mu      sync.Mutex
	entries []cacheEntry
	priors  []float32 // [entries, actions]
}

type cacheEntry struct {
	cacheKey
	value float32
}

type cacheKey struct {
	position game.Key
	model    uint64
	last     game.Action
	toMove   game.Side // not 0, which tells the zero entry from every key
}

const cacheShards = 64

// newCache returns a cache of about the given size for a game with that many actions; nil, which is a valid cache that holds
// nothing, for size 0.
func newCache[S game.State[S]](megabytes, actions int) *cache[S] {
	entrySize := 48 + 4*actions
	n := megabytes << 20 / entrySize / cacheShards
	if n == 0 {
		return nil
	}
	c := &cache[S]{actions: actions, shards: make([]shard, cacheShards)}
	for i := range c.shards {
		c.shards[i].entries = make([]cacheEntry, n)
		c.shards[i].priors = make([]float32, n*actions)
	}
	return c
}

// get copies the prior of s to prior [actions] and returns its value, if the model's evaluation of s is there.
func (c *cache[S]) get(model uint64, s S, prior []float32) (value float32, ok bool) {
	if c == nil {
		return 0, false
	}
	key := cacheKey{s.Key(), model, s.Last(), s.ToMove()}
	sh, i := c.place(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.entries[i].cacheKey != key {
		return 0, false
	}
	copy(prior, sh.priors[i*c.actions:(i+1)*c.actions])
	return sh.entries[i].value, true
}

// put stores the model's evaluation of s.
func (c *cache[S]) put(model uint64, s S, prior []float32, value float32) {
	if c == nil {
		return
	}
	key := cacheKey{s.Key(), model, s.Last(), s.ToMove()}
	sh, i := c.place(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.entries[i] = cacheEntry{key, value}
	copy(sh.priors[i*c.actions:(i+1)*c.actions], prior)
}

// place returns the only place where key can be.
func (c *cache[S]) place(key cacheKey) (*shard, int) {
	h := random.Mix(key.position[0])
	for _, x := range [...]uint64{key.position[1], uint64(key.last), key.model} {
		h = random.Mix(h ^ x)
	}
	sh := &c.shards[h%cacheShards]
	i, _ := bits.Mul64(h, uint64(len(sh.entries)))
	return sh, int(i)
}
