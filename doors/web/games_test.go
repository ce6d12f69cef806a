package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/doors/web/positions"
	"tengen/players"
	"tengen/players/playertest"
	"tengen/run/runtest"
)

func TestPosition(t *testing.T) {
	s := newServer(t, nil)
	wantJSON(t, s, "/api/position?game=mnk:2,2,2&moves=A1", `{
		"game": "mnk:2,2,2",
		"moves": "a1", "ply": 1, "to_move": "second", "rules": "Put your mark on any free cell. Two in a row, horizontally, vertically or diagonally, win. A full board is a draw.",
		"columns": 2, "rows": 2, "drops": false, "in_a_row": 2,
		"column_labels": ["a", "b"], "row_labels": ["2", "1"], "cells": [0, 0, 1, 0], "last": 2, "changed": [],
		"legal": [{"move": "a2", "action": 0, "cell": 0, "cells": [0]}, {"move": "b2", "action": 1, "cell": 1, "cells": [1]}, {"move": "b1", "action": 3, "cell": 3, "cells": [3]}],
		"over": false, "winner": null, "line": [], "history": [{"move": "a1", "action": 2, "cell": 2, "by": "first"}],
		"text": "   a  b\n2  .  .\n1 (X) .\n   a  b\n"}`)
	wantJSON(t, s, "/api/position?game=connect4:3,2,2&moves=112", `{
		"game": "connect4:3,2,2",
		"moves": "112", "ply": 3, "to_move": "second", "rules": "Drop a disc into a column; it falls to the lowest free cell. Two or more in a row, horizontally, vertically or diagonally, win. A full board is a draw.",
		"columns": 3, "rows": 2, "drops": true, "in_a_row": 2,
		"column_labels": ["1", "2", "3"], "row_labels": null, "cells": [2, 0, 0, 1, 1, 0], "last": 4, "changed": [], "legal": [],
		"over": true, "winner": "first", "line": [3, 4],
		"history": [{"move": "1", "action": 0, "cell": 3, "by": "first"}, {"move": "1", "action": 0, "cell": 0, "by": "second"}, {"move": "2", "action": 1, "cell": 4, "by": "first"}],
		"text": " 1  2  3\n O  .  .\n X (X) .\n 1  2  3\n"}`)
	var p positions.PositionJSON
	get(t, s, "/api/position?game=connect4&moves=44", &p)
	if l := p.Legal[3]; l.Move != "4" || *l.Cell != 3*7+3 || !slices.Equal(l.Cells, []int{3, 10, 17, 24, 31, 38}) {
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
		var p positions.PositionJSON
		get(t, s, "/api/position?game="+query, &p)
		if !slices.Equal(p.Changed, want) || p.Tiles {
			t.Errorf("%s: changed %v, tiles %t; want %v and no tiles", query, p.Changed, p.Tiles, want)
		}
	}
}

