package train

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

func filledWindow(t testing.TB) *replay.Window[mnk.State] {
	t.Helper()
	w := testWindow()
	for i := range uint64(12) {
		noError(t, w.Add(fakeGame(i, 0, 0)))
	}
	return w
}

func newTestLearner(t testing.TB, cfg Config) *Learner {
	return closed(t, NewLearner(cfg, testWeights(), testSeed))
}

// closed closes the learner at the end of the test.
func closed(t testing.TB, l *Learner) *Learner {
	t.Cleanup(l.Close)
	return l
}

func steps(t testing.TB, l *Learner, w Window, n int) (last StepResult) {
	t.Helper()
	for i := range n {
		var err error
		if last, err = l.Step(w, 1, i+1 == n); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func TestLearnerLearns(t *testing.T) {
	cfg := testConfig()
	cfg.LearningRate = 0.01
	wide := net.Config{Blocks: 1, Channels: 8, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 2, ValueHidden: 16}
	l, w := closed(t, NewLearner(cfg, net.NewWeights(wide, testWeights().Shape, testSeed), testSeed)), filledWindow(t)
	first := steps(t, l, w, 1)
	steps(t, l, w, 250)
	var last checkpoint.Learning
	for range 20 {
		result := steps(t, l, w, 1)
		addStep(&last, result, 20)
		sum := result.L2
		for _, term := range result.Terms {
			sum += term.Loss
		}
		if loss := result.Total + result.L2; math.Abs(float64(sum-loss)) > 1e-5 || result.L2 <= 0 {
			t.Errorf("the terms add up to %v, the loss is %v", sum, loss)
		}
	}
	if last.Terms[0].Loss > 0.8*float64(first.Terms[0].Loss) || last.Loss > 0.95*float64(first.Total+first.L2) {
		t.Errorf("losses %+v, after 250 steps %+v", first.Losses, last)
	}
}

// drawnWindow keeps the samples that were drawn from it.
type drawnWindow struct {
	*replay.Window[mnk.State]
	planes [][]float32 // by call of Sample
}

func (w *drawnWindow) Sample(rng *rand.Rand, b *game.Batch) {
	w.Window.Sample(rng, b)
	w.planes = append(w.planes, slices.Clone(b.Planes))
}

// Every step and every seed draws its own samples, and the same ones in a second run.
func TestStepsDrawTheirOwnSamples(t *testing.T) {
	var drawn [3][][]float32
	for i, seed := range []uint64{testSeed, testSeed, testSeed + 1} {
		w := &drawnWindow{Window: filledWindow(t)}
		steps(t, closed(t, NewLearner(testConfig(), testWeights(), seed)), w, 3)
		drawn[i] = w.planes
	}
	if len(drawn[0]) != 3 || !reflect.DeepEqual(drawn[0], drawn[1]) {
		t.Errorf("%d draws in 3 steps, or others in the second run", len(drawn[0]))
	}
	different := slices.Concat(drawn[1], drawn[2])
	for i, a := range different {
		for j, b := range different[:i] {
			if slices.Equal(a, b) {
				t.Errorf("draws %d and %d are equal", j, i)
			}
		}
	}
}

// The same steps give the same bits on one core as on several.
func TestStepsDoNotDependOnCores(t *testing.T) {
	w := filledWindow(t)
	run := func(cores int) *net.Weights {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		l := newTestLearner(t, testConfig())
		steps(t, l, w, 10)
		return l.weights
	}
	one := run(1)
	for _, cores := range []int{2, 3, 8} {
		if !reflect.DeepEqual(run(cores), one) {
			t.Errorf("one core and %d lead to different weights", cores)
		}
	}
}

// The penalty is c times the sum of the squares of all weights and biases, and its gradient is in Adam's moments.
func TestPenalty(t *testing.T) {
	const c = 0.02
	step := func(l2 float64) (StepResult, []net.Param) {
		cfg := testConfig()
		cfg.L2 = l2
		l := newTestLearner(t, cfg)
		return steps(t, l, filledWindow(t), 1), l.optimizer.moments
	}
	without, plain := step(0)
	with, penalised := step(c)
	if without.L2 != 0 || with.Total != without.Total {
		t.Errorf("without the penalty %+v, with it %+v", without, with)
	}
	squares := 0.0
	for k, p := range testWeights().Params {
		for i, w := range p.Data {
			squares += float64(w) * float64(w)
			got := float64(penalised[k].Data[i] - plain[k].Data[i])
			if want := (1 - beta1) * 2 * c * float64(w); math.Abs(got-want) > 1e-7 {
				t.Fatalf("the penalty adds %v to the first moment of %s[%d], want %v", got, p.Name, i, want)
			}
		}
	}
	if want := c * squares; math.Abs(float64(with.L2)-want) > 1e-5*want {
		t.Errorf("the penalty is %v, want %v", with.L2, want)
	}
}

// The first step's first moment is 1 - beta1 times the gradient, the penalty's included, which is limited to a length of 5.
func TestGradientLimit(t *testing.T) {
	for _, l2 := range []float64{0, 10} {
		cfg := testConfig()
		cfg.L2 = l2
		l := newTestLearner(t, cfg)
		result := steps(t, l, filledWindow(t), 1)
		if (result.GradientNorm > 5) != (l2 > 0) {
			t.Fatalf("l2 %v: the gradient's norm is %v: the test needs one above the limit and one below", l2, result.GradientNorm)
		}
		sum := 0.0
		for _, p := range l.optimizer.moments[:len(l.weights.Params)] {
			sum += squares(p.Data)
		}
		if got, want := math.Sqrt(sum), (1-beta1)*min(5, result.GradientNorm); math.Abs(got-want) > 1e-5*want {
			t.Errorf("l2 %v: the first moment is %v long, want %v", l2, got, want)
		}
	}
}

// The weights that a learner starts from stay the caller's, and so do the tensors that it is restored from.
func TestLearnerLeavesTheWeightsAlone(t *testing.T) {
	cfg := testConfig()
	cfg.Average = 0.5
	weights := testWeights()
	l := closed(t, NewLearner(cfg, weights, testSeed))
	steps(t, l, filledWindow(t), 2)
	if !reflect.DeepEqual(weights, testWeights()) {
		t.Error("the weights of the caller have changed")
	}
	var tensors []net.Param
	for _, p := range l.tensors() {
		p.Data = slices.Clone(p.Data)
		tensors = append(tensors, p)
	}
	restored := closed(t, NewLearner(cfg, weights, testSeed))
	noError(t, copyParams(restored.tensors(), tensors))
	restored.resume(l.step)
	steps(t, restored, filledWindow(t), 2)
	if !reflect.DeepEqual(tensors, l.tensors()) {
		t.Error("the tensors of the checkpoint have changed")
	}
}

// A loss that is not finite ends the step with its number.
func TestLearnerDiverges(t *testing.T) {
	l, w := newTestLearner(t, testConfig()), filledWindow(t)
	steps(t, l, w, 2)
	l.weights.Params[0].Data[0] = float32(math.NaN())
	l.trainer.Update()
	_, err := l.Step(w, 1, true)
	wantError(t, err, "training diverged at step 2: ")
}

// The published weights are the mean of those after each step, the newest with the weight 1, each one before with decay times
// that of the next. The initial weights have no part in it, and learning continues as if there were no mean.
func TestPublishedIsTheMeanOfTheWeights(t *testing.T) {
	const decay = 0.75
	w := filledWindow(t)
	plain := newTestLearner(t, testConfig())
	cfg := testConfig()
	cfg.Average = decay
	l := newTestLearner(t, cfg)
	sums, total := make([][]float64, len(l.weights.Params)), 0.0
	for step := 1; step <= 12; step++ {
		steps(t, plain, w, 1)
		steps(t, l, w, 1)
		if !reflect.DeepEqual(l.weights, plain.weights) {
			t.Fatalf("step %d: the mean changes how the weights learn", step)
		}
		total = decay*total + 1
		for k, p := range l.weights.Params {
			if sums[k] == nil {
				sums[k] = make([]float64, len(p.Data))
			}
			for i, x := range p.Data {
				sums[k][i] = decay*sums[k][i] + float64(x)
				got, want := float64(l.Published().Params[k].Data[i]), sums[k][i]/total
				if math.Abs(got-want) > 1e-6 {
					t.Fatalf("step %d: the mean of %s[%d] is %v, want %v", step, p.Name, i, got, want)
				}
			}
		}
	}
	if reflect.DeepEqual(l.Published(), l.weights) {
		t.Error("the mean of twelve weights is the last of them")
	}
}

// Without a mean the weights are published, and the checkpoint has no mean.
func TestPublishedWithoutAverage(t *testing.T) {
	l := newTestLearner(t, testConfig())
	if l.Published() != l.weights {
		t.Error("without an average other weights are published than the learner's")
	}
	if n, params := len(l.tensors()), len(l.weights.Params); n != 3*params { // themselves and two moments
		t.Errorf("%d tensors for %d parameters", n, params)
	}
}

func TestLearnerRejectsForeignTensors(t *testing.T) {
	tensors := newTestLearner(t, testConfig()).tensors()
	averaged := testConfig()
	averaged.Average = 0.5
	wantError(t, copyParams(newTestLearner(t, averaged).tensors(), tensors), "tensors, want")

	narrow := net.NewWeights(net.Config{Blocks: 1, Channels: 2, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 4},
		net.ShapeOf(mnk.TicTacToe()), testSeed)
	l := closed(t, NewLearner(testConfig(), narrow, testSeed))
	wantError(t, copyParams(l.tensors(), tensors), "tensor weights/")
	wantError(t, copyParams(l.tensors(), nil), "0 tensors, want")
}
