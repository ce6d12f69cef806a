package replay

import "slices"

// valueTargets returns the value targets of g's searched plies, in [-1, 1] for the side to move. nil means the outcome
// of the game, AlphaZero's z: if Config mixes and cuts nothing, and for games of model 0, which knows nothing yet.
//
// With the values v of the searches, and the end of the game at ply T,
//
//	R_T = q_T = v_T = z
//	R_t = -R_{t+1}                         the outcome
//	q_t = (1-lambda) v_t - lambda q_{t+1}  the lambda-return (Sutton 1988, "Learning to predict by the methods of
//	                                       temporal differences")
//	target_t = (1-mix) R_t + mix q_t
//
// If the move played at t was a blunder, the rest of the game says nothing about t and earlier plies. Then
//
//	R_t = q_t = v_t
//
// (Leela Chess Zero's rescorer calls this deblundering).
//
// exact has the results of perfect play at the last of the searched plies, for the side to move. They replace R, q and
// v there and are the target, even in games of model 0. (Leela Chess Zero's rescorer uses endgame tables.)
func (c Config) valueTargets(g *Record, exact []int8) []float32 {
	if len(exact) == 0 && (c.ValueMix == 0 && c.CutBlunders == 0 || g.Model == 0) {
		return nil
	}
	mix := float64(c.ValueMix * min(1, float64(g.Model)/float64(max(1, c.ValueWarmup))))
	targets := make([]float32, g.Searched())
	r := float64(g.OutcomeAt(len(g.Moves)))
	q, nextV := r, r                        // at the ply after row, as r
	firstExact := len(targets) - len(exact) // the row of the first of exact
	for row := len(targets) - 1; row >= 0; row-- {
		v := float64(g.Values[row])
		if row >= firstExact {
			v = float64(exact[row-firstExact])
			r, q, nextV = v, v, v
			targets[row] = float32(v)
			continue
		}
		r = -r
		q = float64((1-c.ValueLambda)*v) - float64(c.ValueLambda*q)
		if c.CutBlunders > 0 && g.Model > 0 && v > c.CutBlunders-nextV && g.explored(row) {
			r, q = v, v
		}
		targets[row] = float32(float64((1-mix)*r) + float64(mix*q))
		nextV = v
	}
	return targets
}

// explored reports whether the policy at a searched ply prefers another move to the one played. Only then can the move
// be to blame for a loss of value: if the value falls after the preferred move, the search was wrong.
func (g *Record) explored(row int) bool {
	actions, shares := g.Policy.Row(row)
	if len(actions) == 0 {
		return false
	}
	played, found := slices.BinarySearch(actions, int16(g.Moves[g.Opening+row]))
	return !found || shares[played] < slices.Max(shares)
}
