package train

import "math"

// nesterov is gradient descent with Nesterov's momentum in the form of Sutskever et al. 2013, "On the importance of
// initialization and momentum in deep learning", with the look-ahead taken at the gradient:
//
//	v <- mu v + g
//	w <- w - rate (g + mu v)
type nesterov struct{ momentum float64 }

func (nesterov) moments() []string { return []string{"velocity"} }

func (r nesterov) update(_ uint64, rate float64, w, g []float32, m [][]float32) {
	mu, lr, v := float32(r.momentum), float32(rate), m[0]
	for i := range w {
		v[i] = mu*v[i] + g[i]
		w[i] -= lr * (g[i] + mu*v[i])
	}
}

// adam is Adam (Kingma, Ba 2015, "Adam: a method for stochastic optimization", algorithm 1); with Optimizer's decoupled
// decay it is AdamW:
//
//	m <- beta1 m + (1 - beta1) g
//	v <- beta2 v + (1 - beta2) g^2
//	w <- w - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
type adam struct{ beta1 float64 }

const (
	adamBeta2   = 0.999
	adamEpsilon = 1e-8
)

func (adam) moments() []string { return []string{"mean", "square"} }

func (r adam) update(step uint64, rate float64, w, g []float32, m [][]float32) {
	beta1, beta2 := float32(r.beta1), float32(adamBeta2)
	lr := float32(rate / (1 - math.Pow(r.beta1, float64(step))))
	correction := float32(1 / (1 - math.Pow(adamBeta2, float64(step))))
	mean, square := m[0], m[1]
	for i := range w {
		mean[i] = beta1*mean[i] + (1-beta1)*g[i]
		square[i] = beta2*square[i] + (1-beta2)*g[i]*g[i]
		w[i] -= lr * mean[i] / (float32(math.Sqrt(float64(square[i]*correction))) + adamEpsilon)
	}
}
