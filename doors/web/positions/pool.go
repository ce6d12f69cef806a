package positions

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/memo"
	"tengen/players"
)

// pool owns what thinks and what that has found: thinkers with their trees, networks with their evaluations, solvers
// with their tables. It also owns the queue of the searches that use these tools. A search takes a tool, or makes one
// and adds it, and puts it back for later searches, which go on from there.
//
// Invariant: all tools together take at most limit megabytes, unless those in use alone take more: the others make
// room, the least recently used first. Tools are made and used without the lock, so a slow one delays no other request.
type pool struct {
	*queue
	limit   int
	opening memo.Turns // by path of a model

	mu    sync.Mutex
	tools []*tool // least recently used first
}

// tool is one of the things that a pool owns. One of thinker, network and solver is set.
type tool struct {
	key       string        // says what the tool is for
	moves     []game.Action // to a thinker's position; its user may change them
	megabytes int           // that it may take
	asks      *tool         // the network that a thinker asks, which stays as long as the thinker
	users     int           // networks have many, other tools one. pool.mu guards users

	thinker engine.Thinker
	network engine.Network
	solver  engine.Solver
}

const (
	spareTrees       = 5  // that a pool keeps beside those in use, or other tools of that size
	solverMegabytes  = 32 // of a solver's table
	networkMegabytes = 64 // of evaluations
	bareMegabytes    = 1  // of evaluations by a network that does not search
)

func newPool(searches int) *pool {
	return &pool{queue: newQueue(searches), limit: (searches + spareTrees) * players.TreeMegabytes}
}

// take returns the most recently used tool of a key at the position after some moves, nil if none is free.
func (p *pool) take(key string, moves []game.Action) *tool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range slices.Backward(p.tools) {
		if (t.users == 0 || t.network != nil) && t.key == key && slices.Equal(t.moves, moves) {
			t.users++
			return t
		}
	}
	return nil
}

// add adds a new tool, which its maker uses.
func (p *pool) add(t *tool) *tool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.users = 1
	p.keep(t)
	return t
}

// put ends a use of a tool, which is dropped if it is of no use to others.
func (p *pool) put(t *tool, useful bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.users--
	p.remove(t)
	if useful {
		p.keep(t)
	}
}

func (p *pool) remove(t *tool) {
	p.tools = slices.DeleteFunc(p.tools, func(other *tool) bool { return other == t })
	if t.asks != nil {
		t.asks.users--
	}
}

// keep appends a tool, and makes room for it.
func (p *pool) keep(t *tool) {
	if t.asks != nil {
		t.asks.users++
	}
	p.tools = append(p.tools, t)
	sum := 0
	for _, t := range p.tools {
		sum += t.megabytes
	}
	for sum > p.limit {
		i := slices.IndexFunc(p.tools, func(t *tool) bool { return t.users == 0 })
		if i < 0 {
			return
		}
		sum -= p.tools[i].megabytes
		p.remove(p.tools[i])
	}
}

// openNetwork returns a model's network for a game, with that many megabytes of evaluations. Many who want the same one
// take the memory of one: they wait until it is open, or until ctx ends.
func (p *pool) openNetwork(ctx context.Context, e engine.Game, path string, megabytes int) (*tool, error) {
	leave, err := p.opening.Enter(ctx, path)
	if err != nil {
		return nil, err
	}
	defer leave()
	version := memo.VersionOf(path)
	key := fmt.Sprintf("%s|%s|%v|%d", e.Info().Name, path, version, megabytes)
	if t := p.take(key, nil); t != nil {
		return t, nil
	}
	n, err := engine.OpenNetwork(e, path, engine.PlayerOptions{Megabytes: megabytes})
	if err != nil {
		return nil, err
	}
	return p.add(&tool{key: key, megabytes: megabytes + int(version.Size>>20), network: n}), nil
}

func (p *pool) openSolver(e engine.Game, threads int) (*tool, error) {
	key := "solver|" + e.Info().Name
	if t := p.take(key, nil); t != nil {
		return t, nil
	}
	made, err := e.Solver(engine.SolverOptions{TableMegabytes: solverMegabytes, Threads: threads})
	if err != nil {
		return nil, err
	}
	return p.add(&tool{key: key, megabytes: solverMegabytes, solver: made}), nil
}
