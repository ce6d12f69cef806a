package replay

import "fmt"

// Difference describes where a record first differs from another of the same game, "" if nowhere: in the opening, ply by
// ply in search and move, in the end of the game, or in the checksum of the evaluations, if known. It ignores the model.
func Difference(got, want *Record) string {
	type part struct {
		name      string
		got, want any
	}
	parts := []part{{"length of the opening", got.Opening, want.Opening}}
	for ply := range min(len(got.Moves), len(want.Moves)) {
		if i := ply - want.Opening; i >= 0 && got.Opening == want.Opening {
			at := fmt.Sprintf("search at ply %d: the ", ply)
			parts = append(parts,
				part{at + "value", got.Values[i], want.Values[i]},
				part{at + "policy", fmt.Sprint(got.Policy.Row(i)), fmt.Sprint(want.Policy.Row(i))},
				part{at + "number of simulations", got.Simulations[i], want.Simulations[i]},
				part{at + "weight", got.Weights[i], want.Weights[i]})
		}
		parts = append(parts, part{fmt.Sprintf("action at ply %d", ply), got.Moves[ply], want.Moves[ply]})
	}
	parts = append(parts, part{"number of moves", len(got.Moves), len(want.Moves)}, part{"outcome for the first player", got.Outcome, want.Outcome})
	if got.Evaluations != 0 && want.Evaluations != 0 {
		parts = append(parts, part{"checksum of the network's evaluations", got.Evaluations, want.Evaluations})
	}
	for _, p := range parts {
		if got, want := fmt.Sprint(p.got), fmt.Sprint(p.want); got != want { // unlike numbers, texts tell 0 from -0
			return fmt.Sprintf("the %s is %.200s, it should be %.200s", p.name, got, want)
		}
	}
	return ""
}
