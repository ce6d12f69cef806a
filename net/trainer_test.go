package net

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/game"
	"tengen/internal/parallel"
	"tengen/internal/random"
)

// newTrainer returns a trainer of whole batches on one core.
func newTrainer(w *Weights, rows, microBatches int) *Trainer {
	return NewTrainer(w, rows, microBatches, parallel.NewPool(1))
}

func run(t *testing.T, trainer *Trainer) Losses {
	t.Helper()
	losses, err := trainer.Run()
	if err != nil {
		t.Fatal(err)
	}
	return losses
}

// TestLossesAgainstReference compares every term with plain loops.
func TestLossesAgainstReference(t *testing.T) {
	for _, a := range architectures {
		for _, rows := range []int{1, 8} {
			w := randomWeights(a, 21)
			b := newBatch(a.shape, rows, random.New(22, random.Test))
			trainer := newTrainer(w, rows, 1)
			give(trainer, b)
			got := run(t, trainer)
			value, policy, entropy := newReference(w).losses(b)
			for _, term := range []struct {
				name string
				got  float32
				want float64
			}{
				{"value", term(t, got, "value"), value}, {"policy", term(t, got, "policy"), policy},
				{"total", got.Total, value + policy}, {"entropy", got.Entropy, entropy},
			} {
				if !near(float64(term.got), term.want, 5e-5) {
					t.Errorf("%s, %d rows: %s is %v, want %v", a.name, rows, term.name, term.got, term.want)
				}
			}
		}
	}
}

// TestLossesAdd checks that the losses of two halves of a batch are their mean.
func TestLossesAdd(t *testing.T) {
	var mean Losses
	mean.Add(Losses{Terms: []Term{{"value", 1}, {"policy", 2}}, Total: 3, Entropy: 4}, 0.5)
	mean.Add(Losses{Terms: []Term{{"value", 3}, {"policy", 8}}, Total: 11, Entropy: 2}, 0.5)
	if want := (Losses{Terms: []Term{{"value", 2}, {"policy", 5}}, Total: 7, Entropy: 3}); !reflect.DeepEqual(mean, want) {
		t.Errorf("%+v, want %+v", mean, want)
	}
}

// TestExtremeLogits checks the loss where the rows of a batch differ as much as they can: a row that has the first move
// alone, beside rows that do not have it, and logits of 10^4.
func TestExtremeLogits(t *testing.T) {
	a := architecture{"", Config{Blocks: 0, Channels: 2, PolicyHead: HeadDense, PolicyChannels: 1, ValueHead: HeadDense, ValueChannels: 1, ValueHidden: 1}, Shape{2, 2, 3, 4, 0}}
	const rows = 3
	w := randomWeights(a, 23)
	copy(w.Params[slices.IndexFunc(w.Params, func(p Param) bool { return p.Name == "policy.out.bias" })].Data, []float32{-1e4, 1e4, 0})
	b := newBatch(a.shape, rows, random.New(24, random.Test))
	copy(b.Legal, []float32{0, 1, 1, 1, 0, 0, 1, 1, 1})
	copy(b.Pi, []float32{0, 1, 0, 1, 0, 0, 0, 1, 0})
	trainer := newTrainer(w, rows, 1)
	give(trainer, b)
	got := run(t, trainer)
	_, policy, _ := newReference(w).losses(b)
	if !near(float64(term(t, got, "policy")), policy, 5e-5) {
		t.Errorf("losses %+v, want policy %v", got, policy)
	}
	for _, g := range trainer.Gradients() {
		if i := slices.IndexFunc(g.Data, func(x float32) bool { return !finite(x) }); i >= 0 {
			t.Errorf("gradient of %s is %v", g.Name, g.Data[i])
		}
	}
}

// TestRowsWithoutPolicy checks that a row whose policy target is all 0 adds nothing to the policy's loss and gradient.
func TestRowsWithoutPolicy(t *testing.T) {
	a := architectures[4]
	const rows = 4
	w := randomWeights(a, 25)
	b := newBatch(a.shape, rows, random.New(26, random.Test))
	clear(b.Pi[a.shape.Actions:]) // all rows but the first
	trainer := newTrainer(w, rows, 1)
	give(trainer, b)
	got := run(t, trainer)
	if _, want, _ := newReference(w).losses(b); !near(float64(term(t, got, "policy")), want, 5e-5) || want <= 0 {
		t.Errorf("policy loss %v, want %v", got, want)
	}
	clear(b.Pi)
	give(trainer, b)
	if got := term(t, run(t, trainer), "policy"); got != 0 {
		t.Errorf("policy loss %v without any target", got)
	}
	checked := 0
	for _, g := range trainer.Gradients() {
		if !strings.HasPrefix(g.Name, "policy") {
			continue
		}
		checked++
		if i := slices.IndexFunc(g.Data, func(x float32) bool { return x != 0 }); i >= 0 {
			t.Errorf("gradient of %s is %v without any target", g.Name, g.Data[i])
		}
	}
	if checked == 0 {
		t.Error("no parameter of the policy was found")
	}
}

