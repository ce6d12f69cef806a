package external_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/breakthrough"
	"tengen/game/othello"
	"tengen/players"
	"tengen/players/playertest"
)

// installed skips a test without a file of a Debian package.
func installed(t *testing.T, file, debian string) {
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s is missing: apt-get install %s", file, debian)
	}
}

// GRhino knows the rules of Othello, passes by itself, and refuses to be told of a pass.
func TestGRhino(t *testing.T) {
	installed(t, "/usr/games/gtp-rhino", "grhino")
	g := must(othello.New(8))
	p := playertest.Player(t, g, "gtp:env -C /usr/share/grhino /usr/games/gtp-rhino")
	defer p.Close()
	answerer := must(p.New())
	withPass, move := 0, []game.Action{game.None}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		line := players.At(g.Start())
		passes := false
		for legal := line.Position.Legal(nil); len(legal) > 0; legal = line.Position.Legal(nil) {
			a := legal[rng.IntN(len(legal))]
			passes = passes || line.Position.Format(a) == "pass"
			line.Moves, line.Position = append(line.Moves, a), line.Position.Play(a)
		}
		line.Moves = line.Moves[:len(line.Moves)-1]
		line.Position = must(game.Replay(g, line.Moves))
		if passes {
			withPass++
		}
		err := answerer.Choose(t.Context(), []players.Line[othello.State]{line}, []*rand.Rand{rng}, move)
		if err != nil || !slices.Contains(line.Position.Legal(nil), move[0]) {
			t.Fatalf("%s: %v", game.FormatMoves(g.Start(), line.Moves), err)
		}
	}
	if withPass < 99 {
		t.Errorf("%d games have a pass: choose another seed", withPass)
	}
}

// Fairy-Stockfish knows breakthrough on 8 by 8 cells, and learns other boards.
func TestFairyStockfish(t *testing.T) {
	installed(t, "/usr/games/fairy-stockfish", "fairy-stockfish")
	for _, size := range []game.Size{{Rows: 8, Columns: 8}, {Rows: 6, Columns: 6}} {
		t.Run(size.String(), func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("TMPDIR", folder)
			r, _, groups, err := meet(t, must(breakthrough.New(size)), 10, "uci:nodes=100:/usr/games/fairy-stockfish", nil)
			if err != nil || r.AgainstProgram.Faults != 0 || len(groups) != 1 || r.Total().Losses < 9 {
				t.Errorf("%v, %v, %d faults, %d processes", r, err, r.AgainstProgram.Faults, len(groups))
			}
			if left, err := filepath.Glob(folder + "/*"); len(left) > 0 || err != nil {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}
