package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tengen/kaggle"
)

// post sends a body as ConnectX does.
func post(s *Server, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7070/kaggle", strings.NewReader(body))
	return ask(s, r)
}

// standardTurn is what ConnectX posts about a board of 7x6, with a tenth of a second to think.
func standardTurn(cells string, mark int) string {
	return turnOn(7, 6, 4, cells, mark)
}

func turnOn(columns, rows, inarow int, cells string, mark int) string {
	board := strings.Join(strings.Split(strings.Repeat("0", columns*rows-len(cells))+cells, ""), ",")
	return fmt.Sprintf(`{"action": "act", "configuration": {"episodeSteps": 1000, "actTimeout": 0.1, "columns": %d, "rows": %d, "inarow": %d},
		"environment": "connectx", "state": {"observation": {"remainingOverageTime": 60, "step": 3, "board": [%s], "mark": %d}}}`,
		columns, rows, inarow, board, mark)
}

// A turn is answered by a column, a winning or a saving one where there is one, on boards of any size.
func TestKaggle(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		name, turn string
		want       []int
	}{
		{"wins", standardTurn("2200000"+"1110002", 1), []int{3}},
		{"wins as the second", standardTurn("1000000"+"1000100"+"2220100", 2), []int{3}},
		{"saves itself", standardTurn("0000000"+"1110022", 2), []int{3}},
		{"a board without a network", turnOn(9, 7, 5, "022220000"+"011112100", 1), []int{0}},
		{"another", turnOn(6, 5, 4, "000001"+"222011", 1), []int{3}},
		{"one column", turnOn(1, 5, 4, "12121"[1:], 1), []int{0}},
		{"the start", standardTurn("", 1), []int{0, 1, 2, 3, 4, 5, 6}},
	} {
		w := post(s, c.turn)
		var answer struct{ Action *int }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK || answer.Action == nil {
			t.Errorf("%s: status %d, %s", c.name, w.Code, w.Body)
		} else if !slices.Contains(c.want, *answer.Action) {
			t.Errorf("%s: column %d, want one of %v", c.name, *answer.Action, c.want)
		}
	}
}

// The agent is the first player given that can play on the board, then a network, then alpha-beta.
func TestKaggleAgent(t *testing.T) {
	given := newServer(t, func(o *Options) {
		o.Players = append(o.Players, spec(t, "net:mnk-6x6x4"), spec(t, "net:connect4:40"), spec(t, "alphabeta:3"))
	})
	for _, c := range []struct {
		server *Server
		turn   string
		want   string
	}{
		{newServer(t, nil), standardTurn("", 1), "connect4 0"},
		{newServer(t, nil), turnOn(9, 7, 5, "", 1), "alphabeta 0"},
		{given, standardTurn("", 1), "connect4 40"},
		{given, turnOn(9, 7, 5, "", 1), "alphabeta:3 0"},
	} {
		var turn kaggle.Turn
		decode(t, c.turn, &turn)
		var q question
		var err error
		if q.engine, q.position, err = turn.Position(); err != nil {
			t.Fatal(err)
		}
		c.server.chooseAgent(&q)
		if got := fmt.Sprint(q.player.Name, " ", q.limit.Simulations); got != c.want {
			t.Errorf("%s plays, want %s", got, c.want)
		}
	}
}

// A move comes in time also while others search, and does not take a place of theirs.
func TestKaggleDoesNotWait(t *testing.T) {
	s := newServer(t, nil)
	leave, err := s.queue.enter(t.Context(), nil) // the only place
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if w := post(s, standardTurn("2200000"+"1110002", 1)); w.Code != http.StatusOK || w.Body.String() != "{\"action\":3}\n" {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

// What is no turn is refused, and so is a browser on another site's behalf.
func TestKaggleRefuses(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Limits.StreamsPerClient = 1 })
	for _, c := range []struct {
		body   string
		status int
		part   string
	}{
		{"", 400, "cannot be read"},
		{"[]", 400, "cannot be read"},
		{"{}", 400, "connect4:0,0,0"},
		{strings.Repeat(" ", maxTurn+1), 400, "too large"},
		{standardTurn("0000001"+"0000000", 2), 400, "floats"},
		{standardTurn("3", 1), 400, "cell 41 is 3, allowed are 0 to 2"},
		{standardTurn("12", 2), 400, "moved in turn"},
		{standardTurn("", 0), 400, "mark is 0"},
		{standardTurn("2220000"+"1111000", 2), 400, "the game is over"},
		{turnOn(10, 10, 4, "", 1), 400, "at most 64"},
	} {
		w := post(s, c.body)
		var e struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != c.status || !strings.Contains(e.Error, c.part) {
			t.Errorf("%.40s: status %d, %s, want %d and %q", c.body, w.Code, w.Body, c.status, c.part)
		}
	}
	if w := ask(s, request("/kaggle")); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: status %d, %v", w.Code, w.Header())
	}
	foreign := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7070/kaggle", strings.NewReader(standardTurn("", 1)))
	foreign.Header.Set("Origin", "http://evil.example")
	wantError(t, s, foreign, http.StatusForbidden, "other sites")
	_, err := s.streams.enter(clientOf(foreign))
	if err != nil {
		t.Fatal(err)
	}
	if w := post(s, standardTurn("", 1)); w.Code != http.StatusTooManyRequests {
		t.Errorf("one too many: status %d", w.Code)
	}
}

// Whatever is posted, the answer is a column with room, or says what is wrong.
func FuzzKaggle(f *testing.F) {
	f.Add(standardTurn("2200000"+"1110002", 1))
	f.Add(turnOn(9, 7, 5, "11", 2))
	f.Add(turnOn(1, 1, 1, "", 1))
	f.Add(turnOn(64, 1, 2, "12", 1))
	f.Add("null")
	s := newServer(f, func(o *Options) { o.Players = append(o.Players, spec(f, "uct:5")) })
	f.Fuzz(func(t *testing.T, body string) {
		w := post(s, body)
		switch w.Code {
		case http.StatusBadRequest:
			var e struct{ Error string }
			if decode(t, w.Body.String(), &e); e.Error == "" {
				t.Errorf("no error: %s", w.Body)
			}
		case http.StatusOK:
			var answer struct{ Action *int }
			var turn kaggle.Turn
			decode(t, w.Body.String(), &answer)
			if err := json.NewDecoder(strings.NewReader(body)).Decode(&turn); err != nil {
				t.Fatal(err)
			}
			if a := answer.Action; a == nil || *a < 0 || *a >= turn.Configuration.Columns || turn.State.Observation.Board[*a] != 0 {
				t.Errorf("%s to %s", w.Body, body)
			}
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}
