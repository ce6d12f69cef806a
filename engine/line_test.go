package engine

import (
	"slices"
	"testing"

	"tengen/game"
)

// What a page needs to draw and click a game.
func TestLandingAndLines(t *testing.T) {
	if info := open(t, "connect4").Info(); !info.Drops || info.InARow != 4 {
		t.Errorf("Connect Four: %+v", info)
	}
	if info := open(t, "mnk:5,4,3").Info(); info.Drops || info.InARow != 3 {
		t.Errorf("mnk: %+v", info)
	}
	p := parsed(t, "connect4", "44")
	if cell := p.Target(3); cell != 3*7+3 {
		t.Errorf("the third disc in column 4 lies on cell %d", cell)
	}
	if cells := p.WonBy(); cells != nil {
		t.Errorf("a game that goes on is won by %v", cells)
	}
	if cells := parsed(t, "connect4", "1121314").WonBy(); !slices.Equal(cells, []int{35, 36, 37, 38}) {
		t.Errorf("the bottom row's four are %v", cells)
	}
	// The row a1 to d1 is too long, and the column d1 to d3 is not.
	if cells := parsed(t, "mnk:5,5,3,exact", "a1 a5 b1 b5 d2 d5 d3 e4 c4 c5").WonBy(); cells != nil {
		t.Errorf("a game that goes on by its rule is won by %v", cells)
	}
	if cells := parsed(t, "tictactoe", "a3 b3 a2 b1 c3 c2 b2 a1").WonBy(); cells != nil {
		t.Errorf("nobody has won: %v", cells)
	}
	if cells := parsed(t, "tictactoe", "a3 b3 c3 a2 a1 c2 c1 b1 b2").WonBy(); !slices.Equal(cells, []int{0, 2, 4, 6, 8}) {
		t.Errorf("two diagonals are %v", cells)
	}
	if cells := parsed(t, "tictactoe", "c1 a3 c2 b3 a1 c3").WonBy(); !slices.Equal(cells, []int{0, 1, 2}) {
		t.Errorf("the second player's row is %v", cells)
	}
}

func TestProve(t *testing.T) {
	e := open(t, "gomoku")
	p := parsed(t, "gomoku", "d8 a1 e8 a2 f8 a3 g8 a15")
	proof := p.Prove(1000)
	if proof.Result != game.Win || len(proof.Line) != 1 || len(proof.Moves) != len(p.Legal) {
		t.Fatalf("%v by %v", proof.Result, proof.Line)
	}
	var wins []string
	for i, r := range proof.Moves {
		if r == game.Win {
			wins = append(wins, e.Format(p.Legal[i]))
		}
	}
	if slices.Sort(wins); !slices.Equal(wins, []string{"c8", "h8"}) {
		t.Errorf("winning moves are %v", wins)
	}
	if proof := e.Start().Prove(1000); proof.Result != game.Unknown || len(proof.Line) != 0 {
		t.Errorf("of the start, %v is proven", proof.Result)
	}
}

func TestPliesLeft(t *testing.T) {
	e := open(t, "tictactoe")
	s, err := e.Solver(DefaultSolverOptions())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 9, "a1 b1 a2 b2": 1, "a1 b1 a2 b2 a3": 0, "b2 a2": 5} {
		p := parsed(t, "tictactoe", text)
		solution, err := s.Solve(t.Context(), p, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.PliesLeft(solution.Score); got != want {
			t.Errorf("%q with score %d has %d plies left, want %d", text, solution.Score, got, want)
		}
	}
}
