package nim

import (
	"fmt"
	"strings"

	"tengen/engine"
	"tengen/solver"
)

// Family is the game for tengen.Main. Its solver is the theory, which is quick from the first ply.
var Family = engine.Rules[State, *Game]{
	Name: "nim", Form: "nim:PILE,PILE,...[,maxMOST][,misere]", Parse: Parse,
	Boards: []string{"nim:1,3,5,7", "nim:1,3,5,7,misere", "nim:21,max3"},
	Title:  (*Game).title, Sentence: (*Game).sentence,
	Maker: func(g *Game) solver.Maker[State] {
		return solver.Maker[State]{New: func(solver.Options) (solver.Solver[State], error) { return NewTheory(g), nil }}
	},
}

func (g *Game) title() string {
	piles, misere := strings.CutSuffix(strings.TrimPrefix(g.name, "nim:"), ","+misereWord)
	title := "Nim " + strings.ReplaceAll(piles, ",", ", ")
	if misere {
		return "Mis\u00e8re " + title
	}
	return title
}

func (g *Game) sentence() string {
	take, end := "Take any number of things from one pile.", "If you take the last thing, you win."
	if g.rule.Most > 0 {
		take = fmt.Sprintf("Take one to %d things from one pile.", g.rule.Most)
	}
	if g.rule.Misere {
		end = "If you take the last thing, you lose."
	}
	return take + " " + end
}
