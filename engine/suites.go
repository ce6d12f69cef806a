package engine

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"tengen/eval"
	"tengen/eval/grade"
)

// suites is empty until RegisterSuites is called.
var suites fs.FS = embed.FS{}

// RegisterSuites sets the built-in exams and balanced openings: files GAME.exam.txt.gz and GAME.openings.txt.gz in the
// format of grade.ReadSuite. Call it at the start of the program.
func RegisterSuites(files fs.FS) { suites = files }

// half reads one half, dev or final, of the game's suite; kind is "exam" or "openings". If there is no such suite, the
// error is fs.ErrNotExist.
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

func (e Typed[S]) exam(half string) (grade.Set, error) {
	if err := grade.CheckHalf(half); err != nil {
		return grade.Set{}, InputErrorf("the exam half is %w", err)
	}
	set, err := e.half("exam", half)
	if errors.Is(err, fs.ErrNotExist) {
		err = InputErrorf("there is no exam for %s", e.Rules.Name())
	}
	return set, err
}

func (e Typed[S]) balanced(half string) (eval.FixedOpenings, error) {
	fixed := eval.FixedOpenings{Name: "the balanced set, " + half}
	if err := grade.CheckHalf(half); err != nil {
		return fixed, InputErrorf("the half of the openings is %w", err)
	}
	set, err := e.half("openings", half)
	if errors.Is(err, fs.ErrNotExist) {
		err = InputErrorf("there are no balanced openings for %s", e.Rules.Name())
	}
	for _, p := range set.Problems {
		fixed.Moves = append(fixed.Moves, p.Moves)
	}
	return fixed, err
}
