package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/net"
)

// twoParams are a weight and a bias with random values.
func twoParams(rng *rand.Rand) []net.Param {
	params := []net.Param{
		{Name: "layer.weight", Shape: []int{2, 3}, Data: make([]float32, 6)},
		{Name: "layer.bias", Shape: []int{2}, Data: make([]float32, 2)},
	}
	randomize(params, rng)
	return params
}

func randomize(params []net.Param, rng *rand.Rand) {
	for _, p := range params {
		for i := range p.Data {
			p.Data[i] = float32(rng.NormFloat64())
		}
	}
}

func stepAll(o *adam, step uint64, rate float64, params, gradients []net.Param) {
	for _, b := range o.blocks {
		o.update(step, rate, params, gradients, b)
	}
}

func TestOptimizerAgainstTheFormulas(t *testing.T) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	rng := rand.New(rand.NewPCG(1, 2))
	params, gradients := twoParams(rng), twoParams(rng)
	type state struct{ w, mean, square float64 }
	var want [2][]state
	for k, p := range params {
		for _, x := range p.Data {
			want[k] = append(want[k], state{w: float64(x)})
		}
	}
	o := newAdam(params)
	for step := 1; step <= 30; step++ {
		rate := 0.1 / float64(step)
		randomize(gradients, rng)
		stepAll(o, uint64(step), rate, params, gradients)
		for k, p := range params {
			for i, x := range p.Data {
				s, g := &want[k][i], float64(gradients[k].Data[i])
				s.mean = beta1*s.mean + (1-beta1)*g
				s.square = beta2*s.square + (1-beta2)*g*g
				mean, square := s.mean/(1-math.Pow(beta1, float64(step))), s.square/(1-math.Pow(beta2, float64(step)))
				s.w -= rate * mean / (math.Sqrt(square) + epsilon)
				if math.Abs(float64(x)-s.w) > 1e-5 {
					t.Fatalf("step %d, %s[%d] is %v, want %v", step, p.Name, i, x, s.w)
				}
			}
		}
	}
}

// L2 alone shrinks weights to 0. On the way, no weight may be denormal: products with those are slow.
func TestUnusedWeightsBecomeZero(t *testing.T) {
	params, gradients := twoParams(rand.New(rand.NewPCG(1, 2))), twoParams(rand.New(rand.NewPCG(1, 2)))
	o := newAdam(params)
	average := slices.Clone(params[0].Data)
	for step := range uint64(20_000) {
		for k, p := range params {
			for i, w := range p.Data {
				gradients[k].Data[i] = 2e-4 * w
			}
		}
		stepAll(o, step+1, 0.002, params, gradients)
		approach(average, params[0].Data, 0.01)
		for _, data := range [][]float32{params[0].Data, params[1].Data, average} {
			if i := slices.IndexFunc(data, func(x float32) bool { return x != 0 && math.Abs(float64(x)) < 0x1p-126 }); i >= 0 {
				t.Fatalf("step %d leaves %g", step+1, data[i])
			}
		}
	}
	for _, p := range append(o.moments, net.Param{Name: "average", Data: average}, params[0], params[1]) {
		if slices.ContainsFunc(p.Data, func(x float32) bool { return x != 0 }) {
			t.Errorf("%s is %v at the end, want zeros", p.Name, p.Data)
		}
	}
}

func TestLearningRate(t *testing.T) {
	cfg := Config{Iterations: 11, LearningRate: 1, FinalLearningRate: 0.2}
	for _, test := range []struct {
		step      uint64
		iteration int
		want      float64
	}{
		{0, 1, 0.01},
		{1, 1, 0.02},
		{98, 1, 0.99},
		{99, 1, 1},
		{100, 1, 1},
		{100, 6, 0.6},
		{100, 11, 0.2},
		{49, 6, 0.3},
	} {
		if got := cfg.learningRate(test.step, test.iteration); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("step %d, iteration %d: %v, want %v", test.step, test.iteration, got, test.want)
		}
	}
	one := Config{Iterations: 1, LearningRate: 1, FinalLearningRate: 0.2}
	if got := one.learningRate(100, 1); got != 1 {
		t.Errorf("a run of one iteration has learning rate %v, want 1", got)
	}
}
