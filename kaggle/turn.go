// Package kaggle plays ConnectX, Connect Four on boards of any size as Kaggle holds competitions of it: it understands what an agent
// is told there, and packs agents to submit.
package kaggle

import (
	"errors"
	"fmt"
	"time"

	"tengen/engine"
	"tengen/game"
)

// Turn is what ConnectX tells an agent that is to move. It says nothing of the moves before. What else there is of it does not matter
// here.
type Turn struct {
	Configuration Configuration `json:"configuration"`
	State         struct {
		Observation Observation `json:"observation"`
	} `json:"state"`
}

// Configuration is the game that is played.
type Configuration struct {
	Columns    int     `json:"columns"`
	Rows       int     `json:"rows"`
	InARow     int     `json:"inarow"`
	ActTimeout float64 `json:"actTimeout"` // seconds for a move
}

// Observation is the position.
type Observation struct {
	Board []int `json:"board"` // [rows*columns] row by row from the top: 0 empty, 1 the first player's, 2 the second's
	Mark  int   `json:"mark"`  // of the agent, 1 or 2
}

// The time to think: a share of what there is for a move, the rest of which is for the way and for a machine that is busy.
const (
	usualTimeout = 2 * time.Second // where the configuration has none
	mostTime     = 1600 * time.Millisecond
	timeShare    = 0.8
)

// Time is how long an agent may think, from when it has heard of the turn.
func (t Turn) Time() time.Duration {
	timeout := usualTimeout.Seconds()
	if given := t.Configuration.ActTimeout; given > 0 {
		timeout = min(given, timeout)
	}
	return min(mostTime, time.Duration(timeShare*timeout*float64(time.Second)))
}

// Position is the position with its game. The error, an engine.InputError, says what cannot be played: a board that is too large,
// stones that cannot be, or a game that is over.
func (t Turn) Position() (engine.Engine, engine.Position, error) {
	c, o := t.Configuration, t.State.Observation
	e, err := engine.Open(fmt.Sprintf("connect4:%d,%d,%d", c.Columns, c.Rows, c.InARow))
	if err != nil {
		return nil, engine.Position{}, err
	}
	if o.Mark != 1 && o.Mark != 2 {
		return nil, engine.Position{}, engine.InputError{Err: fmt.Errorf("mark is %d, allowed are 1 and 2", o.Mark)}
	}
	cells, err := engine.Sides(o.Board)
	if err != nil {
		return nil, engine.Position{}, err
	}
	p, err := e.SetUp(cells, game.Mover(o.Mark-1), game.None)
	if err == nil && p.Over {
		err = engine.InputError{Err: errors.New("the game is over")}
	}
	return e, p, err
}
