package mnk_test

import (
	"testing"

	"tengen/solver"
	mnksolver "tengen/solver/mnk"
)

// The package solves free boards. The rule of exactly k is left to the general solver.
func TestMaker(t *testing.T) {
	for board, quick := range map[string]int{"6,6,4": 6, "6,6,4,exact": 22} {
		maker := mnksolver.Maker(parse(t, board))
		if maker.Quick != quick {
			t.Errorf("%s is quick from ply %d on, want %d", board, maker.Quick, quick)
		}
		exact, err := maker.New(solver.Options{TableMegabytes: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, own := exact.(*mnksolver.Solver); own != (quick == 6) {
			t.Errorf("%s has the solver %T", board, exact)
		}
	}
}
