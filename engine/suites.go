package engine

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"tengen/eval/grade"
)

var suites fs.FS = embed.FS{}

// RegisterSuites sets the built-in exams and balanced openings: files GAME.exam.txt.gz and GAME.openings.txt.gz (see
// grade.ReadSuite).
func RegisterSuites(files fs.FS) { suites = files }

// half reads half of a suite, "dev" or "final". kind is "exam" or "openings".
func (e Typed[S]) half(kind, half string) (grade.Set, error) {
	if err := grade.CheckHalf(half); err != nil {
		return grade.Set{}, InputErrorf("the half of the %s is %w", kind, err)
	}
	name := e.Rules.Name() + "." + kind + ".txt.gz"
	file, err := suites.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return grade.Set{}, InputErrorf("%s has no %s", e.Rules.Name(), map[string]string{"exam": "exam", "openings": "balanced openings"}[kind])
	}
	if err != nil {
		return grade.Set{}, err
	}
	defer file.Close()
	set, err := grade.ReadSuite[S](file, e.Rules, half)
	if err != nil {
		return set, fmt.Errorf("%s: %w", name, err)
	}
	return set, nil
}
