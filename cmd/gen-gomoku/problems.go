package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"tengen/eval/gomoku"
	"tengen/eval/grade"
	"tengen/game"
	"tengen/internal/random"
)

// Games of the exam begin with some scattered stones. How far the movers see differs from game to game, so that some wins are
// short, because they are made at once, and some long, because nobody has seen them.
const (
	fewestScattered, mostScattered = 2, 6
	slack                          = 0.5
)

var provingNodes = [...]int{0, 20, 100, 500}

// drawProblems returns the lines of both halves of the exam, that for development first.
func drawProblems(ctx context.Context, cfg config) ([]string, error) {
	var halves [2]struct {
		cells   map[gomoku.Cell][]gomoku.Problem
		missing int
	}
	seen := map[game.Key]bool{}
	for h := range halves {
		halves[h].cells = map[gomoku.Cell][]gomoku.Problem{}
		for _, n := range cfg.cells {
			halves[h].missing += n
		}
	}
	games := 0
	err := draw(ctx, cfg.workers, func() func(int) []gomoku.Problem { return newPlayer(cfg.seed).play }, func(half grade.Half, problems []gomoku.Problem) bool {
		h := &halves[half]
		problems = slices.DeleteFunc(problems, func(p gomoku.Problem) bool {
			return len(h.cells[p.Cell()]) >= cfg.cells[p.Cell()] || seen[gomoku.Folded(p.Moves)]
		})
		for _, task := range []gomoku.Task{gomoku.Win, gomoku.Defend} {
			if p, ok := pick(problems, task); ok {
				h.cells[p.Cell()] = append(h.cells[p.Cell()], p)
				h.missing--
				seen[gomoku.Folded(p.Moves)] = true
			}
		}
		if games++; games%1000 == 0 {
			fmt.Fprintf(os.Stderr, "%d games, missing %d and %d\n", games, halves[grade.Dev].missing, halves[grade.Final].missing)
		}
		return halves[grade.Dev].missing+halves[grade.Final].missing > 0
	})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, half := range halves {
		for _, cell := range gomoku.Cells {
			problems := half.cells[cell]
			slices.SortStableFunc(problems, func(a, b gomoku.Problem) int {
				return cmp.Or(len(a.Moves)-len(b.Moves), slices.Compare(a.Moves, b.Moves))
			})
			for _, p := range problems {
				lines = append(lines, p.Line())
			}
		}
	}
	return lines, nil
}

// pick returns the first problem of the task that has the longest chain.
func pick(problems []gomoku.Problem, task gomoku.Task) (best gomoku.Problem, ok bool) {
	for _, p := range problems {
		if p.Task == task && p.Plies > best.Plies {
			best, ok = p, true
		}
	}
	return best, ok
}

// player plays the games of one goroutine.
type player struct {
	seed     uint64
	movers   [len(provingNodes)]*mover
	examiner *gomoku.Examiner
}

func newPlayer(seed uint64) *player {
	p := &player{seed: seed, examiner: gomoku.NewExaminer()}
	for i, nodes := range provingNodes {
		p.movers[i] = newMover(nodes, false)
	}
	return p
}

// play plays a game and returns the problems in it, in random order.
func (p *player) play(number int) (problems []gomoku.Problem) {
	rng := random.New(p.seed, random.Exam, uint64(number))
	m := p.movers[rng.IntN(len(p.movers))]
	s, moves := scatter(fewestScattered+rng.IntN(mostScattered-fewestScattered+1), rng)
	for !isOver(s) {
		if problem, ok := p.examiner.Survey(slices.Clone(moves)); ok {
			problems = append(problems, problem)
		}
		a := m.choose(s, slack, rng)
		s, moves = s.Play(a), append(moves, a)
	}
	rng.Shuffle(len(problems), func(i, j int) { problems[i], problems[j] = problems[j], problems[i] })
	return problems
}
