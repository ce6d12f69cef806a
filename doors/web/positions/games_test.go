package positions

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
	"tengen/net"
	"tengen/players"
	"tengen/run/runtest"
)

func TestPosition(t *testing.T) {
	s := newServer(t, nil)
	wantJSON(t, s, "/api/position?game=mnk:2,2,2&moves=A1", `{
		"game": "mnk:2,2,2",
		"moves": "a1", "ply": 1, "to_move": "second", "rules": "Put your mark on any free cell. Two in a row, horizontally, vertically or diagonally, win. A full board is a draw.",
		"columns": 2, "rows": 2, "drops": false, "in_a_row": 2,
		"column_labels": ["a", "b"], "row_labels": ["2", "1"], "cells": [0, 0, 1, 0], "last": 2, "changed": [],
		"legal": [{"move": "a2", "cell": 0, "cells": [0]}, {"move": "b2", "cell": 1, "cells": [1]}, {"move": "b1", "cell": 3, "cells": [3]}],
		"over": false, "winner": null, "line": [], "history": [{"move": "a1", "by": "first", "cell": 2}],
		"text": "   a  b\n2  .  .\n1 (X) .\n   a  b\n"}`)
	wantJSON(t, s, "/api/position?game=connect4:3,2,2&moves=112", `{
		"game": "connect4:3,2,2",
		"moves": "112", "ply": 3, "to_move": "second", "rules": "Drop a disc into a column; it falls to the lowest free cell. Two or more in a row, horizontally, vertically or diagonally, win. A full board is a draw.",
		"columns": 3, "rows": 2, "drops": true, "in_a_row": 2,
		"column_labels": ["1", "2", "3"], "row_labels": null, "cells": [2, 0, 0, 1, 1, 0], "last": 4, "changed": [], "legal": [],
		"over": true, "winner": "first", "line": [3, 4],
		"history": [{"move": "1", "by": "first", "cell": 3}, {"move": "1", "by": "second", "cell": 0}, {"move": "2", "by": "first", "cell": 4}],
		"text": " 1  2  3\n O  .  .\n X (X) .\n 1  2  3\n"}`)
	var p positionJSON
	get(t, s, "/api/position?game=connect4&moves=44", &p)
	if l := p.Legal[3]; l.Move != "4" || *l.Cell != 3*7+3 || !slices.Equal(l.Cells, []int{3, 10, 17, 24}) {
		t.Errorf("column 4 with two discs is %+v", l)
	}
	get(t, s, "/api/position?game=tictactoe&moves=a1+b1+a2+b2+b3+a3+c1+c2+c3", &p)
	if !p.Over || *p.Winner != "draw" && *p.Winner != "first" && *p.Winner != "second" {
		t.Errorf("a full board is %+v", p)
	}
}

// The answer says what the last move took or turned. Texts on free cells are tiles.
func TestChangedCells(t *testing.T) {
	s := newServer(t, nil)
	for query, want := range map[string][]int{
		"othello&moves=f5":                      {36}, // e5 turns
		"breakthrough:6,6&moves=b2b3+c5c4":      {},
		"breakthrough:6,6&moves=b2b3+c5c4+b3c4": {14}, // where it captures
		"connect4&moves=44":                     {},
	} {
		var p positionJSON
		get(t, s, "/api/position?game="+query, &p)
		if !slices.Equal(p.Changed, want) || p.Tiles {
			t.Errorf("%s: changed %v, tiles %t; want %v and no tiles", query, p.Changed, p.Tiles, want)
		}
	}
}

