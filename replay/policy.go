package replay

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"tengen/game"
)

// Policy holds the policy targets of one game's searches, one compressed sparse row per search. Within a row the moves
// ascend, their shares are above 0 and add up to FullShare. An empty row means there is no policy to learn. The zero
// value has no rows.
//
// Shares are fixed-point numbers, so that encoding does not change them.
type Policy struct {
	ends    []uint32 // [rows]: row i is actions[ends[i-1]:ends[i]], and likewise shares
	actions []int16
	shares  []uint16
}

// FullShare is the share of a move with all of the weight.
const FullShare = math.MaxUint16

// Append adds a row with the shares of weights, [Actions] from 0 up, such as visit counts. Shares are rounded down, and
// the largest fractional parts get the remaining units; ties go to the lower action. Weights that are nil or all 0 give
// an empty row. Append panics on a weight that is negative or not finite.
func (p *Policy) Append(weights []float32) {
	var positive []float64
	for a, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat32) || a > maxAction && w > 0 {
			panic(fmt.Sprintf("replay: move %d has the weight %v: weights are finite, not negative, and of moves up to %d", a, w, maxAction))
		}
		if w > 0 {
			p.actions = append(p.actions, int16(a))
			positive = append(positive, float64(w))
		}
	}
	p.endRow(positive)
}

// endRow completes a row whose actions are appended: it turns their weights, all above 0, into shares.
func (p *Policy) endRow(weights []float64) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	start, left := len(p.shares), FullShare
	rests, byRest := make([]float64, len(weights)), make([]int, len(weights))
	for i, w := range weights {
		exact := w * FullShare / sum
		whole := math.Floor(exact)
		rests[i], byRest[i] = exact-whole, i
		left -= int(whole)
		p.shares = append(p.shares, uint16(whole))
	}
	slices.SortStableFunc(byRest, func(i, j int) int { return cmp.Compare(rests[j], rests[i]) })
	for _, i := range byRest[:min(left, len(byRest))] {
		p.shares[start+i]++
	}
	p.dropZeros(start)
	p.ends = append(p.ends, uint32(len(p.actions)))
}

func (p *Policy) dropZeros(start int) {
	kept := start
	for i := start; i < len(p.shares); i++ {
		if p.shares[i] > 0 {
			p.actions[kept], p.shares[kept] = p.actions[i], p.shares[i]
			kept++
		}
	}
	p.actions, p.shares = p.actions[:kept], p.shares[:kept]
}

// Len returns the number of rows.
func (p *Policy) Len() int { return len(p.ends) }

// Row returns the moves of row i, ascending, and their shares in 1/FullShare. The caller must not change them.
func (p *Policy) Row(i int) (actions []int16, shares []uint16) {
	start := uint32(0)
	if i > 0 {
		start = p.ends[i-1]
	}
	return p.actions[start:p.ends[i]], p.shares[start:p.ends[i]]
}

// Shares yields the moves of row i, ascending, and their shares, from 0 to 1.
func (p *Policy) Shares(i int) iter.Seq2[game.Action, float32] {
	actions, shares := p.Row(i)
	return func(yield func(game.Action, float32) bool) {
		for j, a := range actions {
			if !yield(game.Action(a), float32(shares[j])/FullShare) {
				return
			}
		}
	}
}

func (p *Policy) clone() Policy {
	return Policy{ends: exact(p.ends), actions: exact(p.actions), shares: exact(p.shares)}
}
