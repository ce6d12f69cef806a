package exam

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/players"
	"tengen/solver"
)

// chooser is a player that picks one of a problem's moves by their scores.
type chooser struct {
	players.Answerer[connect4.State] // for the methods that grading does not call
	problems                         map[game.Key]*Problem
	pick                             func(scores []solver.Score) int
}

func (c *chooser) Analyze(_ context.Context, positions []connect4.State, _ []*rand.Rand, dst []*players.Analysis) error {
	for i, s := range positions {
		p := c.problems[s.Key()]
		dst[i] = &players.Analysis{Best: p.Legal[c.pick(p.Scores)]}
	}
	return nil
}

func entrant(name string, problems []Problem, pick func([]solver.Score) int) players.Entrant[connect4.State] {
	c := &chooser{problems: map[game.Key]*Problem{}, pick: pick}
	for i := range problems {
		c.problems[problems[i].Position.Key()] = &problems[i]
	}
	return players.Entrant[connect4.State]{Name: name, New: func() (players.Answerer[connect4.State], error) { return c, nil }}
}

// The parts say what counting by the definitions gives.
func TestGrade(t *testing.T) {
	var problems []Problem
	for i, p := range Connect4(grade.Dev) {
		if i%17 == 0 && p.Cell != (Cell{Middle, Easy}) {
			problems = append(problems, p)
		}
	}
	best := func(scores []solver.Score) int { return slices.Index(scores, slices.Max(scores)) }
	first := func([]solver.Score) int { return 0 }
	told := 0
	parts, err := Grade(t.Context(), grade.Config{Workers: 2}, problems,
		[]players.Entrant[connect4.State]{entrant("best", problems, best), entrant("first", problems, first)},
		func(n int) {
			if n <= told {
				t.Errorf("told of %d problems after %d", n, told)
			}
			told = n
		})
	if err != nil {
		t.Fatal(err)
	}
	if told != len(problems) {
		t.Errorf("told of %d problems; want %d", told, len(problems))
	}
	var got []Cell
	for _, part := range parts {
		got = append(got, part.Cell)
		var positions, optimal, thrown int
		for _, p := range problems {
			if p.Cell != part.Cell {
				continue
			}
			positions++
			if p.Scores[0] == slices.Max(p.Scores) {
				optimal++
			}
			if p.Scores[0].Sign() != slices.Max(p.Scores).Sign() {
				thrown++
			}
		}
		perfect := grade.Share{Count: positions, Of: positions}
		if m := part.Players[0]; m.Player != "best" || m.Totals.Optimal != perfect || m.Thrown != (grade.Share{Of: positions}) {
			t.Errorf("%v: %+v; want all %d right", part.Cell, m, positions)
		}
		m := part.Players[1]
		if m.Totals.Optimal.Count != optimal || m.Thrown != (grade.Share{Count: thrown, Of: positions}) || m.Totals.Kept.Count != positions-thrown {
			t.Errorf("%v: %+v; want %d best moves, value thrown away %d times of %d", part.Cell, m, optimal, thrown, positions)
		}
	}
	want := slices.DeleteFunc(slices.Clone(Cells[:]), func(c Cell) bool { return c == Cell{Middle, Easy} })
	if !slices.Equal(got, want) {
		t.Errorf("cells %v; want %v", got, want)
	}
}

var halfRight = Report{{Cell: Cell{Beginning, Hard}, Players: []Score{{
	Player: "net:x:100",
	Totals: grade.Totals{Optimal: grade.Share{Count: 300, Of: 500}, Kept: grade.Share{Count: 450, Of: 500}},
	Thrown: grade.Share{Count: 50, Of: 500},
}}}}

func TestText(t *testing.T) {
	want := `
                   positions  player     best move               value kept  value thrown away
beginning, hard          500  net:x:100  60.0 % (55.6 – 64.2)        90.0 %  10.0 % (7.7 – 12.9)
`[1:]
	if got := halfRight.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPartJSON(t *testing.T) {
	got, err := json.Marshal(halfRight)
	for _, want := range []string{
		`"cell":{"stage":"beginning","difficulty":"hard"}`, `"player":"net:x:100"`, `"totals":{"positions":500,`,
		`"thrown_away":{"count":50,"share":0.1,`,
	} {
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s, error %v; want %s", got, err, want)
		}
	}
}