// A game that other programs wrote is read, and written for them.
func TestFiles(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Limits.Moves = 9 })
	sent := func(target, text string) *http.Request {
		return httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7070/api/"+target, strings.NewReader(text))
	}
	read := func(game, text string) *http.Request { return sent("read?game="+game, text) }
	for _, test := range []struct{ game, text, want string }{
		{"gomoku", "", `{"game":"gomoku","moves":"","lines":[""],"resigned":null}`},
		{"othello", "1. F5 f4 2. F3", `{"game":"othello","moves":"f5 f4 f3","lines":["f5 f4 f3"],"resigned":null}`},
		{"gomoku", "(;SZ[15]RE[B+R];B[hh](;W[ii])(;W[aa]))",
			`{"game":"gomoku","moves":"h8 i7","lines":["h8 i7","h8 a15"],"resigned":"second"}`},
		{"gomoku", "(;AP[tengen]GN[connect4];B[df])", `{"game":"connect4","moves":"4","lines":["4"],"resigned":null}`},
	} {
		w := ask(s, read(test.game, test.text))
		var got, want any
		_, _ = json.Unmarshal(w.Body.Bytes(), &got), json.Unmarshal([]byte(test.want), &want)
		if w.Code != http.StatusOK || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is answered with %d, %s; want %s", test.text, w.Code, w.Body, test.want)
		}
	}
	wantError(t, s, request("/api/read?game=gomoku"), 405, "use POST")
	wantError(t, s, read("", "a1"), 400, "which game")
	wantError(t, s, read("gomoku", "(;B[zz])"), 400, `move 1, "zz", is not on the board`)
	wantError(t, s, read("connect4", "4444412341"), 400, "10 moves, but at most 9 are allowed")
	wantError(t, s, read("mnk:20,20,5", "(;"+branches(501)+")"), 400, "501 lines of play, but at most 500")
	for _, test := range []struct{ query, lines, name, want string }{
		{"mnk:7,6,4&resigned=first", "a6 g1\na6 b6", "mnk-7-6-4.sgf",
			"(;FF[4]CA[UTF-8]AP[tengen]GM[4]GN[mnk:7,6,4]SZ[7:6]RE[W+R];B[aa](;W[gf])(;W[ba]))\n"},
		{"breakthrough", "a2a3\n", "breakthrough.txt", "a2a3\n"},
		{"othello", "", "othello.sgf", "(;FF[4]CA[UTF-8]AP[tengen]GM[2]GN[othello]SZ[8])\n"},
	} {
		w := ask(s, sent("sgf?game="+test.query, test.lines))
		if name := w.Header().Get("Content-Disposition"); w.Body.String() != test.want || name != `attachment; filename="`+test.name+`"` {
			t.Errorf("%s: %s has %q; want %s with %q", test.query, name, w.Body, test.name, test.want)
		}
	}
	wantError(t, s, request("/api/sgf?game=gomoku"), 405, "use POST")
	wantError(t, s, sent("sgf?game=gomoku", "h8\nzz"), 400, `move 1, "zz"`)
	wantError(t, s, sent("sgf?game=gomoku", strings.Repeat("h8\n", 501)), 400, "501 lines of play, but at most 500")
	wantError(t, s, sent("sgf?game=gomoku&resigned=both", ""), 400, `resigned is "both"`)
	wantError(t, s, sent("sgf?game=gomoku&game=othello", ""), 400, "game is given 2 times")
	wantError(t, s, sent("sgf?game=connect4", "4444412341"), 400, "10 moves, but at most 9 are allowed")
	wantError(t, s, sent("sgf?game=gomoku", strings.Repeat(" ", 4<<20+1)), 413, "more than 4096 KB")
}

// Each game that is read can be saved, however long its lines are together.
func TestManyLinesAreSaved(t *testing.T) {
	s := newServer(t, nil)
	sent := func(target, text string) *httptest.ResponseRecorder {
		return ask(s, httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7070/api/"+target+"?game=mnk:20,20,5", strings.NewReader(text)))
	}
	var read, again struct{ Lines []string }
	take := func(text string, into any) {
		if w := sent("read", text); json.Unmarshal(w.Body.Bytes(), into) != nil {
			t.Fatalf("%.100s is answered with %d, %.200s", text, w.Code, w.Body)
		}
	}
	row := ""
	for i := range 20 {
		row += fmt.Sprintf(";%c[%cs]", "BW"[i%2], 'a'+i)
	}
	take("(;"+row+branches(500)+")", &read)
	take(sent("sgf", strings.Join(read.Lines, "\n")).Body.String(), &again)
	if len(read.Lines) != 500 || !slices.Equal(read.Lines, again.Lines) {
		t.Errorf("of %d lines, %d are there again", len(read.Lines), len(again.Lines))
	}
}

// branches returns n variations at the fifth move.
func branches(n int) string {
	text := ";B[aa];W[bb];B[cc];W[dd]"
	for i := range n {
		text += fmt.Sprintf("(;B[%c%c];W[%ct])", 'e'+i%15, 'e'+i%200/15, 'a'+i/200)
	}
	return text
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
		"/api/nothing":                                                          {404, "no such address"},
		"/nothing":                                                              {404, "no such address"},
		"/api/runs/none":                                                        {404, `no run "none"`},
		"/api/runs/none/events":                                                 {404, "no run"},
		"/api/runs/none/games":                                                  {404, "no run"},
		"/api/runs/..%2f..%2fetc/games/1":                                       {404, "no run"},
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
		wantError(t, s, request(target), want.status, want.text)
	}
}

func TestGames(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Runs = []string{runtest.Run(t)}
		o.Players = []players.Spec{playertest.Spec(t, "net:mnk-6x6x4")}
	})
	var answer struct {
		Version  string
		Games    []positions.GameJSON
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
		if w := ask(s, request("/api/position?game="+url.QueryEscape(name))); w.Code != http.StatusOK {
			t.Errorf("%s is offered, and answered with %d", name, w.Code)
		}
	}
}

// level is a level in an answer.
type level struct {
	Name, Player       string
	Simulations, Depth *int
}

