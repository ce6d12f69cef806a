package net

import (
	"sync"

	"tengen/game"
)

// Owners guesses who will hold the cells at the end of a game. It is safe for concurrent use.
type Owners[S game.State[S]] struct {
	rules game.Game[S]

	mu        sync.Mutex // guards what follows
	inference *Inference // of one position
	logits    []float32  // [H*W, Holders], its output
	planes    []float32  // [planes, H, W]
	sum       []float32  // [H*W], as the side to move sees the board
}

// NewOwners compiles the network of w. It returns nil if the model does not know who will hold the cells. The weights
// must fit the game, see Model.Check.
func NewOwners[S game.State[S]](rules game.Game[S], w *Weights) *Owners[S] {
	if w.Config.OccupancyWeight == 0 || !w.has(explaining) {
		return nil
	}
	inf := compile(w, explaining, 1, 1)
	inf.Load(w)
	return &Owners[S]{
		rules:     rules,
		inference: inf,
		logits:    memory(inf.network.outputs[game.Occupancy]),
		planes:    make([]float32, w.Shape.inputLen()),
		sum:       make([]float32, w.Shape.cells()),
	}
}

// Guess returns for each cell of the board, [H*W], the probability that the side to move will hold it minus the
// probability that the opponent will: from -1 to 1. It is the mean over the board's symmetries.
func (o *Owners[S]) Guess(position S) []float32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	position.Encode(o.planes)
	clear(o.sum)
	symmetries := o.rules.Symmetries()
	var p [game.Holders]float32
	for _, s := range symmetries {
		s.Apply(o.inference.Input(0), o.planes)
		o.inference.Forward(1)
		for cell, image := range s.Cells {
			maskedSoftmax(p[:], o.logits[game.Holders*image:][:game.Holders], []game.Action{0, 1, 2})
			o.sum[cell] += p[0] - p[1]
		}
	}
	turned, isTurned := o.rules.(game.Turned)
	guess := make([]float32, len(o.sum))
	for cell := range guess {
		seen := cell
		if isTurned {
			seen = turned.Seen(cell, position.ToMove())
		}
		guess[cell] = o.sum[seen] / float32(len(symmetries))
	}
	return guess
}
