package uct

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/random"
)

// Advance keeps the subtree of the move played, and nothing else.
func TestAdvanceKeeps(t *testing.T) {
	g := connect4.Standard()
	s := New[connect4.State](DefaultExploration)
	s.Reset(g.Start())
	for ply := range 20 {
		s.Run(t.Context(), 500, random.New(1, random.Test, uint64(ply)))
		i := ply % len(s.moves(0))
		move := s.moves(0)[i].action
		want, size := s.subtree(s.nodes[0].first + int32(i))
		node, next := s.nodes[s.nodes[0].first+int32(i)], s.Root().Play(game.Action(move))
		s.Advance(game.Action(move))
		got, n := s.subtree(0)
		if got != want || n != size || n != len(s.nodes) {
			t.Fatalf("ply %d: %d nodes are kept of %d, in a tree of %d:\n%.300s\nwant\n%.300s", ply, n, size, len(s.nodes), got, want)
		}
		if s.Playouts() != int(node.visits) || s.Root().Key() != next.Key() ||
			node.visits > 0 && s.Value() != float32(-node.valueSum/float64(node.visits)) {
			t.Fatalf("ply %d: %d playouts of value %v after Advance, the move had %+v", ply, s.Playouts(), s.Value(), node)
		}
		if _, over := s.Root().Outcome(); over {
			return
		}
	}
}

// subtree describes a node and all below it, and counts them.
func (s *Search[S]) subtree(at int32) (text string, size int) {
	n := s.nodes[at]
	text, size = fmt.Sprint(n.valueSum, n.visits, n.count, n.tried, n.action, "("), 1
	for i := range s.moves(at) {
		below, more := s.subtree(n.first + int32(i))
		text, size = text+below, size+more
	}
	return text + ")", size
}
