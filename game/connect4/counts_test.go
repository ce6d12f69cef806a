package connect4_test

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/fulltest"
)

func TestPositionsByPly(t *testing.T) {
	want := []struct{ positions, terminal uint64 }{
		{1, 0}, {7, 0}, {49, 0}, {238, 0}, {1120, 0}, {4263, 0}, {16422, 0}, {54859, 728}, {184275, 1892}, {558186, 19412},
	}
	want = want[:fulltest.Pick(9, len(want))]
	got := slices.Collect(game.CountPositions(t.Context(), connect4.Standard(), len(want)-1))
	if len(got) != len(want) {
		t.Fatalf("counted up to ply %d; want %d", len(got)-1, len(want)-1)
	}
	for ply, census := range got {
		if census.Positions != want[ply].positions || census.Terminal.Total() != want[ply].terminal {
			t.Errorf("ply %d: %d positions, %d of them terminal; want %d, %d",
				ply, census.Positions, census.Terminal.Total(), want[ply].positions, want[ply].terminal)
		}
	}
}

func TestPerft(t *testing.T) {
	for depth, n := range []uint64{1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572} {
		if got := game.Perft(connect4.Standard().Start(), depth); got != n {
			t.Errorf("perft %d is %d; want %d", depth, got, n)
		}
	}
}
