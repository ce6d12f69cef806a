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

// The kinds of answers in a suite: the score of each legal move, the right moves, or none.
const (
	scores   = "scores"
	right    = "right"
	openings = "openings"
)

// ReadSuite reads one of the Halves of a gzip-compressed suite: a file of positions of one game, as an exam or as
// balanced openings. The first line has the kind of answers and the facets. A line with a colon begins a section and
// gives its half and parts, each with a value of every facet. Every other line is a problem: the moves that lead to it
// or its board and, after a bar, its answer.
//
//	scores stage difficulty
//	dev: beginning, easy
//	2242 | -2 2 18 2 -1 0 -1
//
// Errors name the line, also in the other half. ReadSuite does not check answers (see Run).
func ReadSuite[S game.State[S]](r io.Reader, g game.Game[S], half string) (Set, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return Set{}, err
	}
	s := suite{wanted: half}
	if err := eachLine(z, func(line string) error { return readLine(&s, line, g) }); err != nil {
		return Set{}, err
	}
	return s.set, z.Close()
}

// suite is what has been read.
type suite struct {
	wanted  string // half
	set     Set    // of wanted
	answers string // scores, right or openings; "" before the first line
	half    string // of the section; "" before the first
	parts   []string
}

func readLine[S game.State[S]](s *suite, line string, g game.Game[S]) error {
	half, parts, isSection := strings.Cut(line, ":")
	switch {
	case s.answers == "":
		words := strings.Fields(line)
		if len(words) == 0 || !slices.Contains([]string{scores, right, openings}, words[0]) {
			return fmt.Errorf("%q does not begin with %s, %s or %s", line, scores, right, openings)
		}
		s.answers, s.set.Facets = words[0], words[1:]
	case isSection:
		return s.begin(half, strings.TrimSpace(parts))
	case s.half == "":
		return errors.New("there is a position before the first section")
	default:
		p, err := parseProblem(s.answers, line, g)
		if s.half == s.wanted {
			p.Parts = s.parts
			s.set.Problems = append(s.set.Problems, p)
		}
		return err
	}
	return nil
}

// begin begins a section.
func (s *suite) begin(half, parts string) error {
	if err := CheckHalf(half); err != nil {
		return fmt.Errorf("the half is %w", err)
	}
	s.half, s.parts = half, nil
	if parts != "" {
		s.parts = strings.Split(parts, "; ")
	}
	for _, part := range s.parts {
		if len(strings.Split(part, ", ")) != len(s.set.Facets) {
			return fmt.Errorf("the part %q does not give %s", part, strings.Join(s.set.Facets, " and "))
		}
		if half == s.wanted && !slices.Contains(s.set.Parts, part) {
			s.set.Parts = append(s.set.Parts, part)
		}
	}
	return nil
}

func parseProblem[S game.State[S]](answers, line string, g game.Game[S]) (Problem, error) {
	text, answer, _ := strings.Cut(line, "|")
	p, position, err := parsePosition(g, text)
	if err != nil {
		return p, err
	}
	switch answers {
	case scores:
		for _, word := range strings.Fields(answer) {
			score, err := strconv.Atoi(word)
			if err != nil {
				return p, fmt.Errorf("%q is not a score", word)
			}
			p.Scores = append(p.Scores, solver.Score(score))
		}
	case right:
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
	if answers != openings && len(p.Scores)+len(p.Right) == 0 {
		return p, fmt.Errorf("%q has no answer after a bar", line)
	}
	return p, nil
}
