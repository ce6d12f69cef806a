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

// Problem is a position to put to players, and what is known of its moves: the score of each, or which of them are right.
// It is immutable.
type Problem struct {
	Moves  []game.Action  // lead from the start to the position
	Parts  []string       // of its Set that the position counts in
	Scores []solver.Score // of each legal move, by ascending action, for the side to move; nil where they are not known
	Right  []game.Action  // where Scores is nil: the moves that are right
}

// Score is the best of the scores, which is that of the position.
func (p *Problem) Score() solver.Score { return slices.Max(p.Scores) }

// Set is problems of one game, and the parts that a report tells apart.
type Set struct {
	Axes     []string // of an exam: what the names of its parts say, such as "stage" and "difficulty"; else nil
	Parts    []string // in the order of a report
	Problems []Problem
}

// Spread returns n problems of the set, in their order and at equal distances, or all if they are no more.
func (s Set) Spread(n int) Set {
	if n >= len(s.Problems) {
		return s
	}
	some := make([]Problem, n)
	for i := range some {
		some[i] = s.Problems[i*len(s.Problems)/n]
	}
	s.Problems = some
	return s
}

// solvedParts are the parts of solved positions: the third of the board that is filled, and how many moves the game goes on
// under perfect play, in thirds of the longest game. In Connect Four both thirds begin with 0, 14 and 28, the stages as in the
// benchmark of AlphaZero.jl, the difficulties much as in the sets of positions of Pons ("Solving Connect Four", part 2).
var solvedParts = []string{"all", "beginning", "middle", "end", "easy", "medium", "hard"}

var stages, difficulties = solvedParts[1:4], solvedParts[4:]

// Solved is the set of problems that Solve and ReadProblems make.
func Solved(problems []Problem) Set { return Set{Parts: solvedParts, Problems: problems} }

// Solve solves the position after the given moves. It is an error if one of them is illegal or the game is over, or if ctx ends
// first. A solver that keeps what it finds solves the next problems of a game faster.
func Solve[S game.State[S]](ctx context.Context, g game.Game[S], s solver.Solver[S], moves []game.Action) (Problem, error) {
	position, err := replay(g, moves)
	if err != nil {
		return Problem{}, err
	}
	p := Problem{Moves: moves}
	if p.Scores, err = solver.Moves(ctx, s, position, position.Legal(nil)); err != nil {
		return Problem{}, fmt.Errorf("position %q: %w", g.FormatMoves(moves), err)
	}
	plies := g.MaxPlies()
	p.Parts = []string{
		"all", stages[third(position.Ply(), plies)],
		difficulties[third(solver.PliesToEnd(plies, position, p.Score()), plies)],
	}
	return p, nil
}

// replay returns the position after moves, in which there is a move to choose.
func replay[S game.State[S]](g game.Game[S], moves []game.Action) (S, error) {
	position, err := game.Replay(g, moves)
	if err == nil {
		if _, over := position.Outcome(); over {
			err = errors.New("the game is over, there is no move to choose")
		}
	}
	if err != nil {
		err = fmt.Errorf("position %q: %w", g.FormatMoves(moves), err)
	}
	return position, err
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
func ReadProblems[S game.State[S]](ctx context.Context, r io.Reader, g game.Game[S], s solver.Solver[S]) ([]Problem, error) {
	var problems []Problem
	err := eachLine(r, func(line string) error {
		if line = strings.TrimSpace(line); line == "" {
			return nil
		}
		p, err := parseSolved(ctx, line, g, s)
		problems = append(problems, p)
		return err
	})
	return problems, err
}

// eachLine calls read with each line. Errors name the line.
func eachLine(r io.Reader, read func(line string) error) error {
	lines := bufio.NewScanner(r)
	number := 1
	for ; lines.Scan(); number++ {
		if err := read(lines.Text()); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number, err)
	}
	return nil
}

func parseSolved[S game.State[S]](ctx context.Context, line string, g game.Game[S], s solver.Solver[S]) (Problem, error) {
	last := strings.LastIndexAny(line, " \t") + 1
	stated, err := strconv.Atoi(line[last:])
	if err != nil {
		return Problem{}, fmt.Errorf("%q does not end in a score: write the moves, a space and a whole number", line)
	}
	moves, err := g.ParseMoves(line[:last])
	if err != nil {
		return Problem{}, err
	}
	p, err := Solve(ctx, g, s, moves)
	if err != nil {
		return Problem{}, err
	}
	if score := p.Score(); score != solver.Score(stated) {
		return Problem{}, fmt.Errorf(
			"position %q has the score %d, not %d: the line is wrong, or meant for another board than %s",
			g.FormatMoves(moves), score, stated, g.Name())
	}
	return p, nil
}