// Requests that mean nothing are answered with what is wrong with them.
func TestBadRequests(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Limits.Moves = 4 })
	for target, want := range map[string]struct {
		status int
		text   string
	}{
		"/api/position":                                                         {400, "which game"},
		"/api/position?game=chess":                                              {400, `game "chess" is unknown`},
		"/api/position?game=connect4&game=connect4":                             {400, "game is given 2 times"},
		"/api/position?game=connect4&path=x":                                    {400, `unknown parameter "path"`},
		"/api/position?game=connect4&moves=9":                                   {400, "is not legal here"},
		"/api/position?game=tictactoe&moves=a1+a1":                              {400, "move 2, \"a1\", is not legal here"},
		"/api/position?game=connect4&moves=12345":                               {400, "5 moves, but at most 4 are allowed"},
		"/api/position?game=connect4&moves=%zz":                                 {400, "cannot be read"},
		"/api/games?x=1":                                                        {400, "unknown parameter"},
		"/api/players":                                                          {400, "which game"},
		"/api/truth?game=connect4&x=":                                           {400, "unknown parameter"},
		"/api/analysis?game=connect4":                                           {400, "player is missing"},
		"/api/analysis?game=connect4&player=net:/etc/passwd":                    {400, "there is no player"},
		"/api/analysis?game=connect4&player=uct&simulations=0":                  {400, `simulations is "0", but must be 1 to 1000000`},
		"/api/analysis?game=connect4&player=uct&simulations=1000001":            {400, "must be 1 to 1000000"},
		"/api/analysis?game=connect4&player=uct&milliseconds=60001":             {400, "must be 1 to 60000"},
		"/api/analysis?game=connect4&player=uct&milliseconds=x":                 {400, "milliseconds"},
		"/api/analysis?game=connect4&player=uct&depth=3":                        {400, "uct has no limit depth"},
		"/api/analysis?game=connect4&player=uct&simulations=9&milliseconds=9":   {400, "give one limit"},
		"/api/analysis?game=connect4&player=uct&line=x":                         {400, "is not legal here"},
		"/api/analysis?game=connect4&player=uct&id=" + strings.Repeat("1", 101): {400, "the id has 101 bytes"},
		"/api/analysis?game=mnk:2,1,1&moves=a1&player=uct":                      {400, "the game is over"},
	} {
		wantError(t, s, target, want.status, want.text)
	}
}

func TestGames(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Players = []players.Spec{spec(t, "net:mnk-6x6x4")} })
	s.Runs, _ = tinyRun(t)
	var answer struct {
		Version  string
		Games    []gameJSON
		Families []string
		Limits   map[string]int
		Training bool
	}
	get(t, s, "/api/games", &answer)
	var names []string
	for _, g := range answer.Games {
		names = append(names, g.Name)
	}
	if !slices.Equal(names[:3], []string{"tictactoe", "mnk:6,6,4", "connect4"}) || slices.Contains(names[2:], "tictactoe") {
		t.Errorf("games %v: first those of the run and the player, none twice", names)
	}
	if g := answer.Games[2]; g.Title != "Connect Four" || !strings.HasPrefix(g.Rules, "Drop a disc") || !g.Drops || *g.InARow != 4 || g.Columns != 7 || g.Rows != 6 || g.Down != nil {
		t.Errorf("%+v", g)
	}
	if l := answer.Limits; l["searches"] != 1 || l["milliseconds"] != 60000 || l["streams"] != 256 || l["simulations"] != 1_000_000 {
		t.Errorf("limits %v", l)
	}
	for _, name := range names {
		if w := ask(t.Context(), s, "/api/position?game="+escape(name)); w.Code != http.StatusOK {
			t.Errorf("%s is offered, and answered with %d", name, w.Code)
		}
	}
}

// countingEngine counts the models that are read.
type countingEngine struct {
	engine.Game
	read int
}

// Network implements engine.Game.
func (e *countingEngine) Network(m *net.Model, o engine.PlayerOptions) (engine.Network, error) {
	e.read++
	return e.Game.Network(m, o)
}

// What is known of models is remembered: to list the players of a game again, reads none.
func TestModelsAreReadOnce(t *testing.T) {
	s := newServer(t, nil)
	s.Runs, _ = tinyRun(t)
	for _, game := range []string{"connect4", "tictactoe", "mnk:9,9,5"} {
		e, err := engine.Open(game)
		if err != nil {
			t.Fatal(err)
		}
		counted := &countingEngine{Game: e}
		s.players(t.Context(), counted)
		first := counted.read
		if s.players(t.Context(), counted); first == 0 || counted.read > first {
			t.Errorf("to list the players of %s reads %d models, and again %d", game, first, counted.read-first)
		}
	}
}

// The models given for players are read when the server starts, and not for every list of games.
func TestGivenModelsAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(runtest.Run(t))); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(o *Options) { o.Players = []players.Spec{spec(t, "net:"+dir)} })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if games := s.Games(t.Context()).Games; games[0].Name != "tictactoe" {
		t.Errorf("the first game is %s", games[0].Name)
	}
}
