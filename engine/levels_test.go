package engine

import (
	"slices"
	"testing"

	"tengen/eval"
	"tengen/internal/fulltest"
	"tengen/players"
)

func levelPlayer(t *testing.T, e Game, level string) Player {
	t.Helper()
	s, err := Level(e, level)
	noError(t, err)
	p, err := e.Player(s, PlayerOptions{})
	noError(t, err)
	return p
}

// Each level scores at least 70 % against the one below. A sample leaves out the slow strong level.
func TestLevelsAreLevels(t *testing.T) {
	for _, name := range []string{"connect4", "mnk:8,8,5", "gomoku"} {
		e := open(t, name)
		for below := range fulltest.Pick(1, 2) {
			config := MatchConfig{MatchConfig: eval.Default()}
			config.Games = fulltest.Pick(10, 20)
			result, err := e.Match(t.Context(), config, levelPlayer(t, e, Levels[below+1]), levelPlayer(t, e, Levels[below]), nil)
			noError(t, err)
			if score := result.Total().Score(); score < 0.7 {
				t.Errorf("%s: %s scores %.1f %% against %s", name, Levels[below+1], 100*score, Levels[below])
			}
		}
	}
}

// The easy level of Go does not pass while the board is empty.
func TestEasyTriesMovesSeveralTimes(t *testing.T) {
	e := open(t, "go")
	questions := make(chan Question, 20)
	for range cap(questions) {
		questions <- ask(e, "")
	}
	close(questions)
	err := e.Analyze(t.Context(), AnalyzeConfig{Workers: 2, Seed: 1}, levelPlayer(t, e, "easy"), questions,
		func(q Question, a *players.Analysis) error {
			if best := e.Format(a.Best); best == "pass" {
				t.Error("easy passes at the start of Go")
			}
			return nil
		})
	noError(t, err)
}

// The medium level of gomoku blocks an open three at an end of it.
func TestMediumAnswersAnOpenThree(t *testing.T) {
	e := open(t, "gomoku")
	questions := make(chan Question, 4)
	blocks := map[string][]string{
		"h8 a1 i8 o15 j8":    {"f8", "g8", "k8", "l8"},
		"h8 n5 h9 a4 h10":    {"h6", "h7", "h11", "h12"},
		"h8 a1 i9 o15 j10":   {"f6", "g7", "k11", "l12"},
		"d12 a1 e11 o15 f10": {"b14", "c13", "g9", "h8"},
	}
	for moves := range blocks {
		questions <- ask(e, moves)
	}
	close(questions)
	err := e.Analyze(t.Context(), AnalyzeConfig{Workers: 1, Seed: 1}, levelPlayer(t, e, "medium"), questions,
		func(q Question, a *players.Analysis) error {
			moves := e.Format(q.Position.Moves...)
			if best := e.Format(a.Best); !slices.Contains(blocks[moves], best) {
				t.Errorf("after %s it plays %s", moves, best)
			}
			return nil
		})
	noError(t, err)
}
