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
	sum := 0.0
	for a, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat32) || a > maxAction && w > 0 {
			panic(fmt.Sprintf("replay: move %d has the weight %v: weights are finite, not negative, and of moves up to %d", a, w, maxAction))
		}
		sum += float64(w)
	}
	left, shares, rests := FullShare, make([]uint16, len(weights)), make([]float64, len(weights))
	var moves []int
	for a, w := range weights {
		if w > 0 {
			exact := float64(w) * FullShare / sum
			whole := math.Floor(exact)
			shares[a], rests[a] = uint16(whole), exact-whole
			left -= int(whole)
			moves = append(moves, a)
		}
	}
	slices.SortStableFunc(moves, func(a, b int) int { return cmp.Compare(rests[b], rests[a]) })
	for _, a := range moves[:min(left, len(moves))] {
		shares[a]++
	}
	for a, share := range shares {
		if share > 0 {
			p.actions = append(p.actions, int16(a))
			p.shares = append(p.shares, share)
		}
	}
	p.ends = append(p.ends, uint32(len(p.actions)))
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
	return Policy{ends: slices.Clone(p.ends), actions: slices.Clone(p.actions), shares: slices.Clone(p.shares)}
}
