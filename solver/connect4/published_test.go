package connect4

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/solver"
)

// scored is a line of the published sets.
type scored struct {
	moves string
	state connect4.State
	score solver.Score
}

// published reads testdata/name.txt.
func published(tb testing.TB, name string) []scored {
	tb.Helper()
	data, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		tb.Fatal(err)
	}
	g := connect4.Standard()
	var set []scored
	for line := range strings.Lines(string(data)) {
		var p scored
		if _, err := fmt.Sscan(line, &p.moves, &p.score); err != nil {
			tb.Fatal(err)
		}
		p.state = gametest.Replay(tb, g, p.moves)
		set = append(set, p)
	}
	if len(set) != 1000 {
		tb.Fatalf("%s has %d positions; want 1000", name, len(set))
	}
	return set
}

// TestPublishedScores covers the sets of Pons, in no more nodes than his solver: 51 and 3,298 a position.
func TestPublishedScores(t *testing.T) {
	for _, test := range []struct {
		name  string
		nodes uint64
	}{{"end-easy", 51_000}, {"begin-easy", 3_298_000}} {
		set := published(t, test.name)
		for _, threads := range []int{1, 3} {
			s := solverWith(t, connect4.Standard(), Options{TableMegabytes: 8, Threads: threads})
			for _, p := range set {
				if got, err := s.Solve(t.Context(), p.state); got != p.score || err != nil {
					t.Errorf("%d threads, %s: score %d, error %v; want %d", threads, p.moves, got, err, p.score)
				}
			}
			if threads == 1 && s.Nodes() > test.nodes {
				t.Errorf("%s took %d nodes; want at most %d", test.name, s.Nodes(), test.nodes)
			}
		}
	}
}

var empty = flag.Bool("empty", false, "also solve the empty board of 7 columns and 6 rows, which takes minutes")

// TestEmptyBoard is Allis's result (1988) with distances: the first player wins, in the centre and nowhere else.
func TestEmptyBoard(t *testing.T) {
	if !*empty {
		t.Skip("takes minutes; run it with -empty")
	}
	start := connect4.Standard().Start()
	s := solverWith(t, connect4.Standard(), Options{TableMegabytes: 512, Threads: 1})
	score, err := s.Solve(t.Context(), start)
	if score != 1 || err != nil {
		t.Errorf("empty board: score %d, error %v; want 1", score, err)
	}
	t.Logf("empty board: %d nodes", s.Nodes())
	scores, err := solver.Moves(t.Context(), s, start, start.Legal(nil))
	if want := []solver.Score{-2, -1, 0, 1, 0, -1, -2}; !slices.Equal(scores, want) || err != nil {
		t.Errorf("columns: scores %d, error %v; want %d", scores, err, want)
	}
	t.Logf("and its columns: %d nodes", s.Nodes())
}
