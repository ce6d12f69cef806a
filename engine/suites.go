package engine

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tengen/eval/grade"
)

var suites fs.FS = embed.FS{}

// kinds are the words for the kinds of suites in errors.
var kinds = map[string]string{"exam": "exam", "openings": "balanced openings", "ffo": "endgames of the FFO test"}

// RegisterSuites sets the built-in exams, published endgames and balanced openings: files GAME.KIND.txt.gz for the
// kinds exam, ffo and openings (see grade.ReadSuite).
func RegisterSuites(files fs.FS) { suites = files }

// having returns the games that have a suite of one of the kinds.
func having(kind string) (games []string) {
	end := "." + kind + ".txt.gz"
	files, err := fs.Glob(suites, "*"+end)
	if err != nil {
		panic(err) // malformed pattern
	}
	for _, f := range files {
		games = append(games, strings.TrimSuffix(f, end))
	}
	return games
}

// half reads half of a suite of one of the kinds, "dev" or "final".
func (e Typed[S]) half(kind, half string) (grade.Set, error) {
	if err := grade.CheckHalf(half); err != nil {
		return grade.Set{}, InputErrorf("the half of the %s is %w", kind, err)
	}
	name := e.Rules.Name() + "." + kind + ".txt.gz"
	file, err := suites.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return grade.Set{}, InputErrorf("%s has no %s, unlike %s", e.Rules.Name(), kinds[kind], strings.Join(having(kind), " and "))
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
