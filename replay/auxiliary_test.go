package replay

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// auxiliaryBatch is a batch with rows for all auxiliary heads. All of it holds something before.
func auxiliaryBatch[S game.State[S]](rules game.Game[S], size int) *game.Batch {
	b := game.NewBatch(size, game.InputLen(rules), rules.Actions())
	for _, rows := range [][]float32{b.Planes, b.Pi, b.Legal, b.Z} {
		for i := range rows {
			rows[i] = 7
		}
	}
	b.Targets = map[string][]float32{
		"reply":     slices.Repeat([]float32{7}, size*rules.Actions()),
		"occupancy": slices.Repeat([]float32{7}, size*3*rules.Board().Cells()),
	}
	return b
}

// targetOf is what a head learns about one position, not turned.
func targetOf[S game.State[S]](head string, rules game.Game[S], g *Record, ply int) []float32 {
	b := auxiliaryBatch(rules, 1)
	writeRow(rules, b, 0, g, ply, rules.Symmetries()[0])
	return b.Targets[head]
}

// The second player wins with the middle row, and the first has 0, 1 and 8, whichever ply asks.
func TestOccupancyTarget(t *testing.T) {
	const own, other, nobody = 0, 1, 2
	atEven := []int{own, own, nobody, other, other, other, nobody, nobody, own}
	atOdd := []int{other, other, nobody, own, own, own, nobody, nobody, other}
	g := ticTacToe(0, -1, secondWins...)
	for ply := range g.Moves {
		want := make([]float32, 27)
		for cell, holder := range [][]int{atEven, atOdd}[ply%2] {
			want[3*cell+holder] = 1
		}
		if got := targetOf("occupancy", mnk.TicTacToe(), g, ply); !slices.Equal(got, want) {
			t.Errorf("ply %d: %v, want %v", ply, got, want)
		}
	}
}

// In Connect Four cells are not moves: the stones lie in the columns that the moves named, from the bottom.
func TestOccupancyOfColumns(t *testing.T) {
	rules := connect4.Standard()
	rng := rand.New(rand.NewPCG(21, 22))
	for number := range 20 {
		g := randomGame(rules, uint64(number), 0, rng)
		want := slices.Repeat([]float32{0, 0, 1}, 42)
		var height [7]int
		for ply, column := range g.Moves {
			cell := (5-height[column])*7 + int(column)
			height[column]++
			want[3*cell+ply%2], want[3*cell+2] = 1, 0
		}
		if got := targetOf("occupancy", rules, g, 0); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", g.Moves, got, want)
		}
	}
}

// The reply is the policy of the row that follows, after an opening as well.
func TestReplyTarget(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	without := 0
	for number := range 50 {
		g := randomGame(connect4.Standard(), uint64(number), number%4, rng)
		for ply := g.Opening; ply < len(g.Moves); ply++ {
			want := make([]float32, 7)
			if row := ply - g.Opening + 1; row < g.Searched() {
				moves, shares := g.Policy.Row(row)
				for i, a := range moves {
					want[a] = float32(shares[i]) / FullShare
				}
			}
			if sum(want) == 0 {
				without++
			}
			if got := targetOf("reply", connect4.Standard(), g, ply); !slices.Equal(got, want) {
				t.Errorf("ply %d of %v: %v, want %v", ply, g.Moves, got, want)
			}
		}
	}
	if without <= 50 {
		t.Errorf("%d plies without a reply: the test needs some without a policy, beside the last of each game", without)
	}
}

// Both sides of Breakthrough see the board from their own end. The target names each reply at the piece that the planes
// show there, as one of the opponent's, and as the same kind of step, whichever way the board is turned.
func TestReplyOfTurnedGames(t *testing.T) {
	rules, err := breakthrough.New(game.Size{Columns: 5, Rows: 6})
	noError(t, err)
	const steps = 3
	cells := rules.Board().Cells()
	rng := rand.New(rand.NewPCG(27, 28))
	seen := 0
	for number := range 20 {
		g := randomGame(rules, uint64(number), 0, rng)
		state := rules.Start()
		for ply, move := range g.Moves[:len(g.Moves)-1] {
			next := state.Play(move)
			for mirrored, symmetry := range rules.Symmetries() {
				b := auxiliaryBatch(rules, 1)
				writeRow(rules, b, 0, g, ply, symmetry)
				want := make([]float32, rules.Actions())
				for a, share := range g.Policy.Shares(ply + 1) {
					cell, step := symmetry.Cells[rules.Seen(next.Target(a).From, state.ToMove())], int(a)%steps
					if b.Planes[cells+int(cell)] != 1 {
						t.Fatalf("ply %d of %v: reply %s begins at cell %d of the planes, where no piece of the opponent is", ply, g.Moves, next.Format(a), cell)
					}
					if mirrored == 1 {
						step = steps - 1 - step
					}
					want[int(cell)*steps+step] = share
					seen++
				}
				if !slices.Equal(b.Targets[game.Reply], want) {
					t.Fatalf("ply %d of %v: %v, want %v", ply, g.Moves, b.Targets[game.Reply], want)
				}
			}
			state = next
		}
	}
	if seen == 0 {
		t.Error("no game has a reply")
	}
}

// The last position of a game is found once. What is allocated besides is for the cores, not for the samples.
func TestOwnersAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	cfg := plain()
	cfg.ValueMix, cfg.CutBlunders = 0.5, 0.25
	w := NewWindow(connect4.Standard(), cfg, nil)
	for i := range 20 {
		add(t, w, randomGame(connect4.Standard(), uint64(i), 0, rng))
	}
	w.Sample(rng, game.NewBatch(64, 168, 7))
	for i := range w.games {
		if w.games[i].owners != nil {
			t.Error("a game's last position was kept for a batch that does not need it")
		}
	}
	b := auxiliaryBatch(connect4.Standard(), 64)
	for range 20 {
		w.Sample(rng, b)
	}
	if n := testing.AllocsPerRun(20, func() { w.Sample(rng, b) }); n > 8 {
		t.Errorf("%v allocations a batch", n)
	}
}
