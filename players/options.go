package players

import (
	"fmt"
	"runtime"
	"time"
)

// Options configure a Thinker.
type Options struct {
	// Threads is the number of goroutines that search, 1 to 256: evaluators for a network, trees for UCT. Results
	// differ slightly with the number of threads.
	Threads int
	// Batch is the number of leaves in one network evaluation, 1 to 64. Stopping waits for the evaluations in progress,
	// so small batches stop sooner and large ones are more efficient.
	Batch int
	// MaxNodes ends a thought when its tree reaches this many simulations, whatever the Limit, so pondering cannot
	// exhaust memory. Each takes at most one position of 24 bytes per legal move, and Advance copies the part it keeps.
	// 0 means about a gigabyte.
	MaxNodes int
	// Interval is the minimum time between two partial reports.
	Interval time.Duration
	// Seed determines random moves, random playouts, and the choice among equal moves.
	Seed uint64
}

// Default returns Options that use all cores and small batches and report ten times a second.
func Default() Options {
	return Options{Threads: runtime.GOMAXPROCS(0), Batch: 8, Interval: 100 * time.Millisecond, Seed: 1}
}

// Validate returns an error that names the first option out of range.
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

// Nodes returns the number of positions that fit in a tree of the given size, for a game with that many actions. Each
// takes up to 24 bytes per action; a quarter of the memory is reserved for growth.
func Nodes(megabytes, actions int) int { return megabytes << 15 / actions }

// nodes returns MaxNodes for a game with that many actions.
func (o Options) nodes(actions int) int {
	if o.MaxNodes == 0 {
		return Nodes(1<<10, actions)
	}
	return o.MaxNodes
}
