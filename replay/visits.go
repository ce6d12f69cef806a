package replay

import (
	"fmt"
	"iter"
	"math"

	"tengen/game"
)

// Visits holds the visit counts of the searches of one game, a row for each, as compressed sparse rows: moves without
// visits take no room. Within a row the moves ascend and the counts are above 0. The zero value has no rows.
type Visits struct {
	ends    []uint32 // [rows]: row i is actions[ends[i-1]:ends[i]], and likewise counts
	actions []int16
	counts  []uint32
}

// Append adds a row from policy [Actions], whole visit counts as the Policy of an mcts.Decision has them. It panics on anything
// but whole numbers from 0 to 2^24, and when all are 0.
func (v *Visits) Append(policy []float32) {
	start := len(v.actions)
	for a, p := range policy {
		if p == 0 {
			continue
		}
		// float32 holds whole numbers exactly up to 2^24.
		if !(p >= 1 && p <= 1<<24) || p != float32(math.Trunc(float64(p))) || a > maxAction {
			panic(fmt.Sprintf("replay: %v visits of move %d", p, a))
		}
		v.actions = append(v.actions, int16(a))
		v.counts = append(v.counts, uint32(p))
	}
	if len(v.actions) == start {
		panic("replay: a search without visits")
	}
	v.ends = append(v.ends, uint32(len(v.actions)))
}

// Len is the number of rows.
func (v *Visits) Len() int { return len(v.ends) }

// Row returns the moves of row i that were visited, ascending, and how often. The caller must not change them.
func (v *Visits) Row(i int) (actions []int16, counts []uint32) {
	start := uint32(0)
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.actions[start:v.ends[i]], v.counts[start:v.ends[i]]
}

// Shares yields the moves of row i that were visited, ascending, and the share of the visits that each got. They add up to 1.
func (v *Visits) Shares(i int) iter.Seq2[game.Action, float32] {
	actions, counts := v.Row(i)
	sum := 0.0
	for _, count := range counts {
		sum += float64(count)
	}
	return func(yield func(game.Action, float32) bool) {
		for j, a := range actions {
			if !yield(game.Action(a), float32(float64(counts[j])/sum)) {
				return
			}
		}
	}
}

func (v *Visits) clone() Visits {
	return Visits{ends: exact(v.ends), actions: exact(v.actions), counts: exact(v.counts)}
}
