package replay

import "slices"

// valueTargets returns what the network's value is to learn from g, a number for each searched ply, in [-1, 1] for the
// side to move. nil stands for the outcome of the game, AlphaZero's z: of every game where Config mixes and cuts
// nothing, and of the games of model 0, which knows nothing yet.
//
// z of a game with random moves and noise says little about its early positions. With the values v of the searches, and
// the end of the game at ply T,
//
//	R_T = q_T = v_T = z
//	R_t = -R_{t+1}                         the outcome
//	q_t = (1-lambda) v_t - lambda q_{t+1}  the lambda-return (Sutton 1988, "Learning to predict by the methods of temporal differences")
//	target_t = (1-mix) R_t + mix q_t
//
// Where the move played at t was a blunder, what came of it says nothing about t and the plies before. There
//
//	R_t = q_t = v_t
//
// takes its place (Leela Chess Zero's rescorer calls it deblundering).
//
// exact are the results of perfect play at the last of the searched plies, for the side to move. They take the place of
// R, q and v there, and are the target, also in games of model 0. (Leela Chess Zero's rescorer takes results of
// endgames from tables.)
func (c Config) valueTargets(g *Record, exact []int8) []float32 {
	if len(exact) == 0 && (c.ValueMix == 0 && c.CutBlunders == 0 || g.Model == 0) {
		return nil
	}
	mix := c.ValueMix * min(1, float64(g.Model)/float64(max(1, c.ValueWarmup)))
	targets := make([]float32, g.Searched())
	outcome := float64(g.OutcomeAt(len(g.Moves)))
	mean, next := outcome, outcome     // q and v at the ply after row
	known := len(targets) - len(exact) // rows before the first exact one
	for row := len(targets) - 1; row >= 0; row-- {
		if row >= known {
			v := float64(exact[row-known])
			outcome, mean, next, targets[row] = v, v, v, float32(v)
			continue
		}
		v := float64(g.Values[row])
		outcome = -outcome
		mean = (1-c.ValueLambda)*v - c.ValueLambda*mean
		if c.CutBlunders > 0 && g.Model > 0 && v > c.CutBlunders-next && g.explored(row) {
			outcome, mean = v, v
		}
		targets[row] = float32((1-mix)*outcome + mix*mean)
		next = v
	}
	return targets
}

// explored reports whether another move than the one played at a searched ply has a larger share of the policy. Only
// then can a loss of value be the fault of the move: after the best one, it is the search that was wrong, and what came
// of it is the truth.
func (g *Record) explored(row int) bool {
	actions, shares := g.Policy.Row(row)
	if len(actions) == 0 {
		return false
	}
	played, found := slices.BinarySearch(actions, int16(g.Moves[g.Opening+row]))
	return !found || shares[played] < slices.Max(shares)
}
