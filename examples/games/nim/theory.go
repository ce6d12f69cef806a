package nim

import (
	"context"
	"slices"

	"tengen/solver"
)

// Theory solves Nim by the xor of its piles. It is not safe for concurrent use.
//
// A score also says how soon the game ends when the winner hurries and the loser delays. This number of plies is the
// remoteness of the position (Steinhaus 1925; Berlekamp, Conway, Guy, "Winning Ways", chapter 9).
type Theory struct {
	game       *Game
	remoteness map[[MaxPiles]uint8]int // by piles in ascending order
}

// NewTheory returns a solver for g.
func NewTheory(g *Game) *Theory { return &Theory{g, map[[MaxPiles]uint8]int{}} }

// Wins reports whether the side to move wins, which it does if the xor of the piles is not 0 (Bouton 1901, "Nim, a game
// with a complete mathematical theory"). The same holds in misère Nim while a pile has two or more things; with single
// things only, the side that meets an even number of them wins. Where a move takes at most k things, a pile counts
// modulo k+1, since a side can make up its opponent's move to k+1 (Sprague 1935, Grundy 1939).
func Wins(piles [MaxPiles]uint8, rule Rule) bool {
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
func (t *Theory) Sign(_ context.Context, s State) (int, error) {
	if Wins(s.piles, t.game.rule) {
		return 1, nil
	}
	return -1, nil
}

// Solve returns the score of s, a position of the solver's game.
func (t *Theory) Solve(ctx context.Context, s State) (solver.Score, error) {
	sign, err := t.Sign(ctx, s)
	return solver.Score(sign) * solver.WinAt(t.game.MaxPlies(), s.Ply()+t.pliesLeft(s.piles)), err
}

// Nodes returns the number of sets of piles solved so far.
func (t *Theory) Nodes() uint64 { return uint64(len(t.remoteness)) }

// pliesLeft returns the remoteness of a set of piles. The theory spares most moves: in a won position only moves to lost
// ones matter.
func (t *Theory) pliesLeft(piles [MaxPiles]uint8) int {
	if piles == [MaxPiles]uint8{} {
		return 0
	}
	slices.Sort(piles[:])
	if plies, ok := t.remoteness[piles]; ok {
		return plies
	}
	plies, wins := 0, Wins(piles, t.game.rule)
	for i, things := range piles {
		if i > 0 && things == piles[i-1] {
			continue // the same moves
		}
		for left := range things {
			if most := t.game.rule.Most; most > 0 && int(things-left) > most {
				continue
			}
			next := piles
			next[i] = left
			if wins && Wins(next, t.game.rule) {
				continue
			}
			if after := 1 + t.pliesLeft(next); wins && plies > 0 {
				plies = min(plies, after)
			} else {
				plies = max(plies, after)
			}
		}
	}
	t.remoteness[piles] = plies
	return plies
}
