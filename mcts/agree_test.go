package mcts_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/mcts"

	"pgregory.net/rapid"
)

// The search must agree with the oracle visit for visit and value for value, whatever is done to it.
func TestSearchAgreesWithOracle(t *testing.T) {
	t.Run("bush", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { checkAgreement(t, bushActions, newBush(rapid.Uint64().Draw(t, "game"))) })
	})
	t.Run("connect four", func(t *testing.T) { checkAgreementOn(t, connect4.Standard()) })
	t.Run("three in a row", func(t *testing.T) { checkAgreementOn(t, mustMNK(t, "4,4,3")) })
	t.Run("four in a row", func(t *testing.T) {
		fulltest.Only(t)
		checkAgreementOn(t, mustMNK(t, "6,5,4"))
	})
}

func checkAgreementOn[S game.State[S]](t *testing.T, g game.Game[S]) {
	rapid.Check(t, func(t *rapid.T) { checkAgreement(t, g.Actions(), g.Start()) })
}

// duel is a search and an oracle that are given the same orders.
type duel[S game.State[S]] struct {
	search   *mcts.Search[S]
	oracle   *oracle[S]
	ev       mcts.Evaluator[S]
	priors   [][]float32
	values   []float32
	leaves   []S // in flight, oldest first
	hasNoise bool
}

func checkAgreement[S game.State[S]](t *rapid.T, actions int, start S) {
	cfg := alphaZero()
	cfg.CInit = rapid.SampledFrom([]float64{0, 0.5, 1.25, 4}).Draw(t, "c_init")
	cfg.RootFirstPlayReduction = rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(t, "root_first_play_reduction")
	cfg.ForcedPlayouts = rapid.SampledFrom([]float64{0, 2, 10}).Draw(t, "forced_playouts")
	cfg.RootPolicyTemperature = rapid.SampledFrom([]float64{1, 2}).Draw(t, "root_policy_temperature")
	d := &duel[S]{
		search: mcts.New[S](cfg, actions),
		oracle: &oracle[S]{cfg: cfg},
		ev:     hashed[S](rapid.Uint64().Draw(t, "evaluator")),
		priors: [][]float32{make([]float32, actions)},
		values: make([]float32, 1),
	}
	if rapid.Bool().Draw(t, "knows nothing") {
		d.ev = &mcts.Uniform[S]{}
	}
	d.search.Reset(start)
	d.oracle.reset(start)
	t.Repeat(map[string]func(*rapid.T){
		"one after the other": func(t *rapid.T) {
			for range rapid.IntRange(1, 60).Draw(t, "simulations") {
				d.selectLeaf(t)
				d.expandAll()
			}
		},
		"several in flight": func(t *rapid.T) {
			for range rapid.IntRange(1, 20).Draw(t, "leaves") {
				d.selectLeaf(t)
			}
			for range rapid.IntRange(0, len(d.leaves)).Draw(t, "expanded") {
				d.expand()
			}
		},
		"noise":   func(t *rapid.T) { d.addNoise(t, rapid.Uint64().Draw(t, "seed")) },
		"advance": func(t *rapid.T) { d.advance(t, start) },
		"":        d.compare,
	})
}

func (d *duel[S]) selectLeaf(t *rapid.T) {
	leaf, status := d.search.Select()
	wantLeaf, wantStatus := d.oracle.selectLeaf()
	if status != wantStatus || leaf.Key() != wantLeaf.Key() {
		t.Fatalf("Select led to %v, status %d; want %v, status %d", leaf, status, wantLeaf, wantStatus)
	}
	if status == mcts.Leaf {
		d.leaves = append(d.leaves, leaf)
	}
}

// expand expands the oldest leaf in flight. Where that is the root and it gets its noise, the oracle takes over the priors:
// the noise is tested by itself.
func (d *duel[S]) expand() {
	if err := d.ev.Evaluate(d.leaves[:1], d.priors, d.values); err != nil {
		panic(err)
	}
	d.leaves = d.leaves[1:]
	opensRoot := d.oracle.root.priors == nil
	d.search.Expand(d.priors[0], d.values[0])
	d.oracle.expand(d.priors[0], d.values[0])
	if opensRoot && d.hasNoise {
		d.copyPriors()
	}
}

func (d *duel[S]) expandAll() {
	for len(d.leaves) > 0 {
		d.expand()
	}
}

func (d *duel[S]) addNoise(t *rapid.T, seed uint64) {
	if d.hasNoise {
		t.Skip("once per move")
	}
	d.hasNoise = true
	d.search.Begin(1, random.New(seed, random.Test))
	d.oracle.explores = true
	d.copyPriors()
}

func (d *duel[S]) copyPriors() {
	for _, stat := range d.search.Stats(nil) {
		d.oracle.root.priors[stat.Action] = stat.Prior
	}
}

// advance plays any legal move, visited or not, and starts again where the game is over.
func (d *duel[S]) advance(t *rapid.T, start S) {
	d.expandAll()
	d.hasNoise = false
	legal := d.search.Root().Legal(nil)
	if len(legal) == 0 {
		d.search.Reset(start)
		d.oracle.reset(start)
		return
	}
	a := rapid.SampledFrom(legal).Draw(t, "move")
	d.search.Advance(a)
	d.oracle.advance(a)
}

// compare checks every number in the two trees.
func (d *duel[S]) compare(t *rapid.T) {
	want := map[string]mcts.EdgeStat{}
	d.oracle.walk(func(path []game.Action, e mcts.EdgeStat) { want[fmt.Sprint(path)] = e })
	moves := 0
	d.search.Walk(func(path []game.Action, e mcts.EdgeStat) {
		moves++
		w, ok := want[fmt.Sprint(path)]
		if len(path) == 0 {
			w.Prior = e.Prior // nothing depends on it
		}
		if !ok || math.Abs(e.ValueSum-w.ValueSum) > 1e-9 {
			t.Fatalf("after %v: search has %+v, oracle %+v", path, e, w)
		}
		w.ValueSum = e.ValueSum
		if e != w {
			t.Fatalf("after %v: search has %+v, oracle %+v", path, e, w)
		}
	})
	if moves != len(want) {
		t.Fatalf("search has %d moves in its tree, oracle %d", moves, len(want))
	}
	if proven := d.oracle.root.proven; d.search.Proven() != proven {
		t.Fatalf("root is proven a %v, want %v", d.search.Proven(), proven)
	}
	if err := d.search.CheckOrder(); err != nil {
		t.Fatal(err)
	}
}
