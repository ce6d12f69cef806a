package mcts

import (
	"testing"
	"unsafe"

	"tengen/game/connect4"
	"tengen/internal/random"
)

// The memory for leaves in flight does not grow with the search, though some are always in flight.
func TestLeavesInFlightAreForgotten(t *testing.T) {
	s := New[connect4.State](Default(), connect4.Standard().Actions())
	s.Reset(connect4.Standard().Start())
	s.Begin(5000, nil)
	driveTwo(t, s)
	if n := cap(s.waiting); n > 3*maxPending {
		t.Errorf("room for %d leaves in flight after 5000 simulations; at most %d are ever in flight", n, maxPending)
	}
}

// driveTwo searches with two evaluators, of which one always has leaves in flight.
func driveTwo(t *testing.T, s *Search[connect4.State]) {
	t.Helper()
	evaluators := []Evaluator[connect4.State]{&Uniform[connect4.State]{}, &Uniform[connect4.State]{}}
	options := DriveOptions{Batch: 8, InFlight: func(n int) int { return 1 + n/50 }}
	if err := Drive(t.Context(), []*Search[connect4.State]{s}, evaluators, options); err != nil {
		t.Fatal(err)
	}
}

// A bounded tree ends the search, whatever its limit, and takes the memory that LimitNodes says, also when moves keep most of
// it. Even a bound without room leaves a move to play.
func TestBound(t *testing.T) {
	for _, nodes := range []int{0, 1, 50, 5000} {
		g := connect4.Standard()
		s := New[connect4.State](Default(), g.Actions())
		s.LimitNodes(nodes)
		s.Reset(g.Start())
		for move := range 4 {
			s.Begin(1<<30, nil)
			driveTwo(t, s)
			if n := len(s.tree.nodes); n > nodes+2 || move == 0 && n < nodes-maxPending {
				t.Errorf("move %d: %d nodes, want about %d", move, n, nodes)
			}
			size := cap(s.tree.nodes)*int(unsafe.Sizeof(node{})) + cap(s.tree.edges)*int(unsafe.Sizeof(edge{}))
			if most := nodes*(24*g.Actions()+16) + 16<<10; size > most {
				t.Errorf("move %d: a tree of %d nodes takes %d bytes, want at most %d", move, nodes, size, most)
			}
			var d Decision
			s.Decide(0, random.New(1, random.Test), &d)
			s.Advance(d.Action)
		}
	}
}

// Indices of edges have 32 bits, so no search may expand more positions than they can number.
func TestTreesStayWithin32Bits(t *testing.T) {
	for _, actions := range []int{1, 7, 225, 32767} {
		s := New[connect4.State](Default(), actions)
		for _, nodes := range []int{s.tree.maxNodes, func() int { s.LimitNodes(1 << 62); return s.tree.maxNodes }()} {
			if last := (nodes + 1) * actions; last != int(int32(last)) {
				t.Errorf("%d nodes of %d actions have edges up to %d", nodes, actions, last)
			}
		}
	}
}
