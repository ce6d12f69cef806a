package exam

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/solver"
)

// full stands in place of the score of a full column.
const full = "-"

// Read reads a problem a line: the columns played, from 1, then the score of each column for the side to move, "-" for one
// that is full, each after a space. A score is that of package solver: 22 less the stones that the winner will have
// played, negative for a loss, 0 for a draw. Two stones on the board, seven moves:
//
//	44 -3 -3 -2 1 -2 -3 -3
//
// The empty board's line begins with a space. Errors name the line. Scores are not checked.
func Read(r io.Reader) ([]Problem, error) { return ReadLines(r, Parse) }

// ReadLines reads a file whose lines parse understands. Errors name the line.
func ReadLines[T any](r io.Reader, parse func(line string) (T, error)) (all []T, err error) {
	number := 1
	lines := bufio.NewScanner(r)
	for ; lines.Scan(); number++ {
		one, err := parse(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", number, err)
	}
	return all, nil
}

// Parse reads one line of the form that Read describes.
func Parse(line string) (Problem, error) {
	fields := strings.Split(line, " ")
	if len(fields) != 1+standard.Actions() {
		return Problem{}, fmt.Errorf("%q is not the columns played and %d scores", line, standard.Actions())
	}
	moves, err := standard.ParseMoves(fields[0])
	if err != nil {
		return Problem{}, err
	}
	s, err := game.Replay(standard, moves)
	if err != nil {
		return Problem{}, err
	}
	legal := s.Legal(nil)
	if len(legal) == 0 {
		return Problem{}, errors.New("the game is over")
	}
	scores := make([]solver.Score, 0, len(legal))
	for column, field := range fields[1:] {
		if (field == full) == slices.Contains(legal, game.Action(column)) {
			return Problem{}, fmt.Errorf("column %d has %q in place of its score", column+1, field)
		}
		if field == full {
			continue
		}
		score, err := strconv.Atoi(field)
		if err != nil {
			return Problem{}, err
		}
		scores = append(scores, solver.Score(score))
	}
	return New(s, moves, scores), nil
}

// New returns the problem of a position that the given moves lead to, with the score of each legal move.
func New(s connect4.State, moves []game.Action, scores []solver.Score) Problem {
	p := Problem{Problem: grade.Problem[connect4.State]{
		Moves: moves, Position: s, Legal: s.Legal(nil), Scores: scores, Score: slices.Max(scores),
	}}
	p.Cell = CellOf(s.Ply(), p.Score)
	return p
}

// Line is p in the form that Parse reads.
func (p *Problem) Line() string {
	fields := []string{standard.FormatMoves(p.Moves)}
	for range standard.Actions() {
		fields = append(fields, full)
	}
	for i, a := range p.Legal {
		fields[1+a] = strconv.Itoa(int(p.Scores[i]))
	}
	return strings.Join(fields, " ")
}

// Folded is a key that only the position and its mirror image share.
func (p *Problem) Folded() game.Key {
	mirror := standard.Symmetries()[1].Actions
	image := standard.Start()
	for _, a := range p.Moves {
		image = image.Play(mirror[a])
	}
	key, other := p.Position.Key(), image.Key()
	if slices.Compare(key[:], other[:]) < 0 {
		return key
	}
	return other
}
