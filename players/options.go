package players

import (
	"cmp"
	"runtime"
	"time"

	"tengen/internal/limits"
)

// Options configure a Thinker.
type Options struct {
	// Threads is the number of goroutines with which a network searches, 1 to 256. It affects results.
	Threads int
	// Batch is the number of leaves per network evaluation, 1 to 64. Small batches stop sooner, large ones are faster.
	Batch int
	// MaxNodes limits the tree, whatever the Limit, to bound its memory. 0 means a gigabyte.
	MaxNodes int
	// Interval is the minimum time between partial reports.
	Interval time.Duration
	// Seed determines random moves, random playouts, and the choice among equal moves.
	Seed uint64

	speculative bool // several leaves in flight, see leavesInFlight; true in thinkers
}

// Default returns Options that use all cores and small batches.
func Default() Options {
	return Options{Threads: runtime.GOMAXPROCS(0), Batch: 8, Interval: 100 * time.Millisecond, Seed: 1}
}

// Validate returns an error that names the first option out of range.
func (o Options) Validate() error {
	return cmp.Or(
		limits.Int("threads", o.Threads, 1, 256),
		limits.Int("batch", o.Batch, 1, 64),
		limits.Int("max_nodes", o.MaxNodes, 0, 1<<40),
	)
}

// TreeMegabytes is the size of an Answerer's trees, and the usual one in a program that searches several at once. It is
// the same on every machine, and so are the answers.
const TreeMegabytes = 256

// Nodes returns the number of positions that fit in a tree of the given size (see mcts.Search.LimitNodes). A fifth of
// the memory is left for growth and for what the garbage collector has not collected yet.
func Nodes(megabytes, actions int) int { return megabytes << 20 / (30 * (actions + 1)) }

func (o Options) nodes(actions int) int {
	if o.MaxNodes == 0 {
		return Nodes(1<<10, actions)
	}
	return o.MaxNodes
}
