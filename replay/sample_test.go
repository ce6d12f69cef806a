package replay

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

func sum(s []float32) (total float32) {
	for _, v := range s {
		total += v
	}
	return total
}

// writeRow writes a game's position to row i, as Sample does.
func writeRow[S game.State[S]](rules game.Game[S], b *game.Batch, i int, g *Record, ply int, symmetry game.Symmetry) {
	newWriter(rules).write(b, i, pick{game: &windowGame{Record: g, owners: ownersOf(rules, g)}, ply: ply, symmetry: symmetry})
}

// The value targets reach the samples, each its own position. z is the outcome for the side to move, which the planes
// tell: at even plies the first player is to move.
func TestSampleSignOfZ(t *testing.T) {
	mixed := plain()
	mixed.ValueMix, mixed.CutBlunders = 0.5, 0.25
	for _, test := range []struct {
		name string
		cfg  Config
		game *Record
		z    []float32 // by ply
	}{
		{"the first player wins", plain(), ticTacToe(0, 1, firstWins...), []float32{1, -1, 1, -1, 1}},
		{"the second player wins", plain(), ticTacToe(0, -1, secondWins...), []float32{-1, 1, -1, 1, -1, 1}},
		{"a draw", plain(), ticTacToe(0, 0, draw...), make([]float32, 9)},
		{"mixed", mixed, sixPlies(), []float32{0.475, -0.5, 0.5, 0.89, -0.925, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := window(test.cfg)
			add(t, w, test.game)
			b := game.NewBatch(256, 36, 9)
			w.Sample(rand.New(rand.NewPCG(1, 1)), b)
			seen := map[int]bool{}
			for i := range b.Z {
				planes := row(b.Planes, i, 36)
				ply := int(sum(planes[:18]))
				seen[ply] = true
				if firstToMove := planes[27] == 1; firstToMove != (ply%2 == 0) {
					t.Fatalf("sample %d: ply %d, but the last plane says first to move %v", i, ply, firstToMove)
				}
				if b.Z[i] != test.z[ply] {
					t.Fatalf("sample %d: z is %v at ply %d, want %v", i, b.Z[i], ply, test.z[ply])
				}
			}
			if len(seen) != len(test.z) {
				t.Errorf("plies %v were sampled, want all %d", seen, len(test.z))
			}
		})
	}
}

// The newest samples are spaced evenly over the weights of the newest games, in order, and not turned.
func TestNewest(t *testing.T) {
	w := window(plain())
	light := ticTacToe(1, 1, firstWins...)
	for i := range light.Weights {
		light.Weights[i] = FullWeight / 4
	}
	add(t, w, ticTacToe(0, 0, draw...), light, ticTacToe(2, -1, secondWins...))
	for _, test := range []struct {
		games, size int
		plies       []int
	}{
		{1, 20, []int{0, 1, 2, 3, 4, 5}},
		{1, 3, []int{1, 3, 5}},
		{2, 4, []int{3, 1, 3, 5}},
		{9, 2, []int{4, 1}},
	} {
		b := game.NewBatch(test.size, 36, 9)
		rows := w.Newest(test.games, b)
		var plies []int
		for i := range rows {
			plies = append(plies, int(sum(row(b.Planes, i, 36)[:18])))
		}
		if !slices.Equal(plies, test.plies) {
			t.Errorf("%d of %d games: plies %v, want %v", test.size, test.games, plies, test.plies)
		}
	}
	b := game.NewBatch(6, 36, 9)
	w.Newest(1, b)
	if b.Pi[secondWins[0]] == 0 || b.Z[0] != -1 || row(b.Planes, 1, 36)[secondWins[0]]+row(b.Planes, 1, 36)[9+secondWins[0]] != 1 {
		t.Errorf("pi %v, z %v: not the game as it was played", row(b.Pi, 0, 9), b.Z[0])
	}
}

