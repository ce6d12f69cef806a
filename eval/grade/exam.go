package grade

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/players"
)

// Exam is a set of positions of one game for which it is known which moves are right: the yardstick of its players.
type Exam[S game.State[S]] interface {
	// Take puts at most so many positions of a half, see Spread, to each player. progress hears how many are done, of how many.
	Take(ctx context.Context, cfg Config, half Half, positions int, players []players.Entrant[S], progress func(done, total int)) (ExamReport, error)
}

// ExamReport is how players do in the parts of an exam. It is written as JSON.
type ExamReport interface {
	// Text is the report for people.
	Text() string
	// Parts are the shares of right moves, part by part.
	Parts() []ExamPart
}

// ExamPart is how players do in one part of an exam.
type ExamPart struct {
	Name      string
	Positions int
	Right     []Share // of each player
}

// Half is one of the two parts that an exam is divided into.
type Half int

const (
	Dev   Half = iota // to develop and tune by
	Final             // for claims: nothing may have been chosen by it
)

// ParseHalf reads the name of a half, "dev" or "final".
func ParseHalf(name string) (Half, error) {
	for _, h := range []Half{Dev, Final} {
		if h.String() == name {
			return h, nil
		}
	}
	return Dev, fmt.Errorf("%q, allowed are dev and final", name)
}

// String is the name of the half, "dev" or "final".
func (h Half) String() string { return [...]string{"dev", "final"}[h] }

// Spread returns n elements of all, in their order and at equal distances, or all if they are no more.
func Spread[T any](all []T, n int) []T {
	if n >= len(all) {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}
