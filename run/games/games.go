// Package games registers the games, models, exams and balanced openings that come with tengen.
package games

import (
	"cmp"
	"fmt"
	"strconv"

	"tengen/checkpoints"
	"tengen/engine"
	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/connect4"
	igo "tengen/game/go"
	"tengen/game/mnk"
	"tengen/game/othello"
	connect4solver "tengen/solver/connect4"
	mnksolver "tengen/solver/mnk"
)

// Register registers all of them in package engine.
func Register() {
	engine.Register(
		engine.Rules[connect4.State, *connect4.Game]{
			Name: "connect4", Form: "connect4 or connect4:COLUMNS,ROWS,K", Parse: connect4.Parse,
			Title: connect4Title, Sentence: (*connect4.Game).Sentence, Boards: []string{"connect4", "connect4:8,7,4", "connect4:9,7,4"},
			Other: func(g *connect4.Game, size game.Size, _ *float64) string {
				return fmt.Sprintf("connect4:%d,%d,%d", size.Columns, size.Rows, g.K())
			},
			Maker: connect4solver.Maker,
		},
		alignment("tictactoe", "tictactoe", fixed(mnk.TicTacToe), "tictactoe"),
		alignment("gomoku", "gomoku", fixed(mnk.Gomoku), "gomoku"),
		alignment("mnk", "mnk:COLUMNS,ROWS,K[,exact][,caro]", mnk.Parse,
			"mnk:6,6,4", "mnk:8,8,5", "mnk:9,9,5", "mnk:15,15,5,exact", "mnk:15,15,5,caro", "mnk:19,19,5", "mnk:20,20,5"),
		engine.Rules[othello.State, *othello.Game]{
			Name: "othello", Form: "othello or othello:SIDE", Parse: othello.Parse,
			Title: othelloTitle, Sentence: (*othello.Game).Sentence,
			Boards: []string{"othello", "othello:6", "othello:10"},
			Other: func(_ *othello.Game, size game.Size, _ *float64) string {
				return fmt.Sprintf("othello:%d", size.Columns)
			},
		},
		engine.Rules[breakthrough.State, *breakthrough.Game]{
			Name: "breakthrough", Form: "breakthrough or breakthrough:COLUMNS,ROWS", Parse: breakthrough.Parse,
			Title: breakthroughTitle, Sentence: (*breakthrough.Game).Sentence,
			Boards: []string{"breakthrough", "breakthrough:5,5", "breakthrough:6,6"},
			Other: func(_ *breakthrough.Game, size game.Size, _ *float64) string {
				return fmt.Sprintf("breakthrough:%d,%d", size.Columns, size.Rows)
			},
		},
		engine.Rules[igo.State, *igo.Game]{
			Name: "go", Form: "go or go:SIDE[,KOMI] or go:COLUMNSxROWS,KOMI", Parse: igo.Parse,
			Title: goTitle, Sentence: (*igo.Game).Sentence, Boards: []string{"go", "go:5", "go:7", "go:13", "go:19"},
			Other: otherGo,
		},
	)
	engine.RegisterPretrained(checkpoints.Pretrained())
	engine.RegisterSuites(suites)
}

func alignment(name, form string, parse func(numbers string) (*mnk.Game, error), boards ...string) engine.Family {
	return engine.Rules[mnk.State, *mnk.Game]{
		Name: name, Form: form, Parse: parse, Title: mnkTitle, Sentence: (*mnk.Game).Sentence, Boards: boards,
		Other: otherBoard, Maker: mnksolver.Maker,
	}
}

func otherBoard(g *mnk.Game, size game.Size, _ *float64) string {
	name := fmt.Sprintf("mnk:%d,%d,%d", size.Columns, size.Rows, g.K())
	if g.Rule() != mnk.Freestyle {
		name += "," + g.Rule().String()
	}
	return name
}

func otherGo(g *igo.Game, size game.Size, komi *float64) string {
	if komi == nil && size.Columns == size.Rows {
		return fmt.Sprintf("go:%d", size.Columns)
	}
	return fmt.Sprintf("go:%dx%d,%v", size.Columns, size.Rows, *cmp.Or(komi, new(g.Komi())))
}

func fixed(board func() *mnk.Game) func(numbers string) (*mnk.Game, error) {
	return func(numbers string) (*mnk.Game, error) {
		if numbers != "" {
			return nil, fmt.Errorf("%q: this board has a fixed size", numbers)
		}
		return board(), nil
	}
}

func connect4Title(g *connect4.Game) string {
	title := "Connect Four"
	if g.K() != 4 {
		title = fmt.Sprintf("Connect %d", g.K())
	}
	return onBoard(title, g.Board(), g.Name() == "connect4")
}

func othelloTitle(g *othello.Game) string {
	return onBoard("Othello", g.Board(), g.Name() == "othello")
}

func breakthroughTitle(g *breakthrough.Game) string {
	return onBoard("Breakthrough", g.Board(), g.Name() == "breakthrough")
}

func goTitle(g *igo.Game) string {
	title := onBoard("Go", g.Board(), false)
	if usual, err := igo.Parse(strconv.Itoa(g.Board().Columns)); err != nil || usual.Name() != g.Name() {
		title += fmt.Sprintf(", komi %v", g.Komi())
	}
	return title
}

// onBoard adds the size of the board to a title, except for the usual board.
func onBoard(title string, size game.Size, usual bool) string {
	if usual {
		return title
	}
	return fmt.Sprintf("%s on %d\u00d7%d", title, size.Columns, size.Rows)
}

// mnkTitle returns a board's usual name. It adds any special rule, because boards with different rules look alike.
func mnkTitle(g *mnk.Game) string {
	size, k := g.Board(), g.K()
	title := onBoard(fmt.Sprintf("%d in a row", k), size, false)
	switch {
	case g.Name() == "tictactoe":
		return "Tic-tac-toe"
	case g.Name() == "gomoku":
		return "Gomoku"
	case k == 5 && size.Columns >= 15 && size.Columns == size.Rows:
		title = onBoard("Gomoku", size, false)
	}
	if g.Rule()&mnk.Exact != 0 {
		title += fmt.Sprintf(", exactly %d", k)
	}
	if g.Rule()&mnk.Caro != 0 {
		title += ", Caro"
	}
	return title
}
