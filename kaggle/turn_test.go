package kaggle_test

import (
	"encoding/json"
	"testing"
	"time"

	"tengen/game"
	"tengen/kaggle"
)

// An agent thinks for a share of the time that there is, and never longer than it would usually.
func TestTime(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{
		0: 1600 * time.Millisecond, 2: 1600 * time.Millisecond, 1: 800 * time.Millisecond, 0.1: 80 * time.Millisecond, 60: 1600 * time.Millisecond,
		-1: 1600 * time.Millisecond, 1e300: 1600 * time.Millisecond,
	} {
		turn := kaggle.Turn{Configuration: kaggle.Configuration{ActTimeout: seconds}}
		if got := turn.Time(); got != want {
			t.Errorf("of %v seconds: %v, want %v", seconds, got, want)
		}
	}
}

// The board has rows from the top, and the mark is that of the side to move.
func TestPosition(t *testing.T) {
	var turn kaggle.Turn
	text := `{"configuration": {"columns": 3, "rows": 2, "inarow": 2, "actTimeout": 2}, "state": {"observation": {"board": [0,0,1,2,0,1], "mark": 2}}}`
	if err := json.Unmarshal([]byte(text), &turn); err != nil {
		t.Fatal(err)
	}
	if _, _, err := turn.Position(); err == nil {
		t.Error("a game that is over is played")
	}
	turn.Configuration.InARow = 3
	e, p, err := turn.Position()
	if err != nil {
		t.Fatal(err)
	}
	if e.Info().Name != "connect4:3,2,3" || p.ToMove != game.Second || p.Cells[3] != game.Second || p.Cells[2] != game.First || len(p.Legal) != 2 {
		t.Errorf("%s, %+v", e.Info().Name, p)
	}
}
