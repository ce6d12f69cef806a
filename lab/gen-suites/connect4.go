package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"tengen/eval/grade"
	"tengen/game"
	connect4game "tengen/game/connect4"
	"tengen/internal/random"
	"tengen/solver"
	"tengen/solver/connect4"
)

var four = connect4game.Standard()

const fourCells = 42

// stages divides the game by the number of stones on the board, up to 40. With 41, only one move is left.
var stages = [...]struct {
	name        string
	first, last int
	parts       []string // a hard position has 29 or more plies left, so it is in the beginning
}{
	{"beginning", 0, 13, []string{"beginning, easy", "beginning, medium", "beginning, hard"}},
	{"middle", 14, 28, []string{"middle, easy", "middle, medium"}},
	{"end", 29, fourCells - 2, []string{"end, easy"}},
}

// difficulties divides positions by the plies left under perfect play: at most 13, at most 28, or more.
var difficulties = [...]string{"easy", "medium", "hard"}

func partOf(ply int, score solver.Score) string {
	return stages[thirdOfGame(ply)].name + ", " + difficulties[thirdOfGame(solver.PliesLeft(fourCells, ply, score))]
}

func thirdOfGame(n int) int {
	switch {
	case n < fourCells/3:
		return 0
	case n <= 2*fourCells/3:
		return 1
	}
	return 2
}

// eligible reports whether a position has several moves and perfect play brings no win within two plies.
func eligible(s connect4game.State, score solver.Score) bool {
	return len(s.Legal(nil)) > 1 && (score == 0 || solver.PliesLeft(fourCells, s.Ply(), score) > 2)
}

func drawConnect4Exam(ctx context.Context, cfg config) (*grade.Suite, error) {
	s := &grade.Suite{Answers: grade.Scores, Facets: []string{"stage", "difficulty"}}
	var halves [2][]grade.Section
	for stage, about := range stages {
		drawn, err := drawStage(ctx, cfg, stage)
		if err != nil {
			return nil, err
		}
		for _, part := range about.parts {
			for h, problems := range divide(drawn[part]) {
				halves[h] = append(halves[h], grade.Section{Half: grade.Halves[h], Parts: []string{part}, Problems: problems})
			}
		}
	}
	s.Sections = slices.Concat(halves[0], halves[1])
	return s, nil
}

// divide sorts problems by number of stones and deals them to the halves in turn.
func divide(problems []grade.Problem) (halves [2][]grade.Problem) {
	slices.SortFunc(problems, byStones)
	for i, p := range problems {
		halves[i%2] = append(halves[i%2], p)
	}
	return halves
}

func byStones(a, b grade.Problem) int {
	return cmp.Or(len(a.Moves)-len(b.Moves), slices.Compare(a.Moves, b.Moves))
}

func drawStage(ctx context.Context, cfg config, stage int) (map[string][]grade.Problem, error) {
	drawn, seen := map[string][]grade.Problem{}, map[game.Key]bool{}
	full := func(part string) bool { return len(drawn[part]) == 2*cfg.scored }
	newDrawer := func() drawer[*grade.Problem] {
		// A table that fits the CPU caches is fastest.
		s, err := connect4.New(four, connect4.Options{TableMegabytes: 16, Threads: 1, Book: connect4.OpeningBook(four)})
		return func(ctx context.Context, number int) (*grade.Problem, error) {
			if err != nil {
				return nil, err
			}
			rng := random.New(cfg.seed, random.Exam, uint64(stage), uint64(number))
			return drawPosition(ctx, s, stage, rng, full)
		}
	}
	err := draw(ctx, cfg.workers, newDrawer, func(number int, p *grade.Problem) (more bool) {
		if p == nil {
			return true
		}
		part, key := partOf(len(p.Moves), p.Score()), grade.Folded(four, p.Moves)
		if full(part) || seen[key] {
			return true
		}
		seen[key] = true
		drawn[part] = append(drawn[part], *p)
		if len(seen)%100 == 0 {
			fmt.Fprintf(os.Stderr, "%s: %d draws, %d positions\n", stages[stage].name, number+1, len(seen))
		}
		return len(seen) < 2*cfg.scored*len(stages[stage].parts)
	})
	return drawn, err
}

// drawPosition plays random games up to a random ply until one gives an eligible position. It returns nil if the
// position's part is full.
func drawPosition(
	ctx context.Context, s *connect4.Solver, stage int, rng *rand.Rand, full func(part string) bool,
) (*grade.Problem, error) {
	first, last := stages[stage].first, stages[stage].last
	plies := first + rng.IntN(last-first+1)
	for {
		position, moves := randomGame(rng, plies)
		legal := position.Legal(nil)
		if len(legal) == 0 {
			continue
		}
		score, err := s.Solve(ctx, position)
		if err != nil {
			return nil, err
		}
		if !eligible(position, score) {
			continue
		}
		if full(partOf(plies, score)) {
			return nil, nil
		}
		scores, err := solver.Moves(ctx, s, position, legal)
		return &grade.Problem{Moves: moves, Scores: scores}, err
	}
}

func randomGame(rng *rand.Rand, plies int) (s connect4game.State, moves []game.Action) {
	s = four.Start()
	var legal []game.Action
	for range plies {
		if legal = s.Legal(legal[:0]); len(legal) == 0 {
			break
		}
		a := legal[rng.IntN(len(legal))]
		s, moves = s.Play(a), append(moves, a)
	}
	return s, moves
}
