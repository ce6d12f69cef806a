package replay

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

func TestWindowDropsWholeOldGames(t *testing.T) {
	w := window(Config{Window: 10, MinWindow: 10})
	for _, step := range []struct {
		game              *Record
		games, len, total int
	}{
		{ticTacToe(0, 1, firstWins...), 1, 5, 5},
		{ticTacToe(1, -1, secondWins...), 2, 11, 11}, // without the first game only 6 would be left
		{ticTacToe(2, 1, firstWins...), 2, 11, 16},   // without it 11 are left: enough
		{ticTacToe(3, 0, draw...), 2, 14, 25},        // 20, without game 1 14, without game 2 only 9
	} {
		add(t, w, step.game)
		if w.Games() != step.games || w.Len() != step.len || w.Positions() != uint64(step.total) {
			t.Errorf("after game %d: %d games, %d positions of %d; want %d, %d of %d", step.game.Number,
				w.Games(), w.Len(), w.Positions(), step.games, step.len, step.total)
		}
	}
}

func TestWindowGrowsWithTheRun(t *testing.T) {
	w := window(Config{Window: 60, MinWindow: 20})
	for i := range 60 {
		add(t, w, ticTacToe(uint64(i), 1, firstWins...))
		total := 5 * (i + 1)
		want := min(max(total/2, 20), 60)
		if held := w.Len(); held < min(want, total) || held >= want+5 {
			t.Errorf("after %d positions the window holds %d, want %d to %d", total, held, min(want, total), want+4)
		}
	}
}

func TestWindowRejects(t *testing.T) {
	w := window(plain())
	add(t, w, ticTacToe(3, 1, firstWins...))
	wantError(t, w.Add(ticTacToe(4, 1, firstWins...), ticTacToe(5, -1, firstWins...)), "game 5 is not a valid record of tictactoe")
	wantError(t, w.Restore(t.Context(), 14, []*Record{ticTacToe(1, 0, draw...), ticTacToe(2, -1, firstWins...)}), "game 2 is not a valid record")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, w.Restore(cancelled, 14, []*Record{ticTacToe(1, 0, draw...)}), "canceled")
	if w.Games() != 1 || w.Len() != 5 || w.Positions() != 5 {
		t.Errorf("after errors: %d games, %d positions of %d", w.Games(), w.Len(), w.Positions())
	}
}

// Games played in place of false ones may be longer than they were. Then the run has more positions.
func TestWindowRestoresLongerGames(t *testing.T) {
	w := window(plain())
	if err := w.Restore(t.Context(), 5, []*Record{ticTacToe(1, 0, draw...)}); err != nil || w.Len() != 9 || w.Positions() != 9 {
		t.Errorf("%d positions of %d, error %v", w.Len(), w.Positions(), err)
	}
}

// A restored window is the one that it stands for, at once and after any further games: the same games, positions and
// samples, while it grows as well as when it is full. So is one that takes in many games at once.
func TestWindowRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Window: rapid.IntRange(1, 120).Draw(t, "window")}
		cfg.MinWindow = rapid.IntRange(1, cfg.Window).Draw(t, "min")
		cfg.ValueMix, cfg.CutBlunders = rapid.Float64Range(0, 1).Draw(t, "mix"), 0.1
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "games"), 0))
		next := func() *Record {
			g := randomGame(mnk.TicTacToe(), rng.Uint64(), rng.IntN(4), rng)
			if rng.IntN(5) == 0 { // a game without positions
				clear(g.Weights)
			}
			return g
		}
		cfg.ExactPlies = rapid.SampledFrom([]int{0, 5}).Draw(t, "exact")
		window := func(cfg Config) *Window[mnk.State] { return NewWindow(mnk.TicTacToe(), cfg, perfectTicTacToe) }
		open, closed := window(cfg), window(cfg)
		for range rapid.IntRange(1, 6).Draw(t, "restarts") {
			var added []*Record
			for range rapid.IntRange(0, 15).Draw(t, "added") {
				added = append(added, next())
				noError(t, open.Add(added[len(added)-1]))
			}
			noError(t, closed.Add(added...))
			if !reflect.DeepEqual(records(open), records(closed)) || open.Positions() != closed.Positions() || open.Len() != closed.Len() {
				t.Fatalf("%d games with %d positions of %d, want %d with %d of %d", closed.Games(), closed.Len(), closed.Positions(),
					open.Games(), open.Len(), open.Positions())
			}
			var games []*Record
			for _, g := range records(closed) {
				games = append(games, g.clone())
			}
			total := closed.Positions()
			closed = window(cfg)
			noError(t, closed.Restore(t.Context(), total, games))
			if open.weight() == 0 {
				continue
			}
			one, two := auxiliaryBatch(mnk.TicTacToe(), 8), auxiliaryBatch(mnk.TicTacToe(), 8)
			open.Sample(rand.New(rand.NewPCG(1, total)), one)
			closed.Sample(rand.New(rand.NewPCG(1, total)), two)
			if !reflect.DeepEqual(one, two) {
				t.Fatal("the samples differ")
			}
		}
	})
}

