package train

import (
	"math"
	"math/rand/v2"
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
