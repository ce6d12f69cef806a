package engine

import (
	"errors"
	"fmt"
	"strings"

	"tengen/game"
	"tengen/solver"
)

// Family is one or more games whose names begin with the same word. Rules implements it.
type Family interface {
	// word is the first word of the games' names, form shows how to write them.
	word() string
	form() string
	boards() []string
	// open returns the game for the text after the colon in its name, "" if there is none.
	open(numbers string) (Game, error)
}

// Rules describes a family. A game that is nothing but rules needs
//
//	engine.Rules[othello.State, *othello.Game]{Name: "othello", Form: "othello:SIDE", Parse: othello.Parse}
type Rules[S game.State[S], G game.Game[S]] struct {
	Name string // the word that names begin with, in lower case
	Form string // how names are written: "mnk:COLUMNS,ROWS,K"
	// Parse returns the game for the text after the colon in its name, "" if there is none.
	Parse func(numbers string) (G, error)

	// The rest is optional. Title returns the game's name for people; nil means its Name.
	Title func(G) string
	// Boards names the games that the web page offers.
	Boards []string
	// Maker makes solvers of a game; nil means solver.General.
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

// Typed is a Game with its position type, for package run.
type Typed[S game.State[S]] struct {
	Rules game.Game[S]
	Exact solver.Maker[S]
	title string // as people name it
}

// families is what Register has added.
var families []Family

// Register adds families to those that Open knows. Call it before anything else. It panics if two share a word.
func Register(more ...Family) {
	for _, f := range more {
		if f.word() == "" || familyOf(f.word()) != nil {
			panic(fmt.Sprintf("engine: a family of games needs a word of its own, not %q", f.word()))
		}
		families = append(families, f)
	}
}

// familyOf returns the family with a word, or nil.
func familyOf(word string) Family {
	for _, f := range families {
		if f.word() == word {
			return f
		}
	}
	return nil
}

// GameNames lists the families' words, for shell completion.
func GameNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.word())
	}
	return names
}

// Boards lists the games that the web page offers.
func Boards() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.boards()...)
	}
	return names
}

// Families shows how to write each family's names, such as "connect4 or connect4:COLUMNS,ROWS,K".
func Families() []string {
	var forms []string
	for _, f := range families {
		forms = append(forms, f.form())
	}
	return forms
}

// Open returns the game with the given name. An InputError shows how to write names.
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
