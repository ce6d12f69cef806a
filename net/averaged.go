package net

import "tengen/game"

// Averaged scores a position by the mean over its symmetric images. The images' errors partly cancel. It shares
// its Evaluator's memory; neither is safe for concurrent use.
type Averaged[S game.State[S]] struct {
	evaluator  *Evaluator[S]
	symmetries []game.Symmetry

	// Scratch memory. The sums are over the images so far.
	planes []float32 // [planes, H, W]
	logits []float32 // [actions], oriented as the position
	prior  []float32 // [actions]
	sums   []float64 // [actions], of the priors
	value  float64   // sum of the values, for the side to move
}

// Averaged returns an evaluator that averages over symmetries. It panics when there are none.
func (e *Evaluator[S]) Averaged(symmetries []game.Symmetry) *Averaged[S] {
	if len(symmetries) == 0 {
		panic("net: a mean over no images")
	}
	shape := e.inference.weights.Shape
	return &Averaged[S]{
		evaluator:  e,
		symmetries: symmetries,
		planes:     make([]float32, shape.inputLen()),
		logits:     make([]float32, shape.Actions),
		prior:      make([]float32, shape.Actions),
		sums:       make([]float64, shape.Actions),
	}
}

// Evaluate is Evaluator.Evaluate with means over the images.
func (m *Averaged[S]) Evaluate(leaves []S, priors [][]float32, values []float32) error {
	images := len(m.symmetries)
	inference := m.evaluator.inference
	for start, end := 0, len(leaves)*images; start < end; {
		n := min(end-start, inference.Batch())
		for k := range n {
			leaves[(start+k)/images].Encode(m.planes)
			m.symmetries[(start+k)%images].Apply(inference.Input(k), m.planes)
		}
		inference.Forward(n)
		for k := range n {
			i, image := (start+k)/images, (start+k)%images
			if err := m.add(k, leaves[i], image); err != nil {
				return err
			}
			if image < images-1 {
				continue
			}
			for a, sum := range m.sums {
				priors[i][a] = float32(sum / float64(images))
			}
			values[i] = float32(m.value / float64(images))
		}
		start += n
	}
	return nil
}

func (m *Averaged[S]) add(k int, leaf S, image int) error {
	inference := m.evaluator.inference
	logits := inference.Logits(k)
	for a, b := range m.symmetries[image].Actions {
		m.logits[a] = logits[b]
	}
	value := inference.Value(k)
	if err := m.evaluator.legalPriors(leaf, m.logits, value, m.prior); err != nil {
		return err
	}
	if image == 0 {
		clear(m.sums)
		m.value = 0
	}
	for a, p := range m.prior {
		m.sums[a] += float64(p)
	}
	m.value += float64(value)
	return nil
}
