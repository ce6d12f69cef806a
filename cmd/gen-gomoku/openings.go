package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"tengen/eval/gomoku"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/internal/random"
)

// An opening is balanced when nobody wins or threatens to win by forced moves, and the first player wins about half of the
// referee's games from there.
const (
	fewestStones, mostStones = 3, 6

	refereeNodes = 30
	refereeSlack = 0.3

	trialGames  = 8 // an opening of which one side wins less than trialLeast is given up
	trialLeast  = 3
	refereeAll  = 30
	refereeMost = 17 // of refereeAll, won by one side
)

// drawOpenings returns the lines of both halves, that for development first.
func drawOpenings(ctx context.Context, cfg config) ([]string, error) {
	var halves [2][]string
	seen := map[game.Key]bool{}
	err := draw(ctx, cfg.workers, func() func(int) []game.Action { return newReferee(cfg.seed).draw }, func(half grade.Half, moves []game.Action) bool {
		if moves == nil || len(halves[half]) == cfg.openings || seen[gomoku.Folded(moves)] {
			return true
		}
		seen[gomoku.Folded(moves)] = true
		halves[half] = append(halves[half], board.FormatMoves(moves))
		if n := len(halves[grade.Dev]) + len(halves[grade.Final]); n%20 == 0 {
			fmt.Fprintf(os.Stderr, "%d openings\n", n)
		}
		return len(halves[grade.Dev])+len(halves[grade.Final]) < 2*cfg.openings
	})
	return slices.Concat(halves[grade.Dev], halves[grade.Final]), err
}

// referee judges openings, on one goroutine.
type referee struct {
	seed   uint64
	prover *forced.Prover[gomoku.State]
	mover  *mover
}

func newReferee(seed uint64) *referee {
	return &referee{seed, forced.New[gomoku.State](), newMover(refereeNodes, true)}
}

// draw scatters stones. It returns nil if that is no balanced opening.
func (r *referee) draw(number int) []game.Action {
	rng := random.New(r.seed, random.Balanced, uint64(number))
	s, moves := scatter(fewestStones+rng.IntN(mostStones-fewestStones+1), rng)
	found := r.prover.Examine(s, gomoku.Nodes)
	if found.Result != forced.Unknown || slices.Contains(found.Moves, forced.Loss) {
		return nil
	}
	var points [2]int // half points of the second and the first player
	for g := range refereeAll {
		if g == trialGames && min(points[0], points[1]) < 2*trialLeast {
			return nil
		}
		end := s
		for !isOver(end) {
			end = end.Play(r.mover.choose(end, refereeSlack, rng))
		}
		switch z, _ := end.Outcome(); {
		case z == 0:
			points[0]++
			points[1]++
		default:
			points[end.Ply()%2] += 2
		}
	}
	if max(points[0], points[1]) > 2*refereeMost {
		return nil
	}
	return moves
}
