package net

import "tengen/game"

// Averaged scores positions with a network by the mean over images of the position under symmetries of the game. The network has
// not learned that they are equal, so its mistakes differ, and the mean has less of them. It takes as many evaluations as
// there are symmetries. It is not safe for concurrent use, nor together with the Evaluator that it was made of.
type Averaged[S game.State[S]] struct {
	evaluator  *Evaluator[S]
	symmetries []game.Symmetry

	// Scratch. The sums are those of the position at hand, over the images so far.
	planes []float32 // [planes, H, W]
	logits []float32 // [actions], turned back
	prior  []float32 // [actions]
	sums   []float64 // [actions], of the priors
	value  float64
}

// Averaged returns what scores positions by the mean over their images under symmetries, at least one of them, with the network
// of e.
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

// Evaluate is Evaluator.Evaluate: priors [Actions] become the mean of the images' priors, turned back, and values the mean of
// their values.
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
			if image == images-1 {
				values[i] = m.mean(priors[i])
			}
		}
		start += n
	}
	return nil
}

// add adds row k of the network's output to the sums, which it begins anew for the first image.
func (m *Averaged[S]) add(k int, leaf S, image int) error {
	inference := m.evaluator.inference
	logits := inference.Logits(k)
	for a, b := range m.symmetries[image].Actions {
		m.logits[a] = logits[b]
	}
	value := inference.Value(k)
	if err := m.evaluator.judge(leaf, m.logits, value, m.prior); err != nil {
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

// mean sets prior to the mean over all images and returns that of the value.
func (m *Averaged[S]) mean(prior []float32) (value float32) {
	images := float64(len(m.symmetries))
	for a, sum := range m.sums {
		prior[a] = float32(sum / images)
	}
	return float32(m.value / images)
}
