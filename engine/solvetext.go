package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// SolutionJSON is a solution in the game's notation.
type SolutionJSON struct {
	Moves        string         `json:"moves"` // to the position
	Score        int            `json:"score"`
	Nodes        uint64         `json:"nodes"`
	Microseconds float64        `json:"microseconds"`
	Scores       map[string]int `json:"scores,omitempty"` // by move
	Winner       string         `json:"winner,omitempty"` // of a finished game: "first", "second" or "draw"
}

// NewSolutionJSON converts a solution.
func NewSolutionJSON(p Position, s Solution) SolutionJSON {
	j := SolutionJSON{
		Moves: p.Notation(), Score: s.Score, Nodes: s.Nodes, Microseconds: microseconds(s.Time), Scores: map[string]int{},
	}
	if p.Over {
		j.Winner = p.Winner()
	}
	for i, score := range s.Scores {
		j.Scores[p.Format(p.Legal[i])] = score
	}
	return j
}

// SolutionText formats a solution as one line: "position score nodes microseconds", then the moves' scores or the
// result.
func SolutionText(p Position, s Solution) string {
	text := fmt.Sprintf("%s %d %d %.0f", p.Name(), s.Score, s.Nodes, microseconds(s.Time))
	for i, score := range s.Scores {
		text += fmt.Sprintf(" %s:%d", p.Format(p.Legal[i]), score)
	}
	if p.Over {
		text += " over: " + p.Result()
	}
	return text
}

// Name names a position by its moves: "start" without moves, "set up ..." after set-up stones.
func (p Position) Name() string {
	switch {
	case p.SetUp:
		return strings.TrimSpace("set up " + p.Notation())
	case len(p.Moves) == 0:
		return "start"
	}
	return p.Notation()
}

// SplitExpected splits a line into a position and its expected score.
func SplitExpected(line string) (position string, want int, err error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return "", 0, InputErrorf("the line is empty: with --check a line ends in the expected score")
	}
	last := fields[len(fields)-1]
	if want, err = strconv.Atoi(last); err != nil {
		return "", 0, InputErrorf("the line ends in %q: with --check a line ends in the expected score", last)
	}
	return strings.Join(fields[:len(fields)-1], " "), want, nil
}

// SolveCheck compares solutions with expected scores.
type SolveCheck struct {
	positions, right int
	nodes            uint64
	total, worst     time.Duration
}

// Add records a solution.
func (c *SolveCheck) Add(s Solution, want int) {
	c.positions++
	if s.Score == want {
		c.right++
	}
	c.nodes += s.Nodes
	c.total += s.Time
	c.worst = max(c.worst, s.Time)
}

// Text summarizes agreement and time in one line.
func (c *SolveCheck) Text() string {
	n := max(1, c.positions)
	return fmt.Sprintf("%d of %d scores as expected; mean %.0f nodes, %.1f microseconds; slowest %.0f microseconds",
		c.right, c.positions, float64(c.nodes)/float64(n), microseconds(c.total)/float64(n), microseconds(c.worst))
}

// Err returns an error if any score differs.
func (c *SolveCheck) Err() error {
	if c.right == c.positions {
		return nil
	}
	return fmt.Errorf("%d of %d scores are not as expected", c.positions-c.right, c.positions)
}
