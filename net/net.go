// Package net is the policy-value network: one function that looks at a position and returns a logit for every move and
// an expected outcome for the side to move.
//
// The network is a symbolic Gorgonia graph, and the same builder makes the graph that plays and the graph that learns:
//
//	planes [B, planes, H, W]
//	  -> 3x3 convolution, ReLU -> residual blocks x' = ReLU(x + conv(ReLU(conv(x))))    or a plain stack of convolutions
//	  -> policy: 1x1 convolution, ReLU -> dense                                         logits [B, Actions]
//	  -> value:  1x1 convolution, ReLU -> dense, ReLU -> dense -> tanh                  value [B]
//
// It is the network of AlphaZero (Silver et al. 2018, "A general reinforcement learning algorithm that masters chess,
// shogi, and Go through self-play", Methods) without batch normalisation: what a position is worth then depends on that
// position and the weights alone, in training as in play, and there are no running statistics to keep. The initial
// weights make up for it, see NewWeights.
//
// Weights are plain slices of float32. Inference and Trainer each compile a graph for one batch size and copy weights in;
// Evaluator encodes positions for an Inference and turns its logits into priors; Model is a file of weights that says
// which game and architecture they are for.
//
// Two invariants hold throughout and are tested. A row of a batch does not influence another: a position gets the same
// bits whatever its place, its company and the size of the batch. And nothing is random but NewWeights, which draws from
// the seed that it is given.
package net

import "gorgonia.org/tensor"

// The free list that package tensor keeps by default blocks for ever when several goroutines return tensors at once.
func init() { tensor.DontUsePool() }
