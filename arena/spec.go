package arena

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Spec is the name of a player, the form in which a person asks for one: see ParseSpec.
type Spec struct {
	Kind  Kind
	Path  string        // Net: a model file or a run's directory
	Limit int           // UCT: playouts a move; AlphaBeta: plies; both 0 where Time is set. Net: simulations, at least 0, or Unset
	Time  time.Duration // UCT, AlphaBeta: time a move, 0 where Limit is set
}

// Unset is the Limit of a net whose SPEC does not name its simulations.
const Unset = -1

// Kind is the first word of a SPEC.
type Kind string

// The kinds of players.
const (
	KindRandom    Kind = "random"
	KindUCT       Kind = "uct"
	KindNet       Kind = "net"
	KindMinimax   Kind = "minimax"
	KindAlphaBeta Kind = "alphabeta"
	KindSolver    Kind = "solver"
	KindHuman     Kind = "human"
)

// kinds is the grammar: a new kind of player is a line here and a case in Builder.Build.
var kinds = []struct {
	kind  Kind
	forms string                               // how to write it
	parse func(s *Spec, argument string) error // reads what follows the first colon, empty where there is none
}{
	{KindRandom, "random", parseNothing},
	{KindUCT, "uct:PLAYOUTS, uct:DURATION", parseBudget},
	{KindNet, "net:PATH, net:PATH:SIMULATIONS", parseModel},
	{KindMinimax, "minimax", parseNothing},
	{KindAlphaBeta, "alphabeta:DEPTH, alphabeta:DURATION", parseBudget},
	{KindSolver, "solver", parseNothing},
	{KindHuman, "human", parseNothing},
}

// ParseSpec reads the name of a player:
//
//	random        random legal moves
//	uct:1000      plain UCT, 1000 playouts a move
//	uct:500ms     plain UCT, half a second a move; any positive duration of time.ParseDuration
//	net:PATH      the network in a model file or a run's directory, with the simulations of its Builder
//	net:PATH:400  the same with 400 simulations a move; 0: the bare policy
//	minimax       perfect play by a table of the whole game, for small boards
//	alphabeta:8   alpha-beta search 8 plies deep, then an estimate; alphabeta:500ms: as deep as half a second allows
//	solver        perfect play by the strongest solver of the game
//	human         a person
//
// PATH may contain colons. Where it ends in one and a number, the simulations must follow.
func ParseSpec(text string) (Spec, error) {
	name, argument, given := strings.Cut(text, ":")
	for _, k := range kinds {
		if name == string(k.kind) {
			s := Spec{Kind: k.kind}
			err := k.parse(&s, argument)
			if given && argument == "" {
				err = errors.New("nothing follows the colon")
			}
			if err != nil {
				return Spec{}, fmt.Errorf("player %q: %w: write %s", text, err, k.forms)
			}
			return s, nil
		}
	}
	return Spec{}, fmt.Errorf("player %q: unknown kind %q: write one of %s", text, name, Forms())
}

// Forms lists the ways to write a SPEC, for help texts and errors.
func Forms() string {
	var forms []string
	for _, k := range kinds {
		forms = append(forms, k.forms)
	}
	return strings.Join(forms, ", ")
}

// String is the SPEC, which ParseSpec reads back.
func (s Spec) String() string {
	text := string(s.Kind)
	if s.Path != "" {
		text += ":" + s.Path
	}
	switch {
	case s.Time > 0:
		text += ":" + s.Time.String()
	case s.Limit > 0, s.Kind == KindNet && s.Limit == 0:
		text += ":" + strconv.Itoa(s.Limit)
	}
	return text
}

func parseNothing(s *Spec, argument string) error {
	if argument != "" {
		return fmt.Errorf("nothing may follow %q", s.Kind)
	}
	return nil
}

// parseBudget reads a number or a duration, above 0.
func parseBudget(s *Spec, argument string) error {
	if argument == "" {
		return errors.New("a number or a duration is missing")
	}
	var err error
	if s.Limit, err = strconv.Atoi(argument); err != nil {
		s.Limit = 0
		if s.Time, err = time.ParseDuration(argument); err != nil {
			return fmt.Errorf("%q is neither a number in range nor a duration such as 500ms", argument)
		}
	}
	if s.Limit <= 0 && s.Time <= 0 {
		return fmt.Errorf("%s is not above 0", argument)
	}
	return nil
}

// parseModel reads a path and, after the last colon, a number of simulations.
func parseModel(s *Spec, argument string) error {
	s.Path, s.Limit = argument, Unset
	if colon := strings.LastIndexByte(argument, ':'); colon >= 0 {
		n, err := strconv.Atoi(argument[colon+1:])
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && n < 0:
			return fmt.Errorf("%s simulations are out of range", argument[colon+1:])
		case err == nil:
			s.Path, s.Limit = argument[:colon], n
		}
	}
	if s.Path == "" {
		return errors.New("the path of a model file or a run's directory is missing")
	}
	return nil
}
