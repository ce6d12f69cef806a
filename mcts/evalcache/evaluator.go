package evalcache

import (
	"tengen/game"
	"tengen/mcts"
)

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