// mirrored is the same game on the board turned by the symmetry.
func mirrored(g *Record, actions int, symmetry game.Symmetry) *Record {
	m := *g
	m.Moves, m.Policy = nil, Policy{}
	for _, a := range g.Moves {
		m.Moves = append(m.Moves, symmetry.Actions[a])
	}
	for i := range g.Policy.Len() {
		policy := make([]float32, actions)
		moves, shares := g.Policy.Row(i)
		for j, a := range moves {
			policy[symmetry.Actions[a]] = float32(shares[j])
		}
		m.Policy.Append(policy)
	}
	return &m
}

// The image of a sample under a symmetry is the sample of the mirrored game: planes, pi, legal moves, z and what auxiliary heads
// learn together.
func testSampleSymmetry[S game.State[S]](t *testing.T, rules game.Game[S]) {
	symmetries := rules.Symmetries()
	rng := rand.New(rand.NewPCG(7, 8))
	turned, plain := auxiliaryBatch(rules, 1), auxiliaryBatch(rules, 1)
	for number := range 20 {
		g := randomGame(rules, uint64(number), number%3, rng)
		for i, symmetry := range symmetries {
			image := mirrored(g, rules.Actions(), symmetry)
			noError(t, Validate(rules, image))
			for ply := g.Opening; ply < len(g.Moves); ply++ {
				writeRow(rules, turned, 0, g, ply, symmetry)
				writeRow(rules, plain, 0, image, ply, symmetries[0])
				if !reflect.DeepEqual(turned, plain) {
					t.Fatalf("symmetry %d, ply %d of %v:\n%v, the mirrored game gives\n%v", i, ply, g.Moves, turned, plain)
				}
				want := 1.0
				if moves, _ := g.Policy.Row(ply - g.Opening); len(moves) == 0 {
					want = 0 // no target
				}
				if s := sum(turned.Pi); math.Abs(float64(s)-want) > 1e-6 {
					t.Errorf("pi sums to %v, want %v", s, want)
				}
				for a, p := range turned.Pi {
					if p > 0 && turned.Legal[a] != 1 {
						t.Errorf("pi is %v on an illegal move", p)
					}
				}
			}
		}
	}
}

func TestSampleSymmetry(t *testing.T) {
	t.Run("tictactoe", func(t *testing.T) { testSampleSymmetry(t, mnk.TicTacToe()) })
	t.Run("connect4", func(t *testing.T) { testSampleSymmetry(t, connect4.Standard()) })
}

// A hand-made sample, number by number.
func TestSampleContents(t *testing.T) {
	b := game.NewBatch(2, 36, 9)
	for _, old := range [][]float32{b.Planes[36:], b.Pi[9:], b.Legal[9:], b.Z[1:]} {
		for i := range old {
			old[i] = 7 // what the row held before
		}
	}
	g := ticTacToe(0, 1, firstWins...)
	writeRow(mnk.TicTacToe(), b, 1, g, 3, mnk.TicTacToe().Symmetries()[0]) // first player on 0 and 1, second on 3 and to move to 4
	want := game.NewBatch(2, 36, 9)
	copy(want.Planes[36:], []float32{
		0, 0, 0, 1, 0, 0, 0, 0, 0,
		1, 1, 0, 0, 0, 0, 0, 0, 0,
		0, 1, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0,
	})
	copy(want.Pi[9:], []float32{0, 0, 0, 0, 0.2, 0, 0, 0, 0.8})
	copy(want.Legal[9:], []float32{0, 0, 1, 0, 1, 1, 1, 1, 1})
	want.Z[1] = -1
	if !reflect.DeepEqual(b, want) {
		t.Errorf("sample\n%v, want\n%v", b, want)
	}
}

