package theory

import (
	"fmt"
	"strings"

	"games/caniwin"
	"games/nim"
	"games/predictwinner"
	"tengen/engine"
	"tengen/game"
	"tengen/run"
	"tengen/solver"
)

// Families returns the games for tengen.Main. Each has its theory as solver.
func Families() []engine.Family {
	return []engine.Family{
		run.Of(engine.Rules[nim.State, *nim.Game]{
			Name: "nim", Form: "nim:PILE,PILE,...[,maxMOST][,misere]",
			Parse: nim.Parse, Title: nimTitle, Sentence: nimSentence, Maker: maker(NewNim),
			Boards: []string{"nim:1,3,5,7", "nim:1,3,5,7,misere", "nim:21,max3"},
		}),
		run.Of(engine.Rules[predictwinner.State, *predictwinner.Game]{
			Name: "predictwinner", Form: "predictwinner:NUMBER,NUMBER,...",
			Parse: predictwinner.Parse, Title: predictWinnerTitle, Sentence: predictWinnerSentence, Maker: maker(NewPredictWinner),
			Boards: []string{"predictwinner:3,9,1,2", "predictwinner:3,1,4,1,5,9,2,6,5,3,5,8"},
		}),
		run.Of(engine.Rules[caniwin.State, *caniwin.Game]{
			Name: "caniwin", Form: "caniwin:NUMBERS,TOTAL",
			Parse: caniwin.Parse, Title: canIWinTitle, Sentence: canIWinSentence, Maker: maker(NewCanIWin),
			Boards: []string{"caniwin:10,11", "caniwin:10,40"},
		}),
	}
}

// maker returns a maker of theory solvers, which are quick from the first ply.
func maker[S game.State[S], G game.Game[S], T solver.Solver[S]](theory func(G) T) func(G) solver.Maker[S] {
	return func(g G) solver.Maker[S] {
		return solver.Maker[S]{New: func(solver.Options) (solver.Solver[S], error) { return theory(g), nil }}
	}
}

// numbers returns the numbers of a game's name, separated by a comma and a space.
func numbers(name string) string {
	_, numbers, _ := strings.Cut(name, ":")
	return strings.ReplaceAll(numbers, ",", ", ")
}

func nimTitle(g *nim.Game) string {
	if piles, misere := strings.CutSuffix(numbers(g.Name()), ", misere"); misere {
		return "Mis\u00e8re Nim " + piles
	}
	return "Nim " + numbers(g.Name())
}

func predictWinnerTitle(g *predictwinner.Game) string {
	return "Predict the Winner " + numbers(g.Name())
}

func canIWinTitle(g *caniwin.Game) string {
	return fmt.Sprintf("Can I Win %d, to %d", g.Numbers(), g.Total())
}

func nimSentence(g *nim.Game) string {
	take, end := "Take any number of things from one pile.", "If you take the last thing, you win."
	if g.Rule().Most > 0 {
		take = fmt.Sprintf("Take one to %d things from one pile.", g.Rule().Most)
	}
	if g.Rule().Misere {
		end = "If you take the last thing, you lose."
	}
	return take + " " + end
}

func predictWinnerSentence(*predictwinner.Game) string {
	return "Take the number at either end of the row. When all are taken, the larger sum wins."
}

func canIWinSentence(g *caniwin.Game) string {
	return fmt.Sprintf("Take a number that is left. If you bring the sum of all numbers taken to %d or more, you win.", g.Total())
}
