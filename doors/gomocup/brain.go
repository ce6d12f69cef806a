package gomocup

import (
	"errors"
	"runtime/debug"
	"time"

	"tengen/engine"
	"tengen/mcts"
	"tengen/players"
)

// brain is a thinking player for a board and the manager's limits.
type brain struct {
	setup    brainSetup
	thinker  engine.Thinker
	limit    players.Limit // of its SPEC
	thinking chan struct{} // holds an element during a thought
}

// brainSetup holds a brain's parameters.
type brainSetup struct {
	player         int // of Options.Players
	board          string
	memory         int64
	threads, depth int
}

// wake makes s.brain the first player, from the i-th on, that can play on the board. If none can, wake returns the i-th
// player's error.
func (s *session) wake(i int) error {
	err := errors.New("there is no other player")
	for first := i; i < len(s.options.Players); i++ {
		c := brainSetup{i, s.board.info.Name, s.info.memory, s.info.threads, s.info.depth}
		if s.brain != nil && s.brain.setup == c {
			return nil
		}
		b, failure := s.build(c)
		if failure == nil {
			s.forget()
			s.brain = b
			return nil
		}
		if i == first {
			err = failure
		}
	}
	return err
}

func (s *session) forget() {
	if s.brain != nil {
		s.brain.thinker.Stop()
		s.brain = nil
	}
}

func (s *session) build(c brainSetup) (*brain, error) {
	spec := s.options.Players[c.player]
	o := players.Options{Threads: s.options.Threads, Batch: batch, Interval: reportInterval, Seed: s.options.Seed}
	if s.info.threads > 0 {
		o.Threads = s.info.threads
	}
	memory := s.memoryLimit
	if s.info.memory > 0 {
		memory = s.info.memory / 10 * 8
		o.MaxNodes = s.info.treeNodes(s.board.info.Actions)
	}
	debug.SetMemoryLimit(memory)
	if spec.Kind == players.KindAlphaBeta && spec.Limit == 0 && spec.Time == 0 {
		spec.Limit = s.info.depth
	}
	player, err := s.board.Player(spec, engine.PlayerOptions{Search: searchForced, Megabytes: s.info.cacheMegabytes()})
	if err != nil {
		return nil, err
	}
	t, err := s.board.Think(player, o)
	if err != nil {
		return nil, err
	}
	limit := t.Limit()
	if spec.Kind == players.KindNet && spec.Limit == players.Unset {
		limit.Simulations = 0
	}
	return &brain{setup: c, thinker: t, limit: limit, thinking: make(chan struct{}, 1)}, nil
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

func (s settings) cacheMegabytes() int {
	if s.memory == 0 {
		return cacheMegabytes
	}
	return int(min(cacheMegabytes, s.memory>>20/16))
}

// treeNodes returns the nodes of a search tree for a game of that many actions within the memory limit, at least 100.
func (s settings) treeNodes(actions int) int {
	room := s.memory/10*8 - int64(s.cacheMegabytes())<<20 - minMemory/2
	return max(100, players.Nodes(int(room>>20), actions))
}

// reportInterval is the least time between reports of a search.
const reportInterval = 500 * time.Millisecond
