package eval_test

import (
	"path/filepath"
	"testing"

	"tengen/eval"
	"tengen/game/connect4"
	"tengen/players/playertest"
)

// Two programs that save to one file do not overwrite each other's games.
func TestGamesOfTwoWriters(t *testing.T) {
	g := connect4.Standard()
	chance := playertest.Player(t, g, "random")
	cfg := config(8)
	_, games := play(t, cfg, g, chance, chance)
	path := filepath.Join(t.TempDir(), "games.jsonl")
	open := func() (*eval.GamesFile[connect4.State], []eval.MatchGame) {
		f, played, err := eval.OpenGames(path, cfg, g, "a", "b")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f, played
	}
	first, _ := open()
	second, _ := open()
	for i, r := range games {
		if err := []*eval.GamesFile[connect4.State]{first, second}[i%2].Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, played := open(); len(played) != len(games) {
		t.Errorf("%d games of %d are left", len(played), len(games))
	}
}
