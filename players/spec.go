package players

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/players/external"
)

// Spec is a player's name in parsed form (see ParseSpec).
type Spec struct {
	Kind  Kind
	Path  string        // net: a model file or a run directory; gtp, uci, gomocup: what follows the colon
	Limit int           // playouts, plies or simulations per move; net: may be Unset. 0 if Time is set
	Time  time.Duration // uct, alphabeta, net: time per move; 0 if Limit is set. Net without both: no search

	Exploration float64 // uct: UCB1's weight, at most 100; 0: uct.DefaultExploration
}

// maxLimit is the largest Limit, as of search.simulations. Trees are also bounded by their memory.
const maxLimit = 10_000_000

// Unset is the Limit of a net whose SPEC names no simulations.
const Unset = -1

// Kind is the first part of a SPEC.
type Kind string

// The kinds of players.
const (
	KindRandom    Kind = "random"
	KindUCT       Kind = "uct"
	KindNet       Kind = "net"
	KindAlphaBeta Kind = "alphabeta"
	KindSolver    Kind = "solver"
	KindHuman     Kind = "human"

	// External engines, see package external.
	KindGTP     Kind = external.GTP
	KindUCI     Kind = external.UCI
	KindGomocup Kind = external.Gomocup
)

// kinds is the grammar. A new kind needs a line here and a case in Builder.algorithm.
var kinds = []struct {
	kind  Kind
	forms string                               // for errors and help
	parse func(s *Spec, argument string) error // parses the text after the first colon
}{
	{KindRandom, "random", parseNothing},
	{KindUCT, "uct:PLAYOUTS[:c=C], uct:DURATION[:c=C]", parseUCT},
	{KindNet, "net:PATH, net:PATH:SIMULATIONS, net:PATH:DURATION", parseModel},
	{KindAlphaBeta, "alphabeta:DEPTH, alphabeta:DURATION", parseBudget},
	{KindSolver, "solver", parseNothing},
	{KindHuman, "human", parseNothing},
	{KindGTP, "gtp:COMMAND", parseProgram},
	{KindUCI, "uci:nodes=NODES:COMMAND", parseProgram},
	{KindGomocup, "gomocup:COMMAND", parseProgram},
}

// ParseSpec parses a player's name:
//
//	random          random legal moves
//	uct:1000        plain UCT, 1000 playouts per move
//	uct:500ms       plain UCT, half a second per move; any positive duration for time.ParseDuration
//	uct:1000:c=1.4  the same with another exploration constant than 1
//	net:PATH        the network in a model file or run directory, with as many simulations per move as in training
//	net:PATH:400    the same with 400 simulations per move; 0: the policy without search
//	net:PATH:500ms  the same with half a second per move
//	alphabeta:8     alpha-beta search 8 plies deep, then an estimate
//	alphabeta:500ms the same, as deep as half a second allows
//	solver          perfect play by the game's strongest solver
//	human           a person
//	gtp:COMMAND     an external engine, by the Go Text Protocol; [OPTIONS:]COMMAND as external.ParseCommand reads it
//	uci:COMMAND     the same by UCI
//	gomocup:COMMAND the same by the protocol of Gomocup
//
// Players with a time limit need a core each for comparable strength. PATH may contain colons. If the text after its
// last colon is a number or a duration, a limit must follow PATH.
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

// CheckEngine returns an error if a human plays.
func (s Spec) CheckEngine() error {
	if s.Kind == KindHuman {
		return errors.New("a human cannot play here: name another player")
	}
	return nil
}

// CheckBuiltIn returns an error if a human or an external engine plays.
func (s Spec) CheckBuiltIn() error {
	if s.IsProgram() {
		return errors.New("an external engine cannot play here: it plays in eval, ladder, play, analyze and serve --engine")
	}
	return s.CheckEngine()
}

// IsProgram returns whether an external engine plays.
func (s Spec) IsProgram() bool {
	return s.Kind == KindGTP || s.Kind == KindUCI || s.Kind == KindGomocup
}

// Forms returns the ways to write a SPEC.
func Forms() string { return EngineForms() + ", " + string(KindHuman) }

// EngineForms returns Forms without "human".
func EngineForms() string {
	var forms []string
	for _, k := range kinds {
		if k.kind != KindHuman {
			forms = append(forms, k.forms)
		}
	}
	return strings.Join(forms, ", ")
}

// String returns the SPEC. ParseSpec reads it back.
func (s Spec) String() string {
	text := string(s.Kind)
	if s.Path != "" {
		text += ":" + s.Path
	}
	switch {
	case s.Time > 0:
		text += ":" + s.Time.String()
	case s.Limit > 0, s.Limit == 0 && s.Kind == KindNet:
		text += ":" + strconv.Itoa(s.Limit)
	}
	if s.Exploration != 0 {
		text += ":c=" + strconv.FormatFloat(s.Exploration, 'g', -1, 64)
	}
	return text
}

func parseNothing(s *Spec, argument string) error {
	if argument != "" {
		return fmt.Errorf("nothing may follow %q", s.Kind)
	}
	return nil
}

func parseUCT(s *Spec, argument string) error {
	budget, c, given := strings.Cut(argument, ":c=")
	if given {
		var err error
		if s.Exploration, err = strconv.ParseFloat(c, 64); err != nil || !(s.Exploration > 0 && s.Exploration <= 100) {
			return fmt.Errorf("c is %q, but must be a number above 0 and at most 100", c)
		}
	}
	return parseBudget(s, budget)
}

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
	if s.Limit > maxLimit {
		return fmt.Errorf("%s is above %d", argument, maxLimit)
	}
	return nil
}

func parseProgram(s *Spec, argument string) error {
	s.Path = argument
	_, err := external.ParseCommand(string(s.Kind), argument)
	return err
}

func parseModel(s *Spec, argument string) error {
	s.Path, s.Limit = argument, Unset
	if colon := strings.LastIndexByte(argument, ':'); colon >= 0 {
		last := argument[colon+1:]
		n, errNumber := strconv.Atoi(last)
		_, errFraction := strconv.ParseFloat(last, 64)
		d, errDuration := time.ParseDuration(last)
		switch {
		case errors.Is(errNumber, strconv.ErrRange), errNumber == nil && (n < 0 || n > maxLimit):
			return fmt.Errorf("%s simulations are out of range, 0 to %d", last, maxLimit)
		case errNumber == nil:
			s.Path, s.Limit = argument[:colon], n
		case errDuration == nil && d <= 0:
			return fmt.Errorf("%s is not above 0", last)
		case errDuration == nil:
			s.Path, s.Limit, s.Time = argument[:colon], 0, d
		case errFraction == nil:
			return fmt.Errorf("%s is not a whole number", last)
		}
	}
	if s.Path == "" {
		return errors.New("the path of a model file or a run's directory is missing")
	}
	return nil
}