// TestTrainersAtOnce checks that trainers on several goroutines, compiled anew, get the same bits as one alone.
func TestTrainersAtOnce(t *testing.T) {
	const rows, workers, runs = 5, 4, 3
	a := architectures[4]
	w := randomWeights(a, 25)
	b := newBatch(a.shape, rows, random.New(26, random.Test))
	one := newTrainer(w, rows, 1)
	give(one, b)
	want := run(t, one)

	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			trainer := newTrainer(w, rows, 1)
			give(trainer, b)
			for range runs {
				got, err := trainer.Run()
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("losses %+v, %v, want %+v", got, err, want)
				}
				for i, g := range trainer.Gradients() {
					if !slices.Equal(g.Data, one.Gradients()[i].Data) {
						t.Errorf("gradient of %s differs", g.Name)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestDivergence checks that a Trainer reports a loss that is not finite.
func TestDivergence(t *testing.T) {
	a := architectures[0]
	w := randomWeights(a, 29)
	w.Params[0].Data[0] = float32(math.Inf(1))
	trainer := newTrainer(w, 2, 1)
	fill(trainer.Batch(), random.New(30, random.Test))
	if _, err := trainer.Run(); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("error %v", err)
	}
}

// TestMemory checks that a Trainer's runs leave nothing behind, nor do Trainers.
func TestMemory(t *testing.T) {
	const rows, limit = 4, 1 << 20
	a := architectures[4]
	w := randomWeights(a, 31)
	rng := random.New(32, random.Test)
	runs := func(trainer *Trainer, n int) {
		for range n {
			fill(trainer.Batch(), rng)
			run(t, trainer)
		}
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	trainer := newTrainer(w, rows, 1)
	runs(trainer, 10)
	before := heap()
	runs(trainer, 200)
	if grown := heap() - before; grown > limit {
		t.Errorf("200 runs left %d bytes behind", grown)
	}
	before = heap()
	for range 50 {
		trainer := newTrainer(w, rows, 1)
		runs(trainer, 1)
	}
	if grown := heap() - before; grown > limit {
		t.Errorf("50 trainers left %d bytes behind", grown)
	}
	runtime.KeepAlive(trainer)
}

// TestCoresDoNotMatter checks that a trainer computes the same bits on several cores, even on more than it has rows,
// and after it had other weights.
func TestCoresDoNotMatter(t *testing.T) {
	for _, a := range architectures {
		for _, batch := range [][2]int{{2, 1}, {2, 2}, {7, 1}, {12, 3}} {
			w := randomWeights(a, 41)
			b := newBatch(a.shape, batch[0], random.New(42, random.Test))
			one := newTrainer(w, batch[0], batch[1])
			give(one, b)
			want, err := one.Run()
			if err != nil {
				t.Fatal(err)
			}
			for _, cores := range []int{2, 3, 5, 16} {
				pool := parallel.NewPool(cores)
				trainer := NewTrainer(randomWeights(a, 40), batch[0], batch[1], pool)
				give(trainer, b)
				run(t, trainer)
				trainer.Load(w)
				for range 2 {
					got, err := trainer.Run()
					if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(trainer.Gradients(), one.Gradients()) {
						t.Errorf("%s, %v rows and micro-batches, %d cores: %v, other losses or gradients", a.name, batch, cores, err)
					}
				}
				pool.Close()
			}
		}
	}
}

// TestMicroBatches computes a batch in micro-batches, and each alone. The batch's losses and gradients must be the
// means over the micro-batches, to the bit.
func TestMicroBatches(t *testing.T) {
	const rows, microBatches = 8, 2
	for _, a := range architectures {
		w := randomWeights(a, 43)
		whole, alone := newTrainer(w, rows, microBatches), newTrainer(w, rows/microBatches, 1)
		b := newBatch(a.shape, rows, random.New(44, random.Test))
		give(whole, b)
		losses := run(t, whole)
		var mean Losses
		gradients := w.Clone().Params
		for _, g := range gradients {
			clear(g.Data)
		}
		for i := range microBatches {
			half := func(all []float32) []float32 { return all[i*len(all)/microBatches : (i+1)*len(all)/microBatches] }
			microBatch := &game.Batch{Planes: half(b.Planes), Pi: half(b.Pi), Legal: half(b.Legal), Z: half(b.Z), Targets: map[string][]float32{}}
			for name, rows := range b.Targets {
				microBatch.Targets[name] = half(rows)
			}
			give(alone, microBatch)
			mean.Add(run(t, alone), 1.0/microBatches)
			for k, g := range alone.Gradients() {
				for j, x := range g.Data {
					gradients[k].Data[j] += float32(x / microBatches)
				}
			}
		}
		if !reflect.DeepEqual(losses, mean) {
			t.Errorf("%s: losses %+v, want %+v", a.name, losses, mean)
		}
		for k, g := range whole.Gradients() {
			if !slices.Equal(g.Data, gradients[k].Data) {
				t.Errorf("%s: the gradient of %s is another", a.name, g.Name)
			}
		}
	}
}