// records are the games of a window, oldest first.
func records[S game.State[S]](w *Window[S]) (games []*Record) {
	for _, g := range w.games {
		games = append(games, g.Record)
	}
	return games
}

func TestWindowKeepsItsOwnCopy(t *testing.T) {
	w := window(plain())
	g := ticTacToe(0, 1, firstWins...)
	add(t, w, g)
	kept := *w.games[0].Record
	g.Values[0], g.Policy.shares[0], g.Weights[0] = 1, 77, 7
	if kept.Values[0] == 1 || kept.Policy.shares[0] == 77 || kept.Weights[0] == 7 {
		t.Error("a change after Add reached the window")
	}
}

func TestLocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	w := NewWindow(connect4.Standard(), Config{Window: 500, MinWindow: 500}, nil)
	for i := range 60 {
		g := randomGame(connect4.Standard(), uint64(i), i%4, rng)
		if i%7 == 0 { // a game without positions
			clear(g.Weights)
		}
		add(t, w, g)
	}
	if w.start.weight == 0 {
		t.Fatal("nothing was dropped: the test needs a window that moved")
	}
	at, positions := uint64(0), 0
	for _, want := range records(w) {
		for ply := want.Opening; ply < len(want.Moves); ply++ {
			weight := want.Weights[ply-want.Opening]
			for range weight {
				if g, got := w.locate(at); g.Record != want || got != ply {
					t.Fatalf("at weight %d: game %d ply %d, want game %d ply %d", at, g.Number, got, want.Number, ply)
				}
				at++
			}
			if weight > 0 {
				positions++
			}
		}
	}
	if at != w.weight() || positions != w.Len() {
		t.Errorf("%d positions with weight %d found, want %d with %d", positions, at, w.Len(), w.weight())
	}
}

// The figure in the documentation of Config.Window, with a margin: half a million positions of gomoku with policies of
// 60 moves each take less than 150 MB.
func TestWindowMemory(t *testing.T) {
	const games = 2000
	rules, err := mnk.New(game.Size{Rows: 6, Columns: 6}, 6)
	noError(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	w := NewWindow(rules, Config{Window: 1e6, MinWindow: 1e6}, nil)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, visited := heap(), 0
	for i := range games {
		g := randomGame(rules, uint64(i), 0, rng)
		for j := range g.Weights {
			g.Weights[j] = FullWeight
		}
		visited += len(g.Policy.actions)
		add(t, w, g)
	}
	used := float64(heap()-before) / float64(w.Len())
	if limit := 30 + 4.5*float64(visited)/float64(w.Len()); used > limit {
		t.Errorf("%.0f bytes a position, want at most %.0f", used, limit)
	}
	runtime.KeepAlive(w)
}

func TestConfigValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("the default is not valid: %v", err)
	}
	for _, test := range []struct {
		cfg Config
		key string
	}{
		{Config{Window: 0, MinWindow: 1}, "replay.window is 0"},
		{Config{Window: 5, MinWindow: 6}, "replay.min_window is 6"},
		{Config{Window: 5, MinWindow: 0}, "replay.min_window is 0"},
		{Config{Window: 5, MinWindow: 5, ValueMix: 1.5}, "replay.value_mix is 1.5"},
		{Config{Window: 5, MinWindow: 5, ValueMix: math.NaN()}, "replay.value_mix is NaN"},
		{Config{Window: 5, MinWindow: 5, CutBlunders: 2.5}, "replay.cut_blunders is 2.5"},
		{Config{Window: 5, MinWindow: 5, ExactPlies: -1}, "replay.exact_plies is -1"},
	} {
		wantError(t, test.cfg.Validate(), test.key)
	}
}
