package solver

import (
	"math"

	"tengen/game"
)

// Alpha-beta gains by trying good moves first. The order is: the move of the table; the killers, which cut off another
// position of the same ply (Akl and Newborn 1977); the others by their history, the cut-offs that they have caused anywhere,
// weighted by depth (Schaeffer 1989); and the order of the game among equals.
const (
	tableRank  = math.MaxInt
	killerRank = math.MaxInt - 1
)

// order sorts the moves of the position at ply. best is the table's move, or game.None, as played in the image by actions.
func (n *negamax[S]) order(ply int, best int16, actions []game.Action) {
	f := &n.line.frames[ply]
	history := n.history[ply&1]
	for i, a := range f.moves {
		rank := history[a]
		switch {
		case int16(actions[a]) == best:
			rank = tableRank
		case a == f.killers[0] || a == f.killers[1]:
			rank = killerRank
		}
		j := i
		for ; j > 0 && f.ranks[j-1] < rank; j-- {
			f.moves[j], f.ranks[j] = f.moves[j-1], f.ranks[j-1]
		}
		f.moves[j], f.ranks[j] = a, rank
	}
}

// credit notes that the move a cut off the position at ply.
func (n *negamax[S]) credit(ply, depth int, a game.Action) {
	n.history[ply&1][a] += depth * depth
	if killers := &n.line.frames[ply].killers; a != killers[0] {
		killers[0], killers[1] = a, killers[0]
	}
}
