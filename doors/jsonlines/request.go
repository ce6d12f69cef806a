package jsonlines

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tengen/game"
	"tengen/internal/files"
)

// request is a line of input. Exactly one of its fields besides ID is given.
type request struct {
	ID       json.RawMessage `json:"id"`
	Describe bool            `json:"describe"`
	Reset    *reset          `json:"reset"`
	Step     moves           `json:"step"`
	Observe  string          `json:"observe"` // a side's name
	Legal    *int            `json:"legal"`   // a game's index
	Render   *int            `json:"render"`  // a game's index
	Solve    bool            `json:"solve"`
}

// reset names the games to restart, all if Games is nil.
type reset struct {
	Seed  *uint64 `json:"seed"`
	Games []int   `json:"games"`
}

// moves are a list of numbers, names and nulls, or the base64 of little-endian int32s with -1 for null.
type moves []move

// move is an action, or the name of a legal one.
type move struct {
	action game.Action
	name   *string
}

// UnmarshalJSON reads a number, a name or null.
func (m *move) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &m.name)
	}
	m.action = game.None
	return json.Unmarshal(text, &m.action) // null changes nothing
}

// UnmarshalJSON reads a list of numbers, names and nulls, or base64 text; null changes nothing.
func (m *moves) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if text[0] == '"' {
		var raw []byte // base64 in JSON
		err := json.Unmarshal(text, &raw)
		switch {
		case err != nil:
			return fmt.Errorf("step is not base64: %w", err)
		case len(raw)%4 != 0:
			return fmt.Errorf("step has %d bytes, but must have 4 per action", len(raw))
		}
		*m = make(moves, len(raw)/4)
		for i := range *m {
			(*m)[i].action = game.Action(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return nil
	}
	list := []move{}
	if err := json.Unmarshal(text, &list); err != nil {
		wrong := new(json.UnmarshalTypeError)
		errors.As(err, &wrong) // the syntax is right
		article := "a"
		if strings.ContainsAny(wrong.Value[:1], "ao") { // array, object
			article = "an"
		}
		return fmt.Errorf(
			"step must be a list of actions, whole numbers, names or null, or base64 of numbers, but has %s %s", article, wrong.Value)
	}
	*m = list
	return nil
}

// parse reads a request. Even with an error, it returns the ID if that is readable.
func parse(line []byte) (request, error) {
	var r request
	if err := files.DecodeLine(line, &r); err != nil {
		return r, err
	}
	given := 0
	for _, is := range []bool{
		r.Describe, r.Reset != nil, r.Step != nil, r.Observe != "", r.Legal != nil, r.Render != nil, r.Solve,
	} {
		if is {
			given++
		}
	}
	if given != 1 {
		return r, errors.New("a request must have one of describe, reset, step, observe, legal, render and solve")
	}
	return r, nil
}
