package web

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"tengen/doors/web/positions"
	"tengen/run/runtest"
)

// analyze answers /api/analysis without a connection, and returns its last event.
func analyze(t *testing.T, s *Server, query string) (name string, a positions.AnalysisJSON) {
	t.Helper()
	w := ask(s, request("/api/analysis?"+query))
	if w.Header().Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d %s", query, w.Code, w.Body)
	}
	name, data := lastEvent(w.Body.String())
	decode(t, data, &a)
	return name, a
}

func TestAnalysis(t *testing.T) {
	s := newServer(t, nil)
	name, a := analyze(t, s, "game=tictactoe&moves=a1+b2&player=uct&simulations=300&id=7&line=c3")
	if name != "done" || a.ID != "7" || a.Player != "uct" || a.DuringSearch || a.Moves != "a1 b2" || a.ToMove != "first" ||
		a.Simulations != 300 || a.Kept != 0 || a.Network != nil || len(a.Candidates) != 7 || len(a.Visits) != 7 {
		t.Errorf("%s %+v", name, a)
	}
	visits := 0
	for i, c := range a.Candidates {
		visits += c.Visits
		if c.Move != c.PV[0] || c.Visits != a.Visits[c.Move] || c.Value == nil || c.Cell == nil {
			t.Errorf("%+v", c)
		}
		if i > 0 && c.Policy > a.Candidates[i-1].Policy {
			t.Errorf("%s is listed below %s", c.Move, a.Candidates[i-1].Move)
		}
	}
	if n := a.Next; n == nil || n.Moves != "a1 b2 "+a.Best || n.ToMove != "second" || len(n.Legal) != 6 {
		t.Errorf("after the best move: %+v", n)
	}
	if best := a.Candidates[0]; best.Move != a.Best || !slices.Equal(best.PV, a.PV) || visits != 300 {
		t.Errorf("best %s, first %+v; %d visits", a.Best, best, visits)
	}
	l := a.Line
	if l == nil || l.Moves != "c3" || l.ToMove != "second" || l.Visits != a.Visits["c3"] || len(l.Children) != 6 || l.Value == nil {
		t.Fatalf("below c3: %+v", l)
	}
	if !slices.IsSortedFunc(l.Children, func(x, y positions.ChildJSON) int { return y.Visits - x.Visits }) {
		t.Errorf("the children are not sorted: %+v", l.Children)
	}
	if _, again := analyze(t, s, "game=tictactoe&moves=a1+b2&player=uct&simulations=400"); again.Kept != 300 || again.Simulations != 400 || again.Line != nil {
		t.Errorf("asked again: kept %d of %d", again.Kept, again.Simulations)
	}
	if _, next := analyze(t, s, "game=tictactoe&moves=a1+b2+c3&player=uct&simulations=400"); next.Kept == 0 || next.Simulations != 400 {
		t.Errorf("a move later: kept %d of %d", next.Kept, next.Simulations)
	}
}

// The fields are a contract with programs, which docs/interfaces/http.md describes.
func TestAnalysisFields(t *testing.T) {
	s := newServer(t, nil)
	w := ask(s, request("/api/analysis?game=tictactoe&player=random"))
	var fields map[string]json.RawMessage
	_, data := lastEvent(w.Body.String())
	decode(t, data, &fields)
	want := []string{
		"actions", "best", "candidates", "during_search", "id", "kept", "line", "milliseconds", "moves", "network", "next", "per_second", "player", "policy", "prior",
		"proven", "pv", "simulations", "to_move", "value", "values", "visits",
	}
	if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
}

// A network says what it thinks without a search as well, and can be asked for that alone.
func TestAnalysisOfNetwork(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Runs = []string{runtest.Run(t)} })
	_, a := analyze(t, s, "game=tictactoe&moves=b2&player=tiny")
	if a.Simulations != 8 || a.Network == nil || len(a.Network.Policy) != 8 {
		t.Fatalf("%+v", a)
	}
	sum := float32(0)
	for move, p := range a.Network.Policy {
		sum += p
		if d := p - a.Prior[move]; d > 0.01 || d < -0.01 { // the prior is the mean over the position's symmetries
			t.Errorf("%s: the network says %v, the prior is %v", move, p, a.Prior[move])
		}
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("the policy sums to %v", sum)
	}
	if _, bare := analyze(t, s, "game=tictactoe&moves=b2&player=tiny&simulations=0"); bare.Network.Value != a.Network.Value || bare.Best == "" {
		t.Errorf("the bare network: %+v", bare)
	}
	if _, old := analyze(t, s, "game=tictactoe&moves=b2&player=tiny@1"); old.Network.Value == a.Network.Value {
		t.Error("the model of iteration 1 says the same as that of iteration 2")
	}
}

// Players that answer at once, by depth and by time have an answer, too.
func TestAnalysisOfOthers(t *testing.T) {
	s := newServer(t, nil)
	for query, proven := range map[string]string{
		"player=random": "", "player=alphabeta&depth=2": "win", "player=solver": "win", "player=uct&milliseconds=20": "",
		"player=alphabeta": "win",
	} {
		name, a := analyze(t, s, "game=tictactoe&moves=a1+b1+a2+b2&"+query)
		if name != "done" || proven != "" && (a.Best != "a3" || a.Proven == nil || *a.Proven != proven) {
			t.Errorf("%s: %s %+v", query, name, a)
		}
	}
}

// Partial results come before the answer, and a request that is closed ends its search.
func TestAnalysisIsStopped(t *testing.T) {
	s := newServer(t, nil)
	server := listening(t, s)
	first := open(t, server, "/api/analysis?game=connect4&player=uct&milliseconds=60000&id=1")
	var a positions.AnalysisJSON
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