// listedPlayers is the answer of /api/players.
type listedPlayers struct {
	Game    string
	Levels  []level
	Players []struct {
		Name, Kind, Note                            string
		Limits                                      []string
		Simulations, Milliseconds, Depth, Iteration *int
		Network                                     bool
		Run                                         *string
	}
}

func TestPlayers(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Runs = []string{runtest.Run(t)}
		o.Players = []players.Spec{playertest.Spec(t, "net:"+runtest.Run(t)+":30"), playertest.Spec(t, "uct:2s:c=2"), playertest.Spec(t, "uct:50"), playertest.Spec(t, "alphabeta:3")}
	})
	var answer listedPlayers
	names := func(game string) (list []string) {
		get(t, s, "/api/players?game="+url.QueryEscape(game), &answer)
		for _, p := range answer.Players {
			list = append(list, p.Name)
		}
		return list
	}
	own := []string{"uct:2s:c=2", "uct:50", "alphabeta:3"}
	general := []string{"uct", "alphabeta", "solver", "random"}
	if got, want := names("connect4"), slices.Concat(own, []string{"connect4", "connect4-quick"}, general); !slices.Equal(got, want) {
		t.Errorf("players of Connect Four are %v, want %v", got, want)
	}
	if p := answer.Players[0]; *p.Milliseconds != 2000 || p.Simulations != nil || p.Network {
		t.Errorf("uct:2s:c=2 is %+v", p)
	}
	if got, want := answer.Levels, []level{
		{"easy", "uct:50", new(50), nil}, {"medium", "uct:50", new(1600), nil}, {"strong", "connect4", new(1600), nil}, {"perfect", "solver", nil, nil},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("levels of Connect Four are %+v, want %+v", got, want)
	}
	if p := answer.Players[3]; *p.Simulations != 400 || !p.Network || *p.Iteration == 0 || p.Note != "built in" {
		t.Errorf("connect4 is %+v", p)
	}
	if got, want := names("tictactoe"), slices.Concat([]string{"tiny"}, own, []string{"tiny-2", "tiny@1", "tiny@0"}, general); !slices.Equal(got, want) {
		t.Errorf("players of tic-tac-toe are %v, want %v", got, want)
	}
	if p := answer.Players[0]; *p.Simulations != 30 || *p.Iteration != 2 || p.Run != nil {
		t.Errorf("tiny is %+v", p)
	}
	if p := answer.Players[5]; p.Name != "tiny@1" || *p.Run != "tiny" || *p.Iteration != 1 || *p.Simulations != 8 {
		t.Errorf("tiny@1 is %+v", p)
	}
	if slices.Contains(names("mnk:20,20,5"), "solver") {
		t.Error("a solver is offered for 20x20")
	}
	if got, want := answer.Levels, []level{
		{"easy", "alphabeta:3", nil, new(1)}, {"medium", "gomoku", new(16), nil}, {"strong", "gomoku", new(1600), nil},
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("levels of 20x20 are %+v, want %+v", got, want)
	}
	if _, err := New(Options{PositionOptions: PositionOptions{Players: []players.Spec{playertest.Spec(t, "human")}}}); err == nil {
		t.Error("a person is taken for a player")
	}
	if _, err := New(Options{PositionOptions: PositionOptions{Players: []players.Spec{playertest.Spec(t, "net:/nowhere")}}}); err == nil {
		t.Error("a model that is not there is taken for a player")
	}
}

// A built-in player keeps its name, and comes before a run of that name, which may know nothing yet.
func TestRunsNamedLikePlayers(t *testing.T) {
	s := newServer(t, func(o *Options) {
		for _, name := range []string{"connect4", "uct", "person"} {
			c := runtest.Config()
			c.Game = "connect4"
			dir := filepath.Join(t.TempDir(), name)
			if err := runtest.Train(t, c, dir, nil).Close(); err != nil {
				t.Fatal(err)
			}
			o.Runs = append(o.Runs, dir)
		}
	})
	var answer listedPlayers
	get(t, s, "/api/players?game=connect4", &answer)
	var got []string
	for _, p := range answer.Players {
		if p.Run != nil && *p.Iteration != 0 {
			t.Errorf("%+v has learned", p)
		}
		got = append(got, p.Name)
	}
	want := []string{"connect4", "connect4-quick", "connect4-2", "uct-2", "person-2", "uct", "alphabeta", "solver", "random"}
	if !slices.Equal(got, want) || answer.Players[0].Run != nil {
		t.Errorf("the players are %v, want %v", got, want)
	}
}
