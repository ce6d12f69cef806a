package cli

import (
	"fmt"

	"tengen/arena/exam"
	"tengen/arena/gomoku"
	"tengen/checkpoints"
	"tengen/engine"
	"tengen/game/caniwin"
	"tengen/game/connect4"
	"tengen/game/ends"
	"tengen/game/mnk"
	"tengen/game/nim"
	connect4solver "tengen/solver/connect4"
	mnksolver "tengen/solver/mnk"
	"tengen/solver/takeaway"
)

// Register makes the games and the models known that come with tengen.
func Register() {
	engine.Register(
		alignment("tictactoe", "tictactoe", fixed(mnk.TicTacToe)),
		engine.Rules[connect4.State, *connect4.Game]{
			Name: "connect4", Form: "connect4 or connect4:COLUMNS,ROWS,K", Parse: parseConnect4,
			Maker: connect4solver.Maker, Exam: exam.For,
		},
		alignment("gomoku", "gomoku", fixed(mnk.Gomoku)),
		alignment("mnk", "mnk:COLUMNS,ROWS,K[,exact][,caro]", mnk.Parse),
		engine.Rules[nim.State, *nim.Game]{Name: "nim", Form: "nim:PILE,PILE,...[,misere]", Parse: nim.Parse, Maker: takeaway.ForNim},
		engine.Rules[ends.State, *ends.Game]{Name: "ends", Form: "ends:NUMBER,NUMBER,...", Parse: ends.Parse, Maker: takeaway.ForEnds},
		engine.Rules[caniwin.State, *caniwin.Game]{Name: "caniwin", Form: "caniwin:NUMBERS,TOTAL", Parse: caniwin.Parse, Maker: takeaway.ForCanIWin},
	)
	engine.RegisterModels(checkpoints.Pretrained())
}

// alignment is a family of m,n,k games.
func alignment(name, form string, parse func(numbers string) (*mnk.Game, error)) engine.Family {
	return engine.Rules[mnk.State, *mnk.Game]{
		Name: name, Form: form, Parse: parse,
		Maker: mnksolver.Maker, Exam: gomoku.For, Openings: gomoku.OpeningsFor,
	}
}

// fixed is a family of one board.
func fixed(board func() *mnk.Game) func(numbers string) (*mnk.Game, error) {
	return func(numbers string) (*mnk.Game, error) {
		if numbers != "" {
			return nil, fmt.Errorf("%q is one too many", numbers)
		}
		return board(), nil
	}
}

// parseConnect4 takes the standard board where no numbers say otherwise.
func parseConnect4(numbers string) (*connect4.Game, error) {
	if numbers == "" {
		return connect4.Standard(), nil
	}
	return connect4.Parse(numbers)
}
