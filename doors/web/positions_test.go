package web

import (
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"tengen/players"
	"tengen/run/runtest"
)

// Partial results come before the answer, and a request that is closed ends its search.
func TestAnalysisIsStopped(t *testing.T) {
	s := newServer(t, nil)
	server := listening(t, s)
	first := open(t, server, "/api/analysis?game=connect4&player=uct&milliseconds=60000&id=1")
	var a struct {
		ID           string
		DuringSearch bool `json:"during_search"`
		Simulations  int
	}
	decode(t, first.must("report").data, &a)
	if !a.DuringSearch || a.Simulations == 0 || a.ID != "1" {
		t.Errorf("%+v", a)
	}
	second := open(t, server, "/api/analysis?game=connect4&player=random&id=2")
	if e := second.must("waiting"); e.data != `{"id":"2","place":1}` {
		t.Errorf("waiting %s", e.data)
	}
	third := open(t, server, "/api/analysis?game=connect4&player=random&id=3")
	if e := third.must("waiting"); e.data != `{"id":"3","place":2}` {
		t.Errorf("waiting %s", e.data)
	}
	first.close()
	second.must("done")
	third.must("done")
	if _, ok := third.next("report"); ok {
		t.Error("the stream goes on after its end")
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
		o.Players = []players.Spec{spec(t, "net:"+runtest.Run(t)+":30"), spec(t, "uct:2s:c=2"), spec(t, "uct:50"), spec(t, "alphabeta:3")}
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
	if p := answer.Players[3]; *p.Simulations != 400 || !p.Network || *p.Iteration == 0 || p.Note != "comes with tengen" {
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
	if _, err := New(Options{PositionOptions: PositionOptions{Players: []players.Spec{spec(t, "human")}}}); err == nil {
		t.Error("a person is taken for a player")
	}
	if _, err := New(Options{PositionOptions: PositionOptions{Players: []players.Spec{spec(t, "net:/nowhere")}}}); err == nil {
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

// What is not there is answered with an error that says so.
func TestNoSuchAddress(t *testing.T) {
	s := newServer(t, nil)
	for target, want := range map[string]string{
		"/api/nothing": "no such address", "/nothing": "no such address", "/api/runs/none": `no run "none"`, "/api/runs/none/events": "no run",
		"/api/runs/none/games": "no run", "/api/runs/..%2f..%2fetc/games/1": "no run",
	} {
		wantError(t, s, request(target), 404, want)
	}
}
