// Package evalcache caches evaluations of positions, which recur in other trees and games.
package evalcache

import (
	"math"
	"math/bits"
	"sync"

	"tengen/game"
	"tengen/mcts"
)

// Cache stores evaluations by what the network sees, the legal moves and the model. A colliding entry replaces the old
// one. Evaluations do not depend on the batch, so the cache does not affect searches. It is safe for concurrent use.
type Cache[S game.State[S]] struct {
	game   game.Game[S]
	shards []shard
}

type shard struct {
	mu      sync.Mutex
	entries []entry
	priors  []float32 // [entries, actions]
}

type entry struct {
	key   game.Key
	value float32
}

const shardCount = 64

// New returns a cache of about that size; for 0 nil, a valid cache that stores nothing.
func New[S game.State[S]](megabytes int, g game.Game[S]) *Cache[S] {
	entrySize := 24 + 4*g.Actions() // an entry and its priors
	n := megabytes << 20 / entrySize / shardCount
	if n == 0 {
		return nil
	}
	c := &Cache[S]{game: g, shards: make([]shard, shardCount)}
	for i := range c.shards {
		c.shards[i].entries = make([]entry, n)
		c.shards[i].priors = make([]float32, n*g.Actions())
	}
	return c
}

// Reader reads and fills a cache. It is not safe for concurrent use.
type Reader[S game.State[S]] struct {
	cache  *Cache[S]
	planes []float32     // scratch, [Planes, H, W]
	legal  []game.Action // scratch
}

// Reader returns a new Reader.
func (c *Cache[S]) Reader() *Reader[S] {
	if c == nil {
		return &Reader[S]{}
	}
	return &Reader[S]{c, make([]float32, game.InputLen(c.game)), make([]game.Action, 0, c.game.Actions())}
}

// Get returns the model's value of s and copies its prior to prior [actions], or returns false if they are not cached.
func (r *Reader[S]) Get(model uint64, s S, prior []float32) (value float32, ok bool) {
	if r.cache == nil {
		return 0, false
	}
	k := r.key(model, s)
	sh, i := r.cache.place(k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.entries[i].key != k {
		return 0, false
	}
	copy(prior, sh.prior(i, len(prior)))
	return sh.entries[i].value, true
}

// Put stores the model's evaluation of s.
func (r *Reader[S]) Put(model uint64, s S, prior []float32, value float32) {
	if r.cache == nil {
		return
	}
	k := r.key(model, s)
	sh, i := r.cache.place(k)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.entries[i] = entry{k, value}
	copy(sh.prior(i, len(prior)), prior)
}

func (sh *shard) prior(i, actions int) []float32 { return sh.priors[i*actions : (i+1)*actions] }

// key hashes what the evaluation depends on: the model, the planes, whose values are 0 or 1, and the legal moves. It has
// 128 bits, so evaluations that differ practically never share one.
func (r *Reader[S]) key(model uint64, s S) game.Key {
	s.Encode(r.planes)
	hash := game.Key{0, 1}.Absorb(model)
	for rest := r.planes; len(rest) > 0; rest = rest[min(64, len(rest)):] {
		word := uint64(0)
		for i, v := range rest[:min(64, len(rest))] {
			word |= uint64(math.Float32bits(v)>>29) << i // 1 for 1, 0 for 0
		}
		hash = hash.Absorb(word)
	}
	r.legal = s.Legal(r.legal[:0])
	word, first := uint64(0), game.Action(0) // the legal ones of the moves from first on
	for _, a := range r.legal {
		for ; a >= first+64; first += 64 {
			hash, word = hash.Absorb(word), 0
		}
		word |= 1 << (a - first)
	}
	return hash.Absorb(word)
}

// place returns a key's shard and index.
func (c *Cache[S]) place(k game.Key) (*shard, int) {
	sh := &c.shards[k[0]%shardCount]
	i, _ := bits.Mul64(k[1], uint64(len(sh.entries)))
	return sh, int(i)
}

// Before returns an evaluator that asks ev only about uncached positions and stores the answers. Several such
// evaluators may share a cache for one model. They are not safe for concurrent use.
func (c *Cache[S]) Before(ev mcts.Evaluator[S]) mcts.Evaluator[S] {
	return &cached[S]{cache: c.Reader(), evaluator: ev}
}

// cached is Before's evaluator. The slices are scratch, for uncached leaves.
type cached[S game.State[S]] struct {
	cache     *Reader[S]
	evaluator mcts.Evaluator[S]
	leaves    []S
	at        []int // indices in the call
	priors    [][]float32
	values    []float32
}

// Evaluate implements mcts.Evaluator.
func (c *cached[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	c.leaves = c.leaves[:0]
	c.at = c.at[:0]
	c.priors = c.priors[:0]
	c.values = c.values[:0]
	for i, s := range leaves {
		value, ok := c.cache.Get(0, s, priors[i])
		if values[i] = value; ok {
			continue
		}
		c.leaves = append(c.leaves, s)
		c.at = append(c.at, i)
		c.priors = append(c.priors, priors[i])
		c.values = append(c.values, 0)
	}
	if len(c.leaves) == 0 {
		return nil
	}
	if err := c.evaluator.Evaluate(c.leaves, c.priors, c.values); err != nil {
		return err
	}
	for j, i := range c.at {
		values[i] = c.values[j]
		c.cache.Put(0, leaves[i], priors[i], values[i])
	}
	return nil
}
