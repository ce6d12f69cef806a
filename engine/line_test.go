package engine

import (
	"slices"
	"testing"

	"tengen/game"
)

func TestInfo(t *testing.T) {
	if info := open(t, "Connect4").Info(); !info.Drops || info.InARow != 4 || info.Name != "connect4" || info.Actions != 7 ||
		info.Size != (game.Size{Rows: 6, Columns: 7}) || len(info.Columns) != 7 || info.Rows != nil {
		t.Errorf("Connect Four: %+v", info)
	}
	if info := open(t, "mnk:5,4,3").Info(); info.Drops || info.InARow != 3 {
		t.Errorf("mnk: %+v", info)
	}
}

func TestWonBy(t *testing.T) {
	for _, c := range []struct {
		game, moves string
		want        []int
	}{
		{"connect4", "44", nil},
		{"connect4", "1121314", []int{35, 36, 37, 38}},
		{"mnk:5,5,3,exact", "a1 a5 b1 b5 d2 d5 d3 e4 c4 c5", nil}, // row 5 is too long
		{"tictactoe", "a3 b3 a2 b1 c3 c2 b2 a1", nil},
		{"tictactoe", "a3 b3 c3 a2 a1 c2 c1 b1 b2", []int{0, 2, 4, 6, 8}},
		{"tictactoe", "c1 a3 c2 b3 a1 c3", []int{0, 1, 2}},
	} {
		if cells := parsed(t, c.game, c.moves).WonBy(); !slices.Equal(cells, c.want) {
			t.Errorf("%s %s: won by %v, want %v", c.game, c.moves, cells, c.want)
		}
	}
}

func TestTarget(t *testing.T) {
	p := parsed(t, "connect4", "44")
	if cells := p.Targets([]game.Action{3, 3, 0}); p.Target(3) != game.Onto(3*7+3) ||
		!slices.Equal(cells, []game.Target{game.Onto(3*7 + 3), game.Onto(2*7 + 3), game.Onto(5 * 7)}) {
		t.Errorf("the third disc in column 4 goes to %v, a line to %v", p.Target(3), cells)
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
			wins = append(wins, p.Format(p.Legal[i]))
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
	noError(t, err)
	for text, want := range map[string]int{"": 9, "a1 b1 a2 b2": 1, "a1 b1 a2 b2 a3": 0, "b2 a2": 5} {
		p := parsed(t, "tictactoe", text)
		solution, err := s.Solve(t.Context(), p, false)
		noError(t, err)
		if got := p.PliesLeft(solution.Score); got != want {
			t.Errorf("%q with score %d has %d plies left, want %d", text, solution.Score, got, want)
		}
	}
}
