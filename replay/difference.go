package replay

import (
	"fmt"
	"math"
	"slices"
)

// Difference describes where a record first differs from another of the same game, "" if nowhere: ply by ply in search
// and move, in the end of the game, or in the checksum of the evaluations, if known. It ignores the model.
func Difference(got, want *Record) string {
	for ply := range min(len(got.Moves), len(want.Moves)) {
		if text := differenceAt(ply, got, want); text != "" {
			return fmt.Sprintf("at ply %d %s", ply, text)
		}
	}
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"number of moves", len(got.Moves), len(want.Moves)},
		{"length of the opening", got.Opening, want.Opening},
		{"outcome for the first player", got.Outcome, want.Outcome},
	} {
		if part.got != part.want {
			return fmt.Sprintf("the %s is %v, it should be %v", part.name, part.got, part.want)
		}
	}
	if got.Evaluations != want.Evaluations && got.Evaluations != 0 && want.Evaluations != 0 {
		return fmt.Sprintf("the network's evaluations have the checksum %08x, it should be %08x", got.Evaluations, want.Evaluations)
	}
	return ""
}

func differenceAt(ply int, got, want *Record) string {
	i, j := ply-got.Opening, ply-want.Opening
	switch {
	case (i < 0) != (j < 0):
		return fmt.Sprintf("the opening has %d moves, it should have %d", got.Opening, want.Opening)
	case i < 0:
	case math.Float32bits(got.Values[i]) != math.Float32bits(want.Values[j]):
		return fmt.Sprintf("the value is %v, it should be %v", got.Values[i], want.Values[j])
	case !samePolicy(&got.Policy, i, &want.Policy, j):
		return "the policy differs"
	case got.Simulations[i] != want.Simulations[j]:
		return fmt.Sprintf("the search has %d simulations, it should have %d", got.Simulations[i], want.Simulations[j])
	case got.Weights[i] != want.Weights[j]:
		return fmt.Sprintf("the weight is %d, it should be %d", got.Weights[i], want.Weights[j])
	}
	if got.Moves[ply] != want.Moves[ply] {
		return fmt.Sprintf("the move is action %d, it should be %d", got.Moves[ply], want.Moves[ply])
	}
	return ""
}

func samePolicy(p *Policy, i int, q *Policy, j int) bool {
	actions, shares := p.Row(i)
	otherActions, otherShares := q.Row(j)
	return slices.Equal(actions, otherActions) && slices.Equal(shares, otherShares)
}
