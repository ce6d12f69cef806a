package arena

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/solver"
)

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
