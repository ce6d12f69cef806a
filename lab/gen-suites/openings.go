package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// In a balanced opening, neither side has or threatens a forced win, and each wins about half of the referee's games.
const (
	minStones, maxStones = 3, 6
	refereeNodes         = 30
	refereeSlack         = 0.3
	refereeGames         = 30
	refereeMost          = 17 // wins allowed to a side; a draw counts as half a win
	trialGames           = 8  // games before a check that drops one-sided openings
	trialLeast           = 3  // wins that each side needs to pass it
)

func drawOpenings(ctx context.Context, cfg config) (*grade.Suite, error) {
	var halves [2]grade.Section
	seen := map[game.Key]bool{}
	newDrawer := func() drawer[[]game.Action] { return newReferee(cfg.seed).draw }
	err := draw(ctx, cfg.workers, newDrawer, func(number int, moves []game.Action) (more bool) {
		h := &halves[number%2]
		if moves == nil || len(h.Problems) == cfg.openings || seen[grade.Folded(board, moves)] {
			return true
		}
		seen[grade.Folded(board, moves)] = true
		h.Half, h.Problems = grade.Halves[number%2], append(h.Problems, grade.Problem{Moves: moves})
		if len(seen)%20 == 0 {
			fmt.Fprintf(os.Stderr, "%d openings\n", len(seen))
		}
		return len(seen) < 2*cfg.openings
	})
	return &grade.Suite{Answers: grade.Openings, Sections: halves[:]}, err
}

type referee struct {
	seed   uint64
	prover *forced.Prover[mnk.State]
	mover  *mover
}

func newReferee(seed uint64) *referee {
	return &referee{seed, forced.New[mnk.State](), newMover(refereeNodes, true)}
}

// draw is a drawer. It scatters stones and returns their moves, or nil if the opening is not balanced.
func (r *referee) draw(_ context.Context, number int) ([]game.Action, error) {
	rng := random.New(r.seed, random.Balanced, uint64(number))
	s, moves := scatter(minStones+rng.IntN(maxStones-minStones+1), rng)
	found := r.prover.Examine(s, maxNodes)
	if found.Result != game.Unknown || slices.Contains(found.Moves, game.Loss) {
		return nil, nil
	}
	var points [2]int // of the second and the first player: 2 for a win, 1 for a draw
	for g := range refereeGames {
		if g == trialGames && min(points[0], points[1]) < 2*trialLeast {
			return nil, nil
		}
		end := s
		for !isOver(end) {
			end = end.Play(r.mover.choose(end, refereeSlack, rng))
		}
		if z, _ := end.Outcome(); z == 0 {
			points[0]++
			points[1]++
		} else {
			points[end.Ply()%2] += 2
		}
	}
	if max(points[0], points[1]) > 2*refereeMost {
		return nil, nil
	}
	return moves, nil
}
