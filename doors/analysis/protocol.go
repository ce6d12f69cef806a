package analysis

import (
	"errors"
	"fmt"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/files"
	"tengen/internal/limits"
	"tengen/players"
)

// Request is a client's line: a question about a position or, with an Action, an order.
type Request struct {
	ID string `json:"id"` // of the answers, 1 to MaxID bytes

	Action      string `json:"action,omitempty"`       // "", Terminate, TerminateAll or Quit
	TerminateID string `json:"terminate_id,omitempty"` // of the questions to end

	Moves  string `json:"moves,omitempty"`   // to the position, in the game's notation
	Cells  []int  `json:"cells,omitempty"`   // or its stones, row by row from the top: 0 empty, 1 first player, 2 second
	ToMove string `json:"to_move,omitempty"` // with Cells: "first" or "second"

	// Simulations and Milliseconds limit the search. If both are nil, the player's SPEC limits it.
	Simulations  *int `json:"simulations,omitempty"`
	Milliseconds *int `json:"milliseconds,omitempty"`
	// ReportSimulations and ReportMilliseconds are the least amounts between partial results. If both are nil, the
	// server sends no partial results.
	ReportSimulations  *int `json:"report_simulations,omitempty"`
	ReportMilliseconds *int `json:"report_milliseconds,omitempty"`

	Priority int `json:"priority,omitempty"` // the highest is searched first, and the oldest of equal ones
}

// Actions.
const (
	Terminate    = "terminate"
	TerminateAll = "terminate_all"
	Quit         = "quit"
)

// MaxID is the maximum length of an id, in bytes.
const MaxID = 100

// Answer is a search's result. Each searched question gets exactly one with DuringSearch false, unless the client
// quits.
type Answer struct {
	ID           string `json:"id"`
	DuringSearch bool   `json:"during_search"`
	engine.AnalysisJSON
}

// Unsearched answers a question terminated before its search, or in the search of an external engine.
type Unsearched struct {
	ID           string `json:"id"`
	DuringSearch bool   `json:"during_search"` // false
	NoResults    bool   `json:"no_results"`    // true
}

// Done confirms an action.
type Done struct {
	ID          string `json:"id"`
	Action      string `json:"action"`
	TerminateID string `json:"terminate_id,omitempty"`
}

// Failure refuses a request. ID is "" if unreadable.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// parse parses a line. With an error, it returns the parsed part.
func parse(line []byte) (r Request, err error) {
	err = files.DecodeLine(line, &r)
	if err == nil && (r.ID == "" || len(r.ID) > MaxID) {
		err = fmt.Errorf("the id has %d bytes, but must have 1 to %d", len(r.ID), MaxID)
	}
	return r, err
}

// question returns the question of a request without an action.
func (s *server) question(r Request) (*question, error) {
	if r.TerminateID != "" {
		return nil, fmt.Errorf("terminate_id needs action %s", Terminate)
	}
	q := &question{id: r.ID, priority: r.Priority}
	var err error
	if q.position, err = s.position(r); err != nil {
		return nil, err
	}
	if q.position.Over {
		return nil, fmt.Errorf("the game is over: %s", q.position.Result())
	}
	if q.limit, err = limit("", r.Simulations, r.Milliseconds); err != nil {
		return nil, err
	}
	if q.limit == (players.Limit{}) {
		q.limit = s.limit
	}
	if q.every, err = limit("report_", r.ReportSimulations, r.ReportMilliseconds); err != nil {
		return nil, err
	}
	if r.Simulations != nil && !countsSimulations(s.config.Player) {
		return nil, fmt.Errorf("simulations cannot limit player %q", s.config.Player)
	}
	if r.Milliseconds != nil && s.config.Player.IsProgram() {
		return nil, fmt.Errorf("milliseconds cannot limit player %q: its SPEC does", s.config.Player)
	}
	return q, nil
}

func (s *server) position(r Request) (engine.Position, error) {
	switch {
	case r.Cells == nil && r.ToMove == "":
		return s.engine.Parse(r.Moves)
	case r.Cells == nil || r.Moves != "":
		return engine.Position{}, errors.New("give the position as moves, or as cells and to_move")
	}
	toMove := engine.ParseSide(r.ToMove)
	if toMove == game.Nobody {
		return engine.Position{}, limits.OneOf("to_move", r.ToMove, "first", "second")
	}
	cells, err := engine.Sides(r.Cells)
	if err != nil {
		return engine.Position{}, err
	}
	return s.engine.SetUp(cells, toMove, game.None)
}

const (
	maxSimulations  = 1_000_000_000
	maxMilliseconds = 86_400_000
)

// limit checks two fields whose names begin with prefix.
func limit(prefix string, simulations, milliseconds *int) (l players.Limit, err error) {
	if simulations != nil {
		l.Simulations = *simulations
		err = limits.Int(prefix+"simulations", l.Simulations, 1, maxSimulations)
	}
	if milliseconds != nil && err == nil {
		l.Time = time.Duration(*milliseconds) * time.Millisecond
		err = limits.Int(prefix+"milliseconds", *milliseconds, 1, maxMilliseconds)
	}
	return l, err
}

// countsSimulations reports whether simulations limit a player's searches.
func countsSimulations(s players.Spec) bool {
	return s.Kind == players.KindUCT || s.Kind == players.KindNet && (s.Limit != 0 || s.Time != 0)
}
