package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// Games begin with scattered stones. Each game has a mover with one of provingNodes. With many nodes, it makes wins at
// once. With few, it overlooks wins, so longer ones can arise.
const (
	minScattered, maxScattered = 2, 6
	slack                      = 0.5
)

var provingNodes = [...]int{0, 20, 100, 500}

func drawGomokuExam(ctx context.Context, cfg config) (*grade.Suite, error) {
	var halves [2]map[cell][]grade.Problem
	missing := 0 // problems, in both halves
	for h := range halves {
		halves[h] = map[cell][]grade.Problem{}
		for _, c := range cells {
			missing += cfg.proven[c.depth]
		}
	}
	seen := map[game.Key]bool{}
	newDrawer := func() drawer[[]problem] { return newPlayer(cfg.seed).play }
	err := draw(ctx, cfg.workers, newDrawer, func(number int, problems []problem) (more bool) {
		drawn := halves[number%2] // no game contributes to both halves
		problems = slices.DeleteFunc(problems, func(p problem) bool {
			return len(drawn[p.cell()]) >= cfg.proven[p.cell().depth] || seen[grade.Folded(board, p.Moves)]
		})
		for _, task := range []string{win, defend} {
			if p, ok := pick(problems, task); ok {
				drawn[p.cell()] = append(drawn[p.cell()], p.Problem)
				missing--
				seen[grade.Folded(board, p.Moves)] = true
			}
		}
		if number%1000 == 999 {
			fmt.Fprintf(os.Stderr, "%d games, missing %d\n", number+1, missing)
		}
		return missing > 0
	})
	if err != nil {
		return nil, err
	}
	s := &grade.Suite{Answers: grade.Right, Facets: []string{"task", "depth"}}
	for h, half := range grade.Halves {
		for _, c := range cells {
			if problems := halves[h][c]; len(problems) > 0 {
				s.Sections = append(s.Sections, section(half, c, problems))
			}
		}
	}
	return s, solveWins(ctx, cfg.workers, s)
}

// section returns a cell's section, sorted by number of stones. Its problems are in two parts: their task and the cell.
func section(half string, c cell, problems []grade.Problem) grade.Section {
	slices.SortFunc(problems, byStones)
	return grade.Section{Half: half, Parts: []string{c.task + ", all", c.task + ", " + c.depth}, Problems: problems}
}

// solveWins sets the right moves of the problems whose task is to win.
func solveWins(ctx context.Context, workers int, s *grade.Suite) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, section := range s.Sections {
		if !strings.HasPrefix(section.Parts[0], win) {
			continue
		}
		group.Go(func() error {
			prover := forced.New[mnk.State]()
			for i := range section.Problems {
				p := &section.Problems[i]
				position, err := game.Replay(board, p.Moves)
				if err = cmp.Or(err, ctx.Err()); err != nil {
					return err
				}
				p.Right = rightWins(prover, position)
			}
			return nil
		})
	}
	return group.Wait()
}

// pick returns the task's first problem with the longest chain.
func pick(problems []problem, task string) (best problem, ok bool) {
	for _, p := range problems {
		if p.task == task && p.plies > best.plies {
			best, ok = p, true
		}
	}
	return best, ok
}

type player struct {
	seed   uint64
	movers [len(provingNodes)]*mover
	prover *forced.Prover[mnk.State]
}

func newPlayer(seed uint64) *player {
	p := &player{seed: seed, prover: forced.New[mnk.State]()}
	for i, nodes := range provingNodes {
		p.movers[i] = newMover(nodes, false)
	}
	return p
}

// play is a drawer. It plays a game and returns its problems in random order.
func (p *player) play(_ context.Context, number int) (problems []problem, err error) {
	rng := random.New(p.seed, random.Exam, uint64(number))
	m := p.movers[rng.IntN(len(p.movers))]
	s, moves := scatter(minScattered+rng.IntN(maxScattered-minScattered+1), rng)
	for !isOver(s) {
		if found, ok := survey(p.prover, s, slices.Clone(moves)); ok {
			problems = append(problems, found)
		}
		a := m.choose(s, slack, rng)
		s, moves = s.Play(a), append(moves, a)
	}
	rng.Shuffle(len(problems), func(i, j int) { problems[i], problems[j] = problems[j], problems[i] })
	return problems, nil
}
