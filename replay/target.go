package replay

import (
	"slices"

	"tengen/game"
)

// lambda is the weight of each search value in Config.ValueMix relative to the value one ply earlier.
const lambda float64 = 0.8

// valueWarmup is the number of the first model whose games get the full Config.ValueMix. The share rises from 0 for
// games by model 0, because early models' values are worthless.
const valueWarmup = 5

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
	mix := float64(c.ValueMix * min(1, float64(g.Model)/valueWarmup))
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
		q = float64((1-lambda)*v) - float64(lambda*q)
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

// This file makes the targets of the auxiliary heads (Wu 2019, "Accelerating Self-Play Learning in Go", sections 3.4
// and 4.1), see game.Batch.Targets.

// replyTarget writes the policy target of the next ply, [actions]. It is missing after the last move and if that search
// has no policy.
func replyTarget(dst []float32, g *windowGame, ply int, v view) {
	clear(dst)
	if ply+1 == len(g.Moves) {
		return
	}
	for a, share := range g.Policy.Shares(ply + 1 - g.Opening) {
		dst[v.Actions[v.replies[a]]] = share
	}
}

// replies are the numbers [actions] that the first and the second player give to the opponent's moves. In a game.Turned
// the opponent sees the same cell under another number, and a head can learn a move only at the cell where the planes
// show its piece. In other games the numbers are the opponent's own.
type replies [2][]game.Action

func repliesOf[S game.State[S]](rules game.Game[S]) replies {
	var r replies
	turned, isTurned := rules.(game.Turned)
	spatial, isSpatial := rules.(game.Spatial)
	for i := range r {
		r[i] = make([]game.Action, rules.Actions())
		for a := range r[i] {
			r[i][a] = game.Action(a)
		}
		if !isTurned || !isSpatial {
			continue
		}
		mover, planes := game.Mover(i), spatial.Layout().Planes
		for cell := range rules.Board().Cells() {
			from, to := turned.Seen(cell, mover.Opponent()), turned.Seen(cell, mover)
			for plane := range planes {
				r[i][from*planes+plane] = game.Action(to*planes + plane)
			}
		}
	}
	return r
}

// occupancyTarget writes who holds each cell in the last position of the game, [H*W, Holders], one-hot, for the side to
// move at the ply.
func occupancyTarget(dst []float32, g *windowGame, ply int, v view) {
	clear(dst)
	mover := game.Mover(ply)
	for cell, side := range g.owners[ply%2] {
		owner := 2
		switch side {
		case mover:
			owner = 0
		case mover.Opponent():
			owner = 1
		}
		dst[game.Holders*int(v.Cells[cell])+owner] = 1
	}
}

// owners are the sides that hold the cells [H*W] of the planes in the last position of a game, as the first player and
// as the second sees the board (see game.Turned).
type owners [2][]game.Side

// ownersOf returns the owners at the end of a game, whose positions must implement game.Diagram. A cell without an owner
// of its own (see game.Owned) belongs to the side that holds it.
func ownersOf[S game.State[S]](rules game.Game[S], g *Record) *owners {
	last := any(position(rules, g, len(g.Moves))).(game.Diagram)
	owner := last.Cell
	if owned, ok := last.(game.Owned); ok {
		owner = owned.Owner
	}
	cells := rules.Board().Cells()
	turned, _ := rules.(game.Turned)
	var o owners
	for i := range o {
		o[i] = make([]game.Side, cells)
		for cell := range cells {
			seen := cell
			if turned != nil {
				seen = turned.Seen(cell, game.Mover(i))
			}
			o[i][seen] = owner(cell)
		}
	}
	return &o
}
