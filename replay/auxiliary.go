package replay

import "tengen/game"

// This file makes the targets of the auxiliary heads (Wu 2019, "Accelerating Self-Play Learning in Go", sections 3.4
// and 4.1). A missing target is all 0, which adds nothing to the loss.

// Names of the auxiliary heads.
const (
	reply     = "reply"     // predicts the opponent's next move
	occupancy = "occupancy" // predicts which side holds each cell at the end
)

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

// replies are the numbers [actions] that the first and the second player give to the opponent's moves. In a game.Turned the
// opponent sees the same cell under another number, and a head can learn a move only at the cell where the planes show its
// piece. In other games the numbers are the opponent's own.
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

// occupancyTarget writes who holds each cell in the last position of the game, [cells, 3], one-hot: the side to move at
// the ply, its opponent, or neither. Resigned games have no target: their last board would teach that some cells always
// stay empty.
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
		dst[3*int(v.Cells[cell])+owner] = 1
	}
}

// owners are the sides that hold the cells [H*W] of the planes in the last position of a game, as the first player and as
// the second sees the board (see game.Turned). They are nil if the game was resigned.
type owners [2][]game.Side

// ownersOf returns the owners at the end of a game, whose positions must implement game.Diagram.
func ownersOf[S game.State[S]](rules game.Game[S], g *Record) *owners {
	if g.Resigned {
		return &owners{}
	}
	diagram := any(position(rules, g, len(g.Moves))).(game.Diagram)
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
			o[i][seen] = diagram.Cell(cell)
		}
	}
	return &o
}
