package engine

import (
	"errors"
	"fmt"
	"strings"

	"tengen/game"
	"tengen/solver"
)

// Family is one or more games whose names begin with the same word. It is implemented by Rules.
type Family interface {
	// word is the first word of the games' names; form says how to write them.
	word() string
	form() string
	boards() []string
	// open returns the game for the text after the colon in its name, "" if there is none.
	open(numbers string) (Game, error)
}

// Rules defines a family. A game without extras needs only
//
//	engine.Rules[othello.State, *othello.Game]{Name: "othello", Form: "othello:SIDE", Parse: othello.Parse}
type Rules[S game.State[S], G game.Game[S]] struct {
	Name string // first word of the games' names, lower case
	Form string // how to write them: "mnk:COLUMNS,ROWS,K"
	// Parse returns the game for the text after the colon in its name, "" if there is none.
	Parse func(numbers string) (G, error)

	// The rest is optional. Title returns a game's display name; nil means its name.
	Title func(G) string
	// Boards names the games offered in menus.
	Boards []string
	// Maker makes solvers for a game; nil means solver.General.
	Maker func(G) solver.Maker[S]
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
	return e, nil
}

// Typed is a Game with its type of position, for package run.
type Typed[S game.State[S]] struct {
	Rules game.Game[S]
	Exact solver.Maker[S]
	title string // display name
}

var families []Family

// Register makes families known to Open. Call it at the start of the program. It panics if a family's word is empty or
// taken.
func Register(more ...Family) {
	for _, f := range more {
		if f.word() == "" || familyOf(f.word()) != nil {
			panic(fmt.Sprintf("engine: a family of games needs a word of its own, not %q", f.word()))
		}
		families = append(families, f)
	}
}

func familyOf(word string) Family {
	for _, f := range families {
		if f.word() == word {
			return f
		}
	}
	return nil
}

// GameNames returns the families' words, for completion.
func GameNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.word())
	}
	return names
}

// Boards returns the games offered in menus.
func Boards() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.boards()...)
	}
	return names
}

// Families returns how to write the games' names, such as "connect4 or connect4:COLUMNS,ROWS,K".
func Families() []string {
	var forms []string
	for _, f := range families {
		forms = append(forms, f.form())
	}
	return forms
}

// Open returns the game with the given name. An InputError says how to write names.
func Open(name string) (Game, error) {
	word, numbers, colon := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	f := familyOf(word)
	if f == nil {
		return nil, InputErrorf("game %q is unknown: write %s%s", name, strings.Join(Families(), ", "), DidYouMean(word, GameNames()))
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
