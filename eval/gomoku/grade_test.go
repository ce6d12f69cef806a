package gomoku

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/players"
)

// answers is a player that knows its moves by heart.
type answers struct {
	players.Answerer[State] // for the methods that grading does not call
	moves                   map[game.Key]string
}

func (p answers) Analyze(_ context.Context, positions []State, _ []*rand.Rand, dst []*players.Analysis) error {
	for i, s := range positions {
		moves, err := Board.ParseMoves(p.moves[s.Key()])
		if err != nil {
			return err
		}
		dst[i] = &players.Analysis{Best: moves[0]}
	}
	return nil
}

// An open three to win with, one to stop, and a three behind a wall that wins with another four in a line that crosses.
var problems = []string{
	"win 3 | h8 a1 i8 a3 j8 o15 |",
	"defend 3 | h8 a1 i8 a3 j8 | g8 k8",
	"win 5 | b14 a14 c14 a1 d14 o1 e13 o3 e12 o5 |",
}

// entrant answers the problems with these moves.
func entrant(t *testing.T, name string, moves ...string) (players.Entrant[State], []Problem) {
	t.Helper()
	p := answers{moves: map[game.Key]string{}}
	var all []Problem
	for i, line := range problems {
		problem, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, problem)
		p.moves[problem.Position.Key()] = moves[i]
	}
	return players.Entrant[State]{Name: name, New: func() (players.Answerer[State], error) { return p, nil }}, all
}

// Right moves count, by task and by depth: all that keep a win, and those that stop one.
func TestGrade(t *testing.T) {
	good, all := entrant(t, "good", "k8", "g8", "e14")
	bad, _ := entrant(t, "bad", "a2", "m8", "c1")
	mixed, _ := entrant(t, "mixed", "g8", "a2", "o7")
	report, err := Grade(t.Context(), grade.Config{Workers: 2}, all, []players.Entrant[State]{good, bad, mixed}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `
                positions  player  right moves
win, all                2  good    100.0 % (34.2 – 100.0)
                           bad     0.0 % (0.0 – 65.8)
                           mixed   50.0 % (9.5 – 90.5)
win, short              2  good    100.0 % (34.2 – 100.0)
                           bad     0.0 % (0.0 – 65.8)
                           mixed   50.0 % (9.5 – 90.5)
defend, all             1  good    100.0 % (20.7 – 100.0)
                           bad     0.0 % (0.0 – 79.3)
                           mixed   0.0 % (0.0 – 79.3)
defend, short           1  good    100.0 % (20.7 – 100.0)
                           bad     0.0 % (0.0 – 79.3)
                           mixed   0.0 % (0.0 – 79.3)
`[1:]
	if got := report.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	text, err := json.Marshal(report)
	for _, want := range []string{`"cell":{"task":"win","depth":"all"}`, `"player":"good","positions":2,"right":{"count":2,"share":1,`} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, error %v; want %s", text, err, want)
		}
	}
}
