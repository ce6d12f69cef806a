package players

import (
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
)

// Explain answers as Think does, with a line for each move and a look below one of them; players without a tree have no detail.
func TestExplain(t *testing.T) {
	line := []game.Action{3}
	for name, newThinker := range map[string]func() *Thinker[connect4.State]{
		"net": func() *Thinker[connect4.State] { return newFake(nil) },
		"uct": func() *Thinker[connect4.State] { thinker, _ := build(t, "uct:300", options()); return thinker },
	} {
		t.Run(name, func(t *testing.T) {
			limit := Limit{Simulations: 300}
			want, err := newThinker().Think(t.Context(), limit, nil)
			if err != nil || want.Detail != nil {
				t.Fatalf("Think: %v, detail %v", err, want.Detail)
			}
			r, err := newThinker().Explain(t.Context(), limit, line, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Best != want.Best || !slices.Equal(r.Moves, want.Moves) {
				t.Errorf("it answers %v, %v, Think answers %v, %v", r.Best, r.Moves, want.Best, want.Moves)
			}
			for i, m := range r.Moves {
				switch l := r.Lines[i]; {
				case l[0] != m.Action:
					t.Errorf("the line of move %d is %v", m.Action, l)
				case m.Action == r.Best && !slices.Equal(l, r.PV):
					t.Errorf("the line of the best move is %v, the principal variation %v", l, r.PV)
				}
			}
			if b := r.Below; b == nil || b.Visits != r.Moves[3].Visits || len(b.Moves) != 7 || b.Value != -r.Moves[3].Q {
				t.Errorf("below %v is %+v", line, b)
			}
		})
	}
	random, _ := build(t, "random", options())
	if r, err := random.Explain(t.Context(), Limit{}, line, nil); err != nil || r.Detail != nil {
		t.Errorf("random: %v, detail %v", err, r.Detail)
	}
}
