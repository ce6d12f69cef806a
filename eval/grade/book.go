package grade

import (
	"context"
	"fmt"
	"slices"

	"tengen/game"
	"tengen/internal/random"
	"tengen/solver"
)

// The plies of a book exam. The moves of their positions lead to positions up to bookEnd+1.
const bookBegin, bookEnd = 4, 7

// BookExam returns n positions of plies 4 to 7 with the scores of their moves from the solver's opening book. They are
// hard: one or two moves keep a win or a draw, others do not, and none wins at once or lets the opponent win at once.
// None is an image of another. They come in a fixed random order, so a larger exam contains a smaller one.
func BookExam[S game.State[S]](ctx context.Context, g game.Game[S], s solver.Solver[S], n int) (Set, error) {
	if b, ok := s.(solver.Booked); !ok || b.BookEnd() <= bookEnd {
		return Set{}, fmt.Errorf("%s has no opening book up to ply %d, as standard Connect Four has", g.Name(), bookEnd+1)
	}
	rng := random.New(1, random.Exam)
	set := Set{Facets: []string{"exam"}, Parts: []string{"opening book"}}
	lines := [][]game.Action{nil}
	for ply := 1; ply <= bookEnd; ply++ {
		lines = further(g, lines)
		rng.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
		if ply < bookBegin {
			continue
		}
		for _, moves := range lines {
			p, err := Solve(ctx, g, s, moves)
			if err != nil {
				return Set{}, err
			}
			p.Parts = set.Parts
			if p.hard(g.MaxPlies()) {
				set.Problems = append(set.Problems, p)
			}
		}
	}
	if n > len(set.Problems) {
		return Set{}, fmt.Errorf("the book exam of %s has %d positions, not %d", g.Name(), len(set.Problems), n)
	}
	rng.Shuffle(len(set.Problems), func(i, k int) { set.Problems[i], set.Problems[k] = set.Problems[k], set.Problems[i] })
	set.Problems = set.Problems[:n]
	return set, nil
}

// further returns moves to each unfinished position that is one move away, or to one of its images.
func further[S game.State[S]](g game.Game[S], lines [][]game.Action) (longer [][]game.Action) {
	seen := map[game.Key]bool{}
	for _, moves := range lines {
		s := g.Start()
		for _, a := range moves {
			s = s.Play(a)
		}
		for _, a := range s.Legal(nil) {
			line := append(slices.Clone(moves), a)
			key := folded(g, line)
			if _, over := s.Play(a).Outcome(); !over && !seen[key] {
				seen[key] = true
				longer = append(longer, line)
			}
		}
	}
	return longer
}

// folded returns a key shared by the images of the position after moves.
func folded[S game.State[S]](g game.Game[S], moves []game.Action) (least game.Key) {
	for i, symmetry := range g.Symmetries() {
		s := game.StartImage(g, i)
		for _, a := range moves {
			s = s.Play(symmetry.Actions[a])
		}
		if key := s.Key(); i == 0 || slices.Compare(key[:], least[:]) < 0 {
			least = key
		}
	}
	return least
}

// hard is BookExam's condition. A lost position is never hard, because all moves keep the loss.
func (p *Problem) hard(maxPlies int) bool {
	keep := 0
	for _, score := range p.Scores {
		if score != 0 && solver.PliesLeft(maxPlies, len(p.Moves), score) <= 2 {
			return false
		}
		if score.Sign() == p.Score().Sign() {
			keep++
		}
	}
	return keep <= 2 && keep < len(p.Scores)
}
