package games

import (
	"testing"

	"tengen/engine"
)

func init() { Register() }

// Rules of which rows win show in titles, since boards look the same.
func TestTitles(t *testing.T) {
	for name, want := range map[string]string{
		"connect4": "Connect Four", "connect4:8,7,4": "Connect Four on 8\u00d77", "connect4:8,7,5": "Connect 5 on 8\u00d77", "tictactoe": "Tic-tac-toe",
		"othello": "Othello", "othello:6": "Othello on 6\u00d76", "breakthrough:5,6": "Breakthrough on 5\u00d76",
		"gomoku": "Gomoku", "mnk:6,6,4": "4 in a row on 6\u00d76", "mnk:15,15,5,exact": "Gomoku on 15\u00d715, exactly 5",
		"mnk:15,15,5,caro": "Gomoku on 15\u00d715, Caro", "mnk:9,9,5,caro,exact": "5 in a row on 9\u00d79, exactly 5, Caro",
		"go": "Go on 9\u00d79", "go:19": "Go on 19\u00d719", "go:5,24": "Go on 5\u00d75", "go:9,6.5": "Go on 9\u00d79, komi 6.5", "go:9x7,7": "Go on 9\u00d77, komi 7",
	} {
		e, err := engine.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Info().Title; got != want {
			t.Errorf("%s is called %q; want %q", name, got, want)
		}
	}
}
