package engine

import (
	"strings"

	"tengen/players"
)

// Levels names the levels of play, weakest first.
var Levels = []string{"easy", "medium", "strong", "perfect"}

// A board with more than largeBoard cells, so one larger than 8x8, is large.
const largeBoard = 64

// Level returns a level's player. A level unknown or unavailable for the game is an InputError.
func Level(e Game, name string) (players.Spec, error) {
	levels := "levels are " + strings.Join(Levels, ", ")
	switch name {
	case "":
		return players.Spec{}, InputErrorf("which level? %s", levels)
	case "easy":
		if _, ok := largeBoardModel(e); ok {
			return players.Spec{Kind: players.KindAlphaBeta, Limit: 1}, nil
		}
		if e.Info().Size.Cells() > largeBoard { // 50 playouts would leave most of its moves untried, and the others tried once
			return players.Spec{Kind: players.KindUCT, Limit: 400}, nil
		}
		return players.Spec{Kind: players.KindUCT, Limit: 50}, nil
	case "medium":
		if model, ok := largeBoardModel(e); ok {
			return players.Spec{Kind: players.KindNet, Path: model, Limit: 16}, nil
		}
		return players.Spec{Kind: players.KindUCT, Limit: 1600}, nil
	case "strong":
		model, err := PretrainedFor(e)
		if err != nil { // boards that no model plays
			return players.Spec{Kind: players.KindUCT, Limit: 50_000}, nil
		}
		return players.Spec{Kind: players.KindNet, Path: model, Limit: 1600}, nil
	case "perfect":
		if !e.Info().Gradable {
			return players.Spec{}, InputErrorf("no solver plays %s perfectly in seconds: the strongest level is strong", e.Info().Name)
		}
		return players.Spec{Kind: players.KindSolver}, nil
	}
	return players.Spec{}, InputErrorf("there is no level %q: %s", name, levels)
}

// largeBoardModel returns a large board's pretrained model, with which the levels do without random playouts: a few on
// each of a hundred moves say nothing about them.
func largeBoardModel(e Game) (model string, ok bool) {
	info := e.Info()
	if info.Size.Cells() <= largeBoard || !info.Estimates {
		return "", false
	}
	model, err := PretrainedFor(e)
	return model, err == nil
}
