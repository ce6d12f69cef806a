package grade

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/solver"
)

// Problem is a position whose exact worth is known, to grade players by. It is immutable.
type Problem[S game.State[S]] struct {
	Moves    []game.Action  // how it came about
	Position S              // not over
	Legal    []game.Action  // by ascending action
	Scores   []solver.Score // [len(Legal)]: of each move, for the side to move in Position
	Score    solver.Score   // the best of them
}

// NewProblem solves the position after the given moves. It is an error if one of them is illegal or the game is over, or
// if ctx ends first. A solver that keeps what it finds solves the next problems of a game faster.
func NewProblem[S game.State[S]](ctx context.Context, g game.Game[S], s solver.Solver[S], moves []game.Action) (Problem[S], error) {
	p, err := openProblem(g, moves)
	if err == nil {
		p.Scores, err = solver.Moves(ctx, s, p.Position, p.Legal)
	}
	if err != nil {
		return Problem[S]{}, fmt.Errorf("position %q: %w", g.FormatMoves(moves), err)
	}
	p.Score = slices.Max(p.Scores)
	return p, nil
}

// openProblem is the problem before it is solved.
func openProblem[S game.State[S]](g game.Game[S], moves []game.Action) (Problem[S], error) {
	position, err := game.Replay(g, moves)
	if err != nil {
		return Problem[S]{}, err
	}
	if _, over := position.Outcome(); over {
		return Problem[S]{}, errors.New("the game is over, there is no move to choose")
	}
	return Problem[S]{Moves: moves, Position: position, Legal: position.Legal(nil)}, nil
}

// stage is the third of the game that the position belongs to, by its ply and those of the longest game: 0 the beginning,
// 1 the middle, 2 the end. In Connect Four they begin with 0, 14 and 28 stones, as in the benchmark of AlphaZero.jl.
func (p *Problem[S]) stage(maxPlies int) int { return third(p.Position.Ply(), maxPlies) }

// difficulty tells how far one must look ahead, by the moves until the game ends under perfect play, in thirds of the
// longest game: 0 easy, 1 medium, 2 hard. In Connect Four they begin with 0, 14 and 28 moves, much as in the sets of
// positions of Pons ("Solving Connect Four", part 2).
func (p *Problem[S]) difficulty(maxPlies int) int {
	return third(solver.PliesToEnd(maxPlies, p.Position, p.Score), maxPlies)
}

// third tells which third of whole the part lies in.
func third(part, whole int) int { return min(3*part/whole, 2) }

// ReadProblems reads a problem a line and lets the solver check it. A line is the position in the game's notation and its
// score, the form of the published benchmark sets for Connect Four (Pons, "Solving Connect Four", part 2):
//
//	32164625 11
//
// The score is the last word, so that the starting position is a line with its score alone. Empty lines do not count. An
// error names the line; where the scores differ, both of them.
func ReadProblems[S game.State[S]](ctx context.Context, r io.Reader, g game.Game[S], s solver.Solver[S]) ([]Problem[S], error) {
	var problems []Problem[S]
	lines := bufio.NewScanner(r)
	number := 1
	for ; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		p, err := parseProblem(ctx, line, g, s)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		problems = append(problems, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number, err)
	}
	return problems, nil
}

func parseProblem[S game.State[S]](ctx context.Context, line string, g game.Game[S], s solver.Solver[S]) (Problem[S], error) {
	last := strings.LastIndexAny(line, " \t") + 1
	stated, err := strconv.Atoi(line[last:])
	if err != nil {
		return Problem[S]{}, fmt.Errorf("%q does not end in a score: write the moves, a space and a whole number", line)
	}
	moves, err := g.ParseMoves(line[:last])
	if err != nil {
		return Problem[S]{}, err
	}
	p, err := NewProblem(ctx, g, s, moves)
	if err != nil {
		return Problem[S]{}, err
	}
	if p.Score != solver.Score(stated) {
		return Problem[S]{}, fmt.Errorf(
			"position %q has the score %d, not %d: the line is wrong, or meant for another board than %s",
			g.FormatMoves(moves), p.Score, stated, g.Name())
	}
	return p, nil
}
