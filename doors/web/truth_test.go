package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/doors/web/positions"
)

func TestTruth(t *testing.T) {
	s := newServer(t, nil)
	var j positions.TruthJSON
	get(t, s, "/api/truth?game=connect4&moves=44", &j)
	if !j.Complete || *j.Method != "solver" || j.Why != nil || len(j.Truth) != 7 || len(j.Line) != 0 {
		t.Fatalf("%+v", j)
	}
	// The published book of Pons: after 44 the first player wins, by the centre column alone.
	if *j.Result != "win" || *j.Score != 1 || !slices.Equal(j.Best, []string{"4"}) || *j.Plies != 39 {
		t.Errorf("44 is a %s with score %d by %v in %d plies", *j.Result, *j.Score, j.Best, *j.Plies)
	}
	for _, m := range j.Truth {
		if (*m.Score > 0) != (*m.Result == "win") || (*m.Score < 0) != (*m.Result == "loss") || *m.Score > *j.Score {
			t.Errorf("%+v", m)
		}
	}
	get(t, s, "/api/truth?game=tictactoe&moves=a1+b1+a2+b2", &j)
	if *j.Result != "win" || *j.Plies != 1 || !slices.Equal(j.Best, []string{"a3"}) || *j.Truth[0].Plies != 1 {
		t.Errorf("a win in one is %+v", j)
	}
	get(t, s, "/api/truth?game=tictactoe&moves=a1+b1+a2+b2+a3", &j)
	if !j.Complete || *j.Result != "loss" || *j.Plies != 0 || len(j.Truth) != 0 {
		t.Errorf("a lost game is %+v", j)
	}
}

// Where no solver comes to an end, forced moves may prove something.
func TestForcedTruth(t *testing.T) {
	s := newServer(t, nil)
	var j positions.TruthJSON
	// Four of the first player's with both ends open.
	get(t, s, "/api/truth?game=gomoku&moves="+url.QueryEscape("d8 a1 e8 a2 f8 a3 g8 a15"), &j)
	if *j.Method != "forced" || *j.Result != "win" || j.Complete || j.Score != nil || len(j.Line) != 1 {
		t.Fatalf("%+v", j)
	}
	if slices.Sort(j.Best); !slices.Equal(j.Best, []string{"c8", "h8"}) || !slices.Contains(j.Best, j.Line[0]) {
		t.Errorf("best %v, line %v", j.Best, j.Line)
	}
	if !strings.Contains(*j.Why, "moves are known") {
		t.Errorf("why: %s", *j.Why)
	}
	// One ply before, every move of the second player's loses.
	get(t, s, "/api/truth?game=gomoku&moves="+url.QueryEscape("d8 a1 e8 a2 f8 a3 g8"), &j)
	if *j.Result != "loss" || !j.Complete || j.Why != nil || len(j.Best) != 0 {
		t.Errorf("%s, complete %v, %v", *j.Result, j.Complete, j.Why)
	}
	get(t, s, "/api/truth?game=gomoku&moves=h8", &j)
	if j.Method != nil || j.Result != nil || j.Complete || len(j.Best) != 0 || len(j.Truth) != 224 ||
		*j.Why != "no solver is quick enough for this position" {
		t.Errorf("the second move of gomoku: %+v", j)
	}
}

// A solver that has too little time says so, and another request does not wait for its search.
func TestTruthInTime(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Limits.Truth = time.Nanosecond })
	var j positions.TruthJSON
	get(t, s, "/api/truth?game=connect4&moves=123456712", &j)
	if *j.Method != "solver" || j.Complete || j.Score != nil || !strings.Contains(*j.Why, "too early in the game") {
		t.Errorf("%+v", j)
	}
}
