package theory

import (
	"context"
	"slices"

	"games/nim"
	"tengen/solver"
)

// Nim solves Nim. It is not safe for concurrent use.
type Nim struct {
	game *nim.Game
	ends map[[nim.MaxPiles]uint8]end // by piles in ascending order
}

// NewNim returns a solver for g.
func NewNim(g *nim.Game) *Nim { return &Nim{g, map[[nim.MaxPiles]uint8]end{}} }

// Wins reports whether the side to move wins, which it does if the xor of the piles is not 0 (Bouton 1901, "Nim, a game
// with a complete mathematical theory"). The same holds in misère Nim while a pile has two or more things; with single
// things only, the side that meets an even number of them wins. Where a move takes at most k things, a pile counts
// modulo k+1, since a side can make up its opponent's move to k+1 (Sprague 1935, Grundy 1939).
func Wins(piles [nim.MaxPiles]uint8, rule nim.Rule) bool {
	xor, largest := uint8(0), uint8(0)
	for _, n := range piles {
		if rule.Most > 0 {
			n %= uint8(rule.Most + 1)
		}
		xor, largest = xor^n, max(largest, n)
	}
	if rule.Misere && largest < 2 {
		return xor == 0
	}
	return xor != 0
}

// Sign returns the sign of the score by the xor of the piles.
func (n *Nim) Sign(_ context.Context, s nim.State) (int, error) {
	if Wins(s.Piles(), n.game.Rule()) {
		return 1, nil
	}
	return -1, nil
}

// Solve returns the score of s, a position of the solver's game.
func (n *Nim) Solve(_ context.Context, s nim.State) (solver.Score, error) {
	return n.end(s.Piles()).score(n.game.MaxPlies(), s.Ply()), nil
}

// Nodes returns the number of sets of piles solved so far.
func (n *Nim) Nodes() uint64 { return uint64(len(n.ends)) }

// end returns the end for a set of piles. The theory spares most moves: in a won position only moves to lost ones
// matter.
func (n *Nim) end(piles [nim.MaxPiles]uint8) end {
	slices.Sort(piles[:])
	if e, ok := n.ends[piles]; ok {
		return e
	}
	wins := Wins(piles, n.game.Rule())
	if piles == [nim.MaxPiles]uint8{} {
		return end{sign: signOf(wins)}
	}
	var r remoteness
	for i, things := range piles {
		if i > 0 && things == piles[i-1] {
			continue // the same moves
		}
		for left := range things {
			if most := n.game.Rule().Most; most > 0 && int(things-left) > most {
				continue
			}
			next := piles
			next[i] = left
			switch nextWins := Wins(next, n.game.Rule()); {
			case !nextWins:
				r.lost(n.end(next).plies)
			case !wins:
				r.won(n.end(next).plies)
			}
		}
	}
	e := r.end()
	n.ends[piles] = e
	return e
}

// signOf returns 1 if the side to move wins, else -1.
func signOf(wins bool) int8 {
	if wins {
		return 1
	}
	return -1
}
