package players

import (
	"fmt"
	"runtime"
	"time"
)

// Options say how a Thinker works.
type Options struct {
	// Threads is the number of goroutines that search: evaluators of a network, trees of UCT. 1 to 256. The same search by
	// another number of threads finds something slightly different.
	Threads int
	// Batch is the number of leaves in one evaluation of a network, 1 to 64. A thought that is stopped waits for the
	// evaluations under way, so smaller ones stop sooner and larger ones are more efficient.
	Batch int
	// MaxNodes ends a thought when its tree has so many simulations, and so at most as many positions, whatever its Limit:
	// pondering must not use up the memory. A position takes 24 bytes for each of its legal moves, and what Advance keeps
	// is copied. 0: as many as take about a gigabyte.
	MaxNodes int
	// Interval is the least time between two partial reports.
	Interval time.Duration
	// Seed is that of random moves, of random playouts, and of the choice among equal moves.
	Seed uint64
}

// Default uses all cores, in small batches, and reports ten times a second.
func Default() Options {
	return Options{Threads: runtime.GOMAXPROCS(0), Batch: 8, Interval: 100 * time.Millisecond, Seed: 1}
}

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.Threads < 1 || o.Threads > 256:
		return fmt.Errorf("players: %d threads, allowed are 1 to 256", o.Threads)
	case o.Batch < 1 || o.Batch > 64:
		return fmt.Errorf("players: batch of %d leaves, allowed are 1 to 64", o.Batch)
	case o.MaxNodes < 0:
		return fmt.Errorf("players: max_nodes is %d, allowed are 0, which is about a gigabyte, and more", o.MaxNodes)
	case o.Interval < 0:
		return fmt.Errorf("players: interval of %v, allowed are 0 and more", o.Interval)
	}
	return nil
}

// Nodes is the number of positions of a tree that takes so many megabytes, in a game with that many actions: each takes up to 24 bytes
// an action, and a quarter is for growth.
func Nodes(megabytes, actions int) int { return megabytes << 15 / actions }

// nodes is MaxNodes for a game with that many actions.
func (o Options) nodes(actions int) int {
	if o.MaxNodes == 0 {
		return Nodes(1<<10, actions)
	}
	return o.MaxNodes
}
