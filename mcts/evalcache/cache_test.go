package evalcache

import (
	"sync"
	"testing"
	"unsafe"

	"tengen/game/connect4"
)

// What the cache returns is what was put in for that position, last move and model, or nothing.
func TestCache(t *testing.T) {
	c := New[connect4.State](1, 7, true)
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

// Without the last move in the key, positions that differ in it alone share their evaluation.
func TestCacheWithoutLastMove(t *testing.T) {
	c := New[connect4.State](1, 7, false)
	start := connect4.Standard().Start()
	prior := make([]float32, 7)
	c.Put(1, start.Play(3).Play(2).Play(4), []float32{1, 2, 3, 4, 5, 6, 7}, 0.5)
	if v, ok := c.Get(1, start.Play(4).Play(2).Play(3), prior); !ok || v != 0.5 || prior[6] != 7 {
		t.Errorf("got %v, %v, %v", v, ok, prior)
	}
	if _, ok := c.Get(1, start.Play(4).Play(3).Play(2), prior); ok {
		t.Error("an evaluation of other stones was returned")
	}
}

// A cache of no size holds nothing.
func TestNoCache(t *testing.T) {
	c := New[connect4.State](0, 7, true)
	s := connect4.Standard().Start()
	c.Put(1, s, make([]float32, 7), 1)
	if _, ok := c.Get(1, s, make([]float32, 7)); ok {
		t.Error("a cache of no size knows a position")
	}
}

// Goroutines that read and write the same entries never see one that is half of each.
func TestCacheConcurrently(t *testing.T) {
	c := New[connect4.State](1, 7, true)
	s := connect4.Standard().Start()
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			x := float32(i)
			mine, got := []float32{x, x, x, x, x, x, x}, make([]float32, 7)
			for range 2000 {
				c.Put(1, s, mine, x)
				v, ok := c.Get(1, s, got)
				if !ok || got[0] != v || got[6] != v {
					t.Errorf("value %v with prior %v", v, got)
					return
				}
			}
		})
	}
	wait.Wait()
}

// A cache takes the memory that it is given, whatever the number of moves.
func TestCacheSize(t *testing.T) {
	for _, actions := range []int{7, 81, 361} {
		c := New[connect4.State](3, actions, true)
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
