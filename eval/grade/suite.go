package grade

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/internal/atomicfile"
	"tengen/solver"
)

// Halves are the halves of a suite: "dev" for development and tuning, "final" for claims. Results on the final half
// must not influence any choice.
var Halves = [...]string{"dev", "final"}

// CheckHalf returns an error if name is not in Halves.
func CheckHalf(name string) error {
	if !slices.Contains(Halves[:], name) {
		return fmt.Errorf("%q, but must be dev or final", name)
	}
	return nil
}

// The kinds of answers in a suite: the score of each legal move, the right moves, or none (openings).
const (
	Scores   = "scores"
	Right    = "right"
	Openings = "openings"
)

// Suite is a file of positions of one game: an exam, or balanced openings.
type Suite struct {
	Answers  string   // Scores, Right or Openings
	Facets   []string // see Set
	Sections []Section
}

// Section holds the problems with the same half and parts.
type Section struct {
	Half     string
	Parts    []string // of exams: each has one value per axis, such as "beginning, hard"
	Problems []Problem
}

// Half returns one half of the problems.
func (s *Suite) Half(name string) Set {
	half := Set{Facets: s.Facets}
	for _, section := range s.Sections {
		if section.Half != name {
			continue
		}
		half.Problems = append(half.Problems, section.Problems...)
		for _, part := range section.Parts {
			if !slices.Contains(half.Parts, part) {
				half.Parts = append(half.Parts, part)
			}
		}
	}
	return half
}

// ReadSuite reads a gzip-compressed suite. The first line has the kind of answers and the axes. A line with a colon
// begins a section and gives its half and parts. Every other line is a problem: the moves that lead to it and, after a
// bar, its answer.
//
//	scores stage difficulty
//	dev: beginning, easy
//	2242 | -2 2 18 2 -1 0 -1
//
// Errors name the line. ReadSuite does not check answers (see Run).
func ReadSuite[S game.State[S]](r io.Reader, g game.Game[S]) (*Suite, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	s := &Suite{}
	if err := eachLine(z, func(line string) error { return readLine(s, line, g) }); err != nil {
		return nil, err
	}
	return s, z.Close()
}

func readLine[S game.State[S]](s *Suite, line string, g game.Game[S]) error {
	half, parts, isSection := strings.Cut(line, ":")
	switch {
	case s.Answers == "":
		words := strings.Fields(line)
		if len(words) == 0 || !slices.Contains([]string{Scores, Right, Openings}, words[0]) {
			return fmt.Errorf("%q does not begin with %s, %s or %s", line, Scores, Right, Openings)
		}
		s.Answers, s.Facets = words[0], words[1:]
	case isSection:
		if err := CheckHalf(half); err != nil {
			return fmt.Errorf("the half is %w", err)
		}
		section := Section{Half: half}
		if parts = strings.TrimSpace(parts); parts != "" {
			section.Parts = strings.Split(parts, "; ")
		}
		for _, part := range section.Parts {
			if len(strings.Split(part, ", ")) != len(s.Facets) {
				return fmt.Errorf("the part %q does not give %s", part, strings.Join(s.Facets, " and "))
			}
		}
		s.Sections = append(s.Sections, section)
	case len(s.Sections) == 0:
		return errors.New("there is a position before the first section")
	default:
		section := &s.Sections[len(s.Sections)-1]
		p, err := parseProblem(s.Answers, line, g)
		p.Parts = section.Parts
		section.Problems = append(section.Problems, p)
		return err
	}
	return nil
}

func parseProblem[S game.State[S]](answers, line string, g game.Game[S]) (p Problem, err error) {
	moves, answer, _ := strings.Cut(line, "|")
	var position S
	if p.Moves, position, err = game.ParseMoves(g.Start(), moves); err != nil {
		return p, err
	}
	switch answers {
	case Scores:
		for _, word := range strings.Fields(answer) {
			score, err := strconv.Atoi(word)
			if err != nil {
				return p, fmt.Errorf("%q is not a score", word)
			}
			p.Scores = append(p.Scores, solver.Score(score))
		}
	case Right:
		for _, word := range strings.Fields(answer) {
			moves, _, err := game.ParseMoves(position, word)
			if err != nil {
				return p, err
			}
			if len(moves) != 1 {
				return p, fmt.Errorf("the answer %q is %d moves: write one", word, len(moves))
			}
			p.Right = append(p.Right, moves[0])
		}
	}
	if answers != Openings && len(p.Scores)+len(p.Right) == 0 {
		return p, fmt.Errorf("%q has no answer after a bar", line)
	}
	return p, nil
}

// Save writes the suite for ReadSuite.
func Save[S game.State[S]](s *Suite, path string, g game.Game[S]) error {
	return atomicfile.Write(path, 0o644, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		fmt.Fprintln(z, strings.Join(append([]string{s.Answers}, s.Facets...), " "))
		for _, section := range s.Sections {
			fmt.Fprintln(z, strings.TrimSpace(section.Half+": "+strings.Join(section.Parts, "; ")))
			for _, p := range section.Problems {
				fmt.Fprintln(z, formatProblem(s.Answers, p, g))
			}
		}
		return z.Close()
	})
}

func formatProblem[S game.State[S]](answers string, p Problem, g game.Game[S]) string {
	moves := game.FormatMoves(g.Start(), p.Moves)
	switch answers {
	case Scores:
		return moves + " | " + strings.Trim(fmt.Sprint(p.Scores), "[]")
	case Right:
		position, _ := game.Replay(g, p.Moves)
		return moves + " | " + strings.Join(game.MoveList(position, p.Right), " ")
	}
	return moves
}
