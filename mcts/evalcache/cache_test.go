package evalcache

import (
	"sync"
	"testing"
	"unsafe"

	"tengen/game"
	"tengen/game/connect4"
)

// board is the board of all tests here.
var board = connect4.Standard()

// What the cache returns is what was put in for that position, last move and model, or nothing.
func TestCache(t *testing.T) {
	c := New(1, board).Reader()
	start := connect4.Standard().Start()
	s := start.Play(3).Play(2).Play(4) // the same stones by another order
	u := start.Play(4).Play(2).Play(3)
	if s.Key() != u.Key() || s.Last() == u.Last() {
		t.Fatal("the test's positions must differ in the last move alone")
	}
	prior := make([]float32, 7)
	if _, ok := c.Get(1, s, prior); ok {
		t.Error("an empty cache knows a position")
	}
	c.Put(1, s, []float32{1, 2, 3, 4, 5, 6, 7}, 0.5)
	if v, ok := c.Get(1, s, prior); !ok || v != 0.5 || prior[6] != 7 {
		t.Errorf("got %v, %v, %v", v, ok, prior)
	}
	if _, ok := c.Get(2, s, prior); ok {
		t.Error("another model's evaluation was returned")
	}
	if _, ok := c.Get(1, u, prior); ok {
		t.Error("an evaluation with another last move was returned")
	}
	if _, ok := c.Get(0, start, prior); ok {
		t.Error("an empty entry passed for the starting position's")
	}
}

// A cache of no size holds nothing.
func TestNoCache(t *testing.T) {
	c := New(0, board).Reader()
	s := connect4.Standard().Start()
	c.Put(1, s, make([]float32, 7), 1)
	if _, ok := c.Get(1, s, make([]float32, 7)); ok {
		t.Error("a cache of no size knows a position")
	}
}

// Goroutines that read and write the same entries never see one that is half of each.
func TestCacheConcurrently(t *testing.T) {
	c := New(1, board)
	s := connect4.Standard().Start()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			x := float32(i)
			mine, got := []float32{x, x, x, x, x, x, x}, make([]float32, 7)
			r := c.Reader()
			for range 2000 {
				r.Put(1, s, mine, x)
				v, ok := r.Get(1, s, got)
				if !ok || got[0] != v || got[6] != v {
					t.Errorf("value %v with prior %v", v, got)
					return
				}
			}
		})
	}
	wait.Wait()
}

// lookalike is a position whose planes do not show which moves are legal.
type lookalike struct {
	connect4.State
	legal int // the number of legal moves
}

func (l lookalike) Play(a game.Action) lookalike { return lookalike{l.State.Play(a), l.legal} }
func (l lookalike) Legal(dst []game.Action) []game.Action {
	return append(dst, l.State.Legal(nil)[:l.legal]...)
}

// lookalikes is the game of lookalike positions.
type lookalikes struct{ *connect4.Game }

func (g lookalikes) Start() lookalike { return lookalike{g.Game.Start(), 7} }

// Positions that look equal have evaluations of their own if other moves are legal, and share one if the same are,
// whoever is to move.
func TestCacheOfLookalikes(t *testing.T) {
	c := New(1, lookalikes{board}).Reader()
	prior := make([]float32, 7)
	s := lookalike{board.Start(), 7}
	c.Put(1, s, []float32{1, 0, 0, 0, 0, 0, 0}, 0.5)
	if _, ok := c.Get(1, lookalike{s.State, 6}, prior); ok {
		t.Error("the evaluation of a position with other legal moves was returned")
	}
	if v, ok := c.Get(1, lookalike{s.State, 7}, prior); !ok || v != 0.5 {
		t.Errorf("the same legal moves: %v, %v", v, ok)
	}
}

// A cache takes the memory that it is given, whatever the number of moves.
func TestCacheSize(t *testing.T) {
	for _, actions := range []int{7, 81, 361} {
		c := New(3, sized{board, actions})
		bytes := 0
		for i := range c.shards {
			s := &c.shards[i]
			bytes += len(s.entries)*int(unsafe.Sizeof(entry{})) + 4*len(s.priors)
		}
		if bytes > 3<<20 || bytes < 3<<20*4/5 {
			t.Errorf("%d moves: %d bytes, want nearly 3 MB", actions, bytes)
		}
	}
}

// sized is Connect Four with more moves, none of them legal.
type sized struct {
	*connect4.Game
	actions int
}

func (g sized) Actions() int { return g.actions }

func BenchmarkGet(b *testing.B) {
	c := New(8, board).Reader()
	s, prior := board.Start().Play(3).Play(3).Play(2), make([]float32, 7)
	c.Put(1, s, prior, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get(1, s, prior); !ok {
			b.Fatal("not cached")
		}
	}
}
