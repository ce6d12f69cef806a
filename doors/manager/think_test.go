package manager

import (
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// For want of an answer there is still a move that wins, or does not lose.
func TestReflex(t *testing.T) {
	for moves, want := range map[string]string{
		"h8 a1 i8 a2 j8 a3 k8 a4":  "g8 l8",
		"h8 a1 i8 b1 j8 c1 a15 d1": "e1",
		"h8 a1 i8 a3 j8 a5":        "g8 k8", // an open four
	} {
		v, err := engine.Open("gomoku")
		if err != nil {
			t.Fatal(err)
		}
		p, err := v.Parse(moves)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Format(reflex(p).Best); !slices.Contains(strings.Fields(want), got) {
			t.Errorf("after %q: %s; want one of %q", moves, got, want)
		}
	}
}

// The limit of memory has room for a tree, and for a larger one with more.
func TestMemory(t *testing.T) {
	before := 0
	for _, megabytes := range []int64{100, 200, 350, 2000} {
		n := Resources{Memory: megabytes << 20}.treeNodes(400)
		if n < 100 || n < before || int64(n)*400*30 > megabytes<<20-MinMemory/2 {
			t.Errorf("%d megabytes: %d positions, after %d", megabytes, n, before)
		}
		before = n
	}
}
