package engine

import (
	"strings"
	"testing"
)

// Boards of things show what lies on them, who has taken what, and a tally below.
func TestThings(t *testing.T) {
	for _, c := range []struct{ name, moves, want string }{
		{"nim:1,3,2", "2:1", `
   1  2  3
2  .  .  .
1  . (.) |
0  |  |  |
   1  2  3
`},
		{"ends:3,119,1,2", "RL", `
  (O) 119    1    X
first player 2, second player 3
`},
		{"caniwin:9,11", "37", `
 1  2  X  4  5  6 (O) 8  9
10 of 11
`},
	} {
		if got := drawn(t, c.name, c.moves, false); got != c.want {
			t.Errorf("%s after %s:%s\nwant%s", c.name, c.moves, got, c.want)
		}
	}
	p := parsed(t, "nim:1,3", "")
	if p.Last != -1 || p.Target(p.Legal[0]) != 1 || len(p.Texts) != 6 || p.Texts[0] != "" || p.Texts[1] != "|" {
		t.Errorf("last %d, target %d, texts %q", p.Last, p.Target(p.Legal[0]), p.Texts)
	}
}

// The plies that a score promises are those of a game that its loser ends, or nobody can hasten, too.
func TestPliesLeftWhereTheLoserEnds(t *testing.T) {
	for _, c := range []struct {
		name, moves string
		want        int
	}{
		{"nim:1,misere", "", 1}, {"nim:2,misere", "", 2}, {"nim:2", "", 1}, {"nim:1,1,misere", "1:0", 1},
		{"ends:1,2", "", 2}, {"ends:1,2,3,4", "R", 3}, {"ends:1,5,2", "L", 2}, {"caniwin:10,11", "", 2},
	} {
		e := open(t, c.name)
		s, err := e.Solver(DefaultSolverOptions())
		if err != nil {
			t.Fatal(err)
		}
		p := parsed(t, c.name, c.moves)
		solution, err := s.Solve(t.Context(), p, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.PliesLeft(p, solution.Score); got != c.want {
			t.Errorf("%s after %q with score %d has %d plies left, want %d", c.name, c.moves, solution.Score, got, c.want)
		}
	}
}

// A board has one name, and one that cannot be is refused with the form to write.
func TestTakeAwayNames(t *testing.T) {
	for name, want := range map[string]string{"Nim: 1, 3,5 ,MISERE": "nim:1,3,5,misere", "ends:03,9": "ends:3,9", "caniwin: 10 ,11": "caniwin:10,11"} {
		if got := open(t, name).Info().Name; got != want {
			t.Errorf("%q is called %q; want %q", name, got, want)
		}
	}
	for _, name := range []string{"nim", "nim:", "nim:0", "ends:x", "caniwin:10"} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), "write ") {
			t.Errorf("%q: %v; want an error that says what to write", name, err)
		}
	}
}
