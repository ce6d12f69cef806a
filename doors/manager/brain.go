package manager

import (
	"errors"
	"runtime/debug"

	"tengen/engine"
	"tengen/mcts"
	"tengen/players"
)

// Brain is a thinking player for a board and the manager's resources.
type Brain struct {
	Player  int            // of Options.Players
	Thinker engine.Thinker // not used by others during a thought
	Limit   players.Limit  // of its SPEC

	setup    brainSetup
	thinking chan struct{} // holds an element during a thought
}

// brainSetup holds a brain's parameters.
type brainSetup struct {
	player    int
	board     string
	resources Resources
}

// Resources are what a manager may limit.
type Resources struct {
	Memory  int64 // bytes of the process, at least MinMemory; 0: no limit
	Threads int   // search goroutines; 0: Options.Threads
	Depth   int   // plies of alpha-beta; 0: no limit
}

// MinMemory is enough for the program, a network and a small tree, in bytes.
const MinMemory = 100 << 20

// Wake makes s.Brain the first player, from the i-th on, that can play on the board. If none can, Wake returns the i-th
// player's error.
func (s *Session[C]) Wake(g engine.Game, i int) error {
	err := errors.New("there is no other player")
	for first := i; i < len(s.Players); i++ {
		c := brainSetup{i, g.Info().Name, s.door.Resources()}
		if s.Brain != nil && s.Brain.setup == c {
			return nil
		}
		b, failure := s.build(g, c)
		if failure == nil {
			s.Forget()
			s.Brain = b
			return nil
		}
		if i == first {
			err = failure
		}
	}
	return err
}

// Forget ends all thoughts and drops the brain with its findings.
func (s *Session[C]) Forget() {
	if s.Brain != nil {
		s.Brain.Thinker.Stop()
		s.Brain = nil
	}
}

func (s *Session[C]) build(g engine.Game, c brainSetup) (*Brain, error) {
	spec, r := s.Players[c.player], c.resources
	o := players.Options{Threads: s.Threads, Batch: batch, Interval: s.Interval, Seed: s.Seed}
	if r.Threads > 0 {
		o.Threads = r.Threads
	}
	memory := s.memoryLimit
	if r.Memory > 0 {
		memory = r.Memory / 10 * 8
		o.MaxNodes = r.treeNodes(g.Info().Actions)
	}
	debug.SetMemoryLimit(memory)
	if spec.Kind == players.KindAlphaBeta && spec.Limit == 0 && spec.Time == 0 {
		spec.Limit = r.Depth
	}
	player, err := g.Player(spec, engine.PlayerOptions{Search: searchForced, Megabytes: r.cacheMegabytes()})
	if err != nil {
		return nil, err
	}
	t, err := g.Think(player, o)
	if err != nil {
		return nil, err
	}
	return &Brain{Player: c.player, Thinker: t, Limit: t.Limit(), setup: c, thinking: make(chan struct{}, 1)}, nil
}

const (
	batch          = 8   // leaves in an evaluation; a stopped search waits for its end
	minForcedNodes = 100 // least mcts.Config.ForcedNodes
	cacheMegabytes = 64  // without a memory limit
)

func searchForced(trained mcts.Config) mcts.Config {
	trained.ForcedNodes = max(trained.ForcedNodes, minForcedNodes)
	return trained
}

func (r Resources) cacheMegabytes() int {
	if r.Memory == 0 {
		return cacheMegabytes
	}
	return int(min(cacheMegabytes, r.Memory>>20/16))
}

// treeNodes returns the nodes of a search tree for a game of that many actions within the memory limit, at least 100.
func (r Resources) treeNodes(actions int) int {
	room := r.Memory/10*8 - int64(r.cacheMegabytes())<<20 - MinMemory/2
	return max(100, players.Nodes(int(room>>20), actions))
}
