package train

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"tengen/net"
)

func optimizerConfig(name string) Config {
	cfg := alphaZero()
	cfg.Optimizer, cfg.L2 = name, 0.05
	return cfg
}

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

func stepAll(o *Optimizer, step uint64, rate float64, params, gradients []net.Param) {
	for _, b := range o.blocks {
		o.update(step, rate, params, gradients, b)
	}
}

// reference is one parameter's textbook update, in float64.
func reference(optimizer string, t int, rate, mu float64, w, g float64, m []float64) float64 {
	switch optimizer {
	case "sgd":
		m[0] = mu*m[0] + g
		return w - rate*(g+mu*m[0])
	default:
		m[0] = mu*m[0] + (1-mu)*g
		m[1] = 0.999*m[1] + 0.001*g*g
		mHat := m[0] / (1 - math.Pow(mu, float64(t)))
		vHat := m[1] / (1 - math.Pow(0.999, float64(t)))
		return w - rate*mHat/(math.Sqrt(vHat)+1e-8)
	}
}

func TestOptimizerAgainstTheFormulas(t *testing.T) {
	for _, name := range []string{"sgd", "adam"} {
		t.Run(name, func(t *testing.T) {
			cfg := optimizerConfig(name)
			rng := rand.New(rand.NewPCG(1, 2))
			params, gradients := twoParams(rng), twoParams(rng)
			var want [][]float64
			var moments [][][]float64
			for _, p := range params {
				w := make([]float64, len(p.Data))
				for i, x := range p.Data {
					w[i] = float64(x)
				}
				want = append(want, w)
				moments = append(moments, make([][]float64, len(w)))
				for i := range w {
					moments[len(moments)-1][i] = make([]float64, 2)
				}
			}
			o := NewOptimizer(cfg, params)
			for step := 1; step <= 30; step++ {
				rate := 0.1 / float64(step)
				randomize(gradients, rng)
				for k, p := range params {
					for i := range p.Data {
						want[k][i] = reference(name, step, rate, 0.9, want[k][i], float64(gradients[k].Data[i]), moments[k][i])
					}
				}
				stepAll(o, uint64(step), rate, params, gradients)
				for k, p := range params {
					for i, x := range p.Data {
						if math.Abs(float64(x)-want[k][i]) > 1e-5 {
							t.Fatalf("step %d, %s[%d] is %v, want %v", step, p.Name, i, x, want[k][i])
						}
					}
				}
			}
		})
	}
}

// An optimizer restored from the moments and the number of steps continues with the same bits.
func TestOptimizerRestore(t *testing.T) {
	for _, name := range []string{"sgd", "adam"} {
		cfg := optimizerConfig(name)
		run := func(o *Optimizer, params []net.Param, from, to int) {
			for step := from; step < to; step++ {
				gradients := twoParams(rand.New(rand.NewPCG(9, uint64(step))))
				stepAll(o, uint64(step+1), 0.01, params, gradients)
			}
		}
		whole := twoParams(rand.New(rand.NewPCG(1, 2)))
		o := NewOptimizer(cfg, whole)
		run(o, whole, 0, 20)

		params := twoParams(rand.New(rand.NewPCG(1, 2)))
		first := NewOptimizer(cfg, params)
		run(first, params, 0, 7)
		second := NewOptimizer(cfg, params)
		if err := copyParams(second.moments, first.moments); err != nil {
			t.Fatal(err)
		}
		run(second, params, 7, 20)
		if !reflect.DeepEqual(params, whole) || !reflect.DeepEqual(second.moments, o.moments) {
			t.Errorf("%s: resumed %v, undisturbed %v", name, params, whole)
		}
	}
}

func TestOptimizerRejectsOtherMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	params := twoParams(rng)
	o := NewOptimizer(optimizerConfig("adam"), params)
	turned := NewOptimizer(optimizerConfig("adam"), []net.Param{{Name: params[0].Name, Shape: []int{3, 2}, Data: params[0].Data}, params[1]})
	if err := copyParams(o.moments, turned.moments); err == nil {
		t.Error("moments of another shape were taken in")
	}
	other := NewOptimizer(optimizerConfig("sgd"), params)
	if err := copyParams(o.moments, other.moments); err == nil {
		t.Error("the state of another optimizer was taken in")
	}
}

func TestLearningRate(t *testing.T) {
	cfg := Config{Iterations: 11, LearningRate: 1, FinalLearningRate: 0.2, WarmupSteps: 4}
	for _, test := range []struct {
		decay     string
		step      uint64
		iteration int
		want      float64
	}{
		{"none", 0, 1, 0.25},
		{"none", 1, 1, 0.5},
		{"none", 3, 1, 1},
		{"none", 4, 11, 1},
		{"linear", 100, 1, 1},
		{"linear", 100, 6, 0.6},
		{"linear", 100, 11, 0.2},
		{"cosine", 100, 1, 1},
		{"cosine", 100, 6, 0.6},
		{"cosine", 100, 11, 0.2},
		{"cosine", 1, 6, 0.3},
	} {
		cfg.Decay = test.decay
		if got := cfg.learningRate(test.step, test.iteration); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s, step %d, iteration %d: %v, want %v", test.decay, test.step, test.iteration, got, test.want)
		}
	}
	one := Config{Iterations: 1, LearningRate: 1, FinalLearningRate: 0.2, Decay: "cosine"}
	if got := one.learningRate(0, 1); got != 1 {
		t.Errorf("a run of one iteration has learning rate %v, want 1", got)
	}
}
