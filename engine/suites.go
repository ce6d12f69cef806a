package engine

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"tengen/eval"
	"tengen/eval/grade"
)

// suites holds the exams and openings that come with the program.
var suites fs.FS = embed.FS{}

// RegisterSuites sets the exams and balanced openings: files GAME.exam.txt.gz and GAME.openings.txt.gz for grade.ReadSuite. Call
// it before anything else.
func RegisterSuites(files fs.FS) { suites = files }

// half reads half of the game's suite of a kind, "exam" or "openings". Without one the error is fs.ErrNotExist.
func (e Typed[S]) half(kind, half string) (grade.Set, error) {
	name := e.Rules.Name() + "." + kind + ".txt.gz"
	file, err := suites.Open(name)
	if err != nil {
		return grade.Set{}, err
	}
	defer file.Close()
	suite, err := grade.ReadSuite(file, e.Rules)
	if err != nil {
		return grade.Set{}, fmt.Errorf("%s: %w", name, err)
	}
	return suite.Half(half), nil
}

// exam returns a half of the game's exam.
func (e Typed[S]) exam(half string) (grade.Set, error) {
	if err := grade.CheckHalf(half); err != nil {
		return grade.Set{}, InputErrorf("the half of the exam is %w", err)
	}
	set, err := e.half("exam", half)
	if errors.Is(err, fs.ErrNotExist) {
		err = InputErrorf("there is no exam of %s", e.Rules.Name())
	}
	return set, err
}

// balanced returns a half of the game's balanced openings.
func (e Typed[S]) balanced(half string) (eval.FixedOpenings, error) {
	fixed := eval.FixedOpenings{Name: "the balanced ones, " + half}
	if err := grade.CheckHalf(half); err != nil {
		return fixed, InputErrorf("openings are %w", err)
	}
	set, err := e.half("openings", half)
	if errors.Is(err, fs.ErrNotExist) {
		err = InputErrorf("there are no balanced openings of %s", e.Rules.Name())
	}
	for _, p := range set.Problems {
		fixed.Moves = append(fixed.Moves, p.Moves)
	}
	return fixed, err
}
