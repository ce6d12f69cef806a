package grade

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/internal/files"
	"tengen/players"
	"tengen/solver"
)

// Problem is a position with known scores or known right moves. It is immutable.
type Problem struct {
	Moves  []game.Action  // from the start to the position
	Board  string         // the position as a board (see game.ParseBoard), if no Moves lead to it; else ""
	Parts  []string       // of its Set
	Scores []solver.Score // of the legal moves by ascending action, for the side to move; nil if unknown
	Right  []game.Action  // the right moves, if Scores is nil
}

// Score returns the position's score, the best of its moves' scores.
func (p *Problem) Score() solver.Score { return slices.Max(p.Scores) }

// Set is problems of one game, divided into parts for reports.
type Set struct {
	Facets   []string // for exams, the components of part names, such as "stage" and "difficulty"; else nil
	Parts    []string // in report order
	Problems []Problem
	Missing  int // how many of the positions asked for were not found
}

// Spread returns n problems at equal distances, or all if there are at most n.
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

// solvedParts are the parts of solved positions: the stage is the filled third of the board, and the difficulty the
// remaining length under perfect play, in thirds of the longest game, roughly as in Pons's position sets ("Solving
// Connect Four", part 2).
var solvedParts = []string{"all", "beginning", "middle", "end", "easy", "medium", "hard"}

var stages, difficulties = solvedParts[1:4], solvedParts[4:]

// Solved returns a set of solved problems.
func Solved(problems []Problem) Set { return Set{Parts: solvedParts, Problems: problems} }

// Solve solves the position after the given moves. It returns an error if a move is illegal, the game is over, or ctx
// ends.
func Solve[S game.State[S]](ctx context.Context, g game.Game[S], s solver.Solver[S], moves []game.Action) (Problem, error) {
	return solve(ctx, g, s, Problem{Moves: moves})
}

// solve gives a problem its scores and parts.
func solve[S game.State[S]](ctx context.Context, g game.Game[S], s solver.Solver[S], p Problem) (Problem, error) {
	line, err := lineTo(g, p)
	if err != nil {
		return Problem{}, err
	}
	position := line.Position
	if p.Scores, err = solver.Moves(ctx, s, position, position.Legal(nil)); err != nil {
		return Problem{}, fmt.Errorf("position %q: %w", name(g, p), err)
	}
	plies := g.MaxPlies()
	p.Parts = []string{
		"all", stages[third(position.Ply(), plies)],
		difficulties[third(solver.PliesToEnd(plies, position, p.Score()), plies)],
	}
	return p, nil
}

// name returns the text of a problem's position.
func name[S game.State[S]](g game.Game[S], p Problem) string {
	if p.Board != "" {
		return p.Board
	}
	return game.FormatMoves(g.Start(), p.Moves)
}

// lineTo returns the line to a problem's position, where the game must not be over.
func lineTo[S game.State[S]](g game.Game[S], p Problem) (players.Line[S], error) {
	l := players.Line[S]{Root: g.Start(), Moves: p.Moves}
	var err error
	if p.Board != "" {
		l.Root, err = game.ParseBoard(g, p.Board)
		l.Position = l.Root
	} else {
		l.Position, err = game.Replay(g, p.Moves)
	}
	if err != nil {
		return l, fmt.Errorf("position %q: %w", name(g, p), err)
	}
	if _, over := l.Position.Outcome(); over {
		return l, fmt.Errorf("position %q: the game is over: there is no move to choose", name(g, p))
	}
	return l, nil
}

// parsePosition reads a problem's position: its moves or its board.
func parsePosition[S game.State[S]](g game.Game[S], text string) (p Problem, position S, err error) {
	if game.IsBoard(text) {
		p.Board = strings.TrimSpace(text)
		position, err = game.ParseBoard(g, text)
	} else {
		p.Moves, position, err = game.ParseMoves(g.Start(), text)
	}
	return p, position, err
}

func third(part, whole int) int { return min(3*part/whole, 2) }

// ReadProblems reads one problem per line and verifies it with the solver. A line has the position, in the game's
// notation or as a board, and its score, as in the benchmark sets for Connect Four (Pons, "Solving Connect Four", part
// 2):
//
//	32164625 11
//
// A score alone stands for the starting position. Empty lines are ignored. Errors name the line.
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

func eachLine(r io.Reader, read func(line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Split(files.ScanLines)
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
	p, _, err := parsePosition(g, line[:last])
	if err == nil {
		p, err = solve(ctx, g, s, p)
	}
	if err != nil {
		return Problem{}, err
	}
	if score := p.Score(); score != solver.Score(stated) {
		return Problem{}, fmt.Errorf(
			"position %q has the score %d, not %d: the line is wrong, or meant for another board than %s",
			name(g, p), score, stated, g.Name())
	}
	return p, nil
}