// Positions are as likely as their weights say, and symmetries equally.
func TestSampleFollowsWeights(t *testing.T) {
	rules := connect4.Standard()
	rng := rand.New(rand.NewPCG(9, 10))
	w := NewWindow(rules, Config{Window: 300, MinWindow: 300}, nil)
	for i := range 30 {
		add(t, w, randomGame(rules, uint64(i), i%3, rng))
	}
	key := func(b *game.Batch) string {
		all, err := binary.Append(nil, binary.LittleEndian, slices.Concat(b.Planes, b.Pi, b.Z))
		noError(t, err)
		return string(all)
	}
	b := game.NewBatch(1, 168, 7)
	const samples = 50_000
	expected, counts := map[string]float64{}, map[string]int{}
	for _, g := range records(w) {
		for ply := g.Opening; ply < len(g.Moves); ply++ {
			for _, symmetry := range rules.Symmetries() {
				writeRow(rules, b, 0, g, ply, symmetry)
				expected[key(b)] += samples * float64(g.Weights[ply-g.Opening]) / float64(2*w.weight())
			}
		}
	}
	for range samples {
		w.Sample(rng, b)
		counts[key(b)]++
	}
	chi2, cells := 0.0, 0
	for k, want := range expected {
		if want == 0 && counts[k] > 0 {
			t.Error("a position with weight 0 was drawn")
		}
		if want > 5 { // where the approximation by chi-square is good
			chi2 += math.Pow(float64(counts[k])-want, 2) / want
			cells++
		}
		delete(counts, k)
	}
	if len(counts) > 0 || cells < 100 {
		t.Fatalf("%d samples are none of the window's positions, %d cells", len(counts), cells)
	}
	freedom := float64(cells - 1)
	if limit := 5 * math.Sqrt(2*freedom); math.Abs(chi2-freedom) > limit {
		t.Errorf("chi-square is %.0f, want within %.0f of %.0f", chi2, limit, freedom)
	}
}

// What a further head learns is filled in by its function, for the same position and view as the rest of the row.
func TestSampleTargets(t *testing.T) {
	targets["played"] = func(dst []float32, g *windowGame, ply int, v view) {
		clear(dst)
		dst[v.Actions[g.Moves[ply]]] = float32(ply)
	}
	t.Cleanup(func() { delete(targets, "played") })
	w := window(plain())
	add(t, w, ticTacToe(0, 1, firstWins...))
	b := game.NewBatch(64, 36, 9)
	b.Targets = map[string][]float32{"played": slices.Repeat([]float32{7}, 64*9)}
	w.Sample(rand.New(rand.NewPCG(15, 16)), b)
	cells := map[int]bool{}
	for i := range b.Z {
		ply := sum(row(b.Planes, i, 36)[:18])
		target := row(b.Targets["played"], i, 9)
		at := slices.Index(target, ply)
		if sum(target) != ply || at < 0 || row(b.Legal, i, 9)[at] != 1 {
			t.Errorf("sample %d, at ply %v: the target is %v, legal moves are %v", i, ply, target, row(b.Legal, i, 9))
		}
		if ply > 0 {
			cells[at] = true
		}
	}
	if len(cells) < 5 {
		t.Errorf("targets on the cells %v only: they were not turned", cells)
	}
}

// A batch has the same bits on any number of cores.
func TestSampleDoesNotDependOnCores(t *testing.T) {
	rules := connect4.Standard()
	batch := func(cores int) *game.Batch {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		rng := rand.New(rand.NewPCG(17, 18))
		w := NewWindow(rules, plain(), nil)
		for i := range 20 {
			add(t, w, randomGame(rules, uint64(i), 0, rng))
		}
		b := auxiliaryBatch(rules, 65)
		w.Sample(rng, b)
		return b
	}
	if one, several := batch(1), batch(4); !reflect.DeepEqual(one, several) {
		t.Error("one core and four give different batches")
	}
}

func TestSamplePanics(t *testing.T) {
	w := window(plain())
	rng := rand.New(rand.NewPCG(1, 2))
	wantPanic(t, func() { w.Sample(rng, game.NewBatch(1, 36, 9)) })
	add(t, w, ticTacToe(0, 1, firstWins...))
	b := game.NewBatch(1, 36, 9)
	b.Targets = map[string][]float32{"unheard of": {0}}
	wantPanic(t, func() { w.Sample(rng, b) })
}

func BenchmarkSample(b *testing.B) {
	rng := rand.New(rand.NewPCG(13, 14))
	w := NewWindow(connect4.Standard(), plain(), nil)
	for i := range 1000 {
		noError(b, w.Add(randomGame(connect4.Standard(), uint64(i), 0, rng)))
	}
	batch := game.NewBatch(256, 168, 7)
	b.ReportAllocs()
	for b.Loop() {
		w.Sample(rng, batch)
	}
}
