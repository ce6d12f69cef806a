package net

import "gorgonia.org/gorgonia"

// illegal is what the additive mask holds for illegal moves: enough that their probability is exactly 0, and finite, as
// 0 times an infinity is not a number.
const illegal = -1e9

// loss is AlphaZero's loss as an extension of a network's graph (Silver et al. 2018, Methods, equation 1):
//
//	total = mean_b (v - z)^2  -  mean_b sum_a pi_a log p_a  +  c |theta|^2
//
// where p is the softmax of the logits over the legal moves and theta are all parameters.
type loss struct {
	pi   *gorgonia.Node // [batch, actions] input: target policy
	mask *gorgonia.Node // [batch, actions] input: 0 for legal moves, else illegal
	z    *gorgonia.Node // [batch] input: outcome

	logPolicy *gorgonia.Node // [batch, actions]: log p
	value     *gorgonia.Node // scalars: the three terms and their sum
	policy    *gorgonia.Node
	l2        *gorgonia.Node
	total     *gorgonia.Node
}

// addLoss extends the graph of n by the loss and by the gradients with respect to the parameters. c is the weight of the
// L2 term.
func (n *network) addLoss(c float64) *loss {
	shape := n.logits.Shape()
	batch, actions := shape[0], shape[1]
	l := &loss{
		pi:   n.input("pi", batch, actions),
		mask: n.input("mask", batch, actions),
		z:    n.input("z", batch),
	}

	l.value = scale(sumOfSquares(gorgonia.Must(gorgonia.Sub(n.value, l.z))), 1/float64(batch))

	l.logPolicy = logSoftmax(add(n.logits, l.mask))
	l.policy = scale(sum(gorgonia.Must(gorgonia.HadamardProd(l.pi, l.logPolicy))), -1/float64(batch))

	squares := sumOfSquares(n.params[0])
	for _, p := range n.params[1:] {
		squares = add(squares, sumOfSquares(p))
	}
	l.l2 = scale(squares, c)

	l.total = add(add(l.value, l.policy), l.l2)
	if _, err := gorgonia.Grad(l.total, n.params...); err != nil {
		panic(err)
	}
	return l
}

// sum adds all elements of x. It reduces a vector: Gorgonia's gradient of a sum over several axes is wrong.
func sum(x *gorgonia.Node) *gorgonia.Node {
	return gorgonia.Must(gorgonia.Sum(reshape(x, x.Shape().TotalSize()), 0))
}

// sumOfSquares adds the squares of all elements of x.
func sumOfSquares(x *gorgonia.Node) *gorgonia.Node { return sum(gorgonia.Must(gorgonia.Square(x))) }

// scale multiplies a scalar by a constant.
func scale(x *gorgonia.Node, by float64) *gorgonia.Node {
	return gorgonia.Must(gorgonia.Mul(x, gorgonia.NewConstant(float32(by))))
}

func add(x, y *gorgonia.Node) *gorgonia.Node { return gorgonia.Must(gorgonia.Add(x, y)) }
