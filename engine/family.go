package engine

import (
	"errors"
	"fmt"
	"strings"

	"tengen/game"
	"tengen/solver"
)

// Family is a set of games with a common first word in their names.
type Family interface {
	word() string
	form() string
	boards() []string
	open(numbers string) (Game, error)
}

// Rules is a Family. The first three fields suffice:
//
//	engine.Rules[hex.State, *hex.Game]{Name: "hex", Form: "hex:SIDE", Parse: hex.Parse}
type Rules[S game.State[S], G game.Game[S]] struct {
	Name string // first word, lower case
	Form string // of the games' names, such as "mnk:COLUMNS,ROWS,K"
	// Parse returns the game for the text after the colon, "" without a colon.
	Parse func(numbers string) (G, error)

	Title func(G) string // display name; nil: the game's name
	// Sentence returns the rules in a sentence or two, for players; nil: none.
	Sentence func(G) string
	Boards   []string // names of games for menus; nil: Name alone, if Parse returns a game for ""
	// Other returns the name of the game with the same rules on another board. komi is the second player's points (see
	// game.Compensated), nil for those usual there. nil: the game has no other boards.
	Other func(g G, size game.Size, komi *float64) string
	Maker func(G) solver.Maker[S] // nil: solver.General
}

func (r Rules[S, G]) word() string { return r.Name }
func (r Rules[S, G]) form() string { return r.Form }

func (r Rules[S, G]) boards() []string {
	if r.Boards != nil {
		return r.Boards
	}
	if _, err := r.Parse(""); err != nil {
		return nil
	}
	return []string{r.Name}
}

func (r Rules[S, G]) open(numbers string) (Game, error) {
	g, err := r.Parse(numbers)
	if err != nil {
		return nil, err
	}
	e := Typed[S]{Rules: g, title: g.Name()}
	if r.Title != nil {
		e.title = r.Title(g)
	}
	if r.Sentence != nil {
		e.sentence = r.Sentence(g)
	}
	if r.Other != nil {
		e.other = func(size game.Size, komi *float64) string { return r.Other(g, size, komi) }
	}
	if r.Maker != nil {
		e.Exact = r.Maker(g)
	} else {
		e.Exact = solver.General[S](g)
	}
	return e, nil
}

// Typed is a Game with positions of type S.
type Typed[S game.State[S]] struct {
	Rules           game.Game[S]
	Exact           solver.Maker[S]
	title, sentence string
	other           func(size game.Size, komi *float64) string // see Rules.Other
}

// OnBoard opens the game with the same rules on another board. komi is the second player's points, nil for those usual
// there; games without it ignore it. All errors are InputErrors.
func (e Typed[S]) OnBoard(size game.Size, komi *float64) (Game, error) {
	if e.other == nil {
		return nil, InputErrorf("%s has no other boards", e.Rules.Name())
	}
	g, err := Open(e.other(size, komi))
	if err == nil && g.Info().Size != size {
		return nil, InputErrorf("%s has no board of %v", e.Rules.Name(), size)
	}
	return g, err
}

var families []Family

// Register makes families known to Open. It panics if a name is empty or taken.
func Register(more ...Family) {
	for _, f := range more {
		if f.word() == "" || familyOf(f.word()) != nil {
			panic(fmt.Sprintf("engine: the name of a family of games is empty or taken: %q", f.word()))
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

// GameNames returns the first words of the games' names.
func GameNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.word())
	}
	return names
}

// Boards returns the names of games for menus.
func Boards() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.boards()...)
	}
	return names
}

// Families returns the forms of the games' names.
func Families() []string {
	var forms []string
	for _, f := range families {
		forms = append(forms, f.form())
	}
	return forms
}

// Open returns the game with the given name. All errors are InputErrors.
func Open(name string) (Game, error) {
	word, numbers, colon := strings.Cut(strings.ToLower(strings.TrimSpace(name)), ":")
	f := familyOf(word)
	if f == nil {
		return nil, InputErrorf("game %.80q is unknown: write %s%s", name, strings.Join(Families(), ", "), DidYouMean(word, GameNames()))
	}
	e, err := f.open(numbers)
	if colon && numbers == "" {
		err = errors.New("nothing follows the colon")
	}
	if err != nil {
		return nil, InputErrorf("game %.80q: %.200w: write %s", name, err, f.form())
	}
	return e, nil
}
