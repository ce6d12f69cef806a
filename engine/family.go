package engine

import (
	"errors"
	"fmt"
	"strings"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/solver"
)

// Family is a game, or games whose names begin with the same word: Rules of some type of position.
type Family interface {
	// word begins the names of the games, form says how they are written.
	word() string
	form() string
	boards() []string
	// open returns the game with what follows the colon in its name, "" where there is none.
	open(numbers string) (Game, error)
}

// Rules are what the program has to know of a family. Those of a game that has no more than rules are
//
//	engine.Rules[othello.State, *othello.Game]{Name: "othello", Form: "othello:SIDE", Parse: othello.Parse}
type Rules[S game.State[S], G game.Game[S]] struct {
	Name string // the word that names begin with, in lower case
	Form string // how names are written: "mnk:COLUMNS,ROWS,K"
	// Parse returns the game with what follows the colon in its name, "" where there is no colon.
	Parse func(numbers string) (G, error)

	// What a family may have besides. Title names a game as people do, nil: by its name.
	Title func(G) string
	// Boards are names of games that a page offers to choose from.
	Boards []string
	// Maker makes solvers of a game; nil means solver.General.
	Maker func(G) solver.Maker[S]
	// Exam is the yardstick of a game's players, nil where there is none.
	Exam func(G) grade.Exam[S]
	// Openings are balanced openings for matches, none where there are none.
	Openings func(G, grade.Half) [][]game.Action
}

func (r Rules[S, G]) word() string     { return r.Name }
func (r Rules[S, G]) form() string     { return r.Form }
func (r Rules[S, G]) boards() []string { return r.Boards }

func (r Rules[S, G]) open(numbers string) (Game, error) {
	g, err := r.Parse(numbers)
	if err != nil {
		return nil, err
	}
	e := Typed[S]{Rules: g, title: g.Name()}
	if r.Title != nil {
		e.title = r.Title(g)
	}
	if r.Maker != nil {
		e.Exact = r.Maker(g)
	} else {
		e.Exact = solver.General[S](g)
	}
	if r.Exam != nil {
		e.exam = r.Exam(g)
	}
	if r.Openings != nil {
		e.openings = func(half grade.Half) [][]game.Action { return r.Openings(g, half) }
	}
	return e, nil
}

// Typed is a Game with its type of position, which package run needs.
type Typed[S game.State[S]] struct {
	Rules    game.Game[S]
	Exact    solver.Maker[S]
	title    string                                // as people name it
	exam     grade.Exam[S]                         // nil where there is none
	openings func(half grade.Half) [][]game.Action // nil where there are none
}

// families were registered by Register.
var families []Family

// Register makes families known, and so their games by their names. The program does so before all else. It panics if two of
// them begin their names with the same word.
func Register(more ...Family) {
	for _, f := range more {
		if f.word() == "" || familyOf(f.word()) != nil {
			panic(fmt.Sprintf("engine: a family of games needs a word of its own, not %q", f.word()))
		}
		families = append(families, f)
	}
}

// familyOf is the family whose names begin with a word, nil if there is none.
func familyOf(word string) Family {
	for _, f := range families {
		if f.word() == word {
			return f
		}
	}
	return nil
}

// GameNames lists names of games, for completion: of a family, the name that others begin with.
func GameNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.word())
	}
	return names
}

// Boards lists names of games that a page offers to choose from.
func Boards() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.boards()...)
	}
	return names
}

// Families lists how the names of games are written, such as "connect4 or connect4:COLUMNS,ROWS,K".
func Families() []string {
	var forms []string
	for _, f := range families {
		forms = append(forms, f.form())
	}
	return forms
}

// Open returns the engine of the game with the given name. An InputError says how names are written.
func Open(name string) (Game, error) {
	word, numbers, colon := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	f := familyOf(word)
	if f == nil {
		return nil, InputErrorf("game %q is unknown: write %s", name, strings.Join(Families(), ", "))
	}
	e, err := f.open(numbers)
	if colon && numbers == "" {
		err = errors.New("nothing follows the colon")
	}
	if err != nil {
		return nil, InputErrorf("game %q: %w: write %s", name, err, f.form())
	}
	return e, nil
}
