package grade_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/players/playertest"
)

func drawSample[S game.State[S]](t *testing.T, cfg grade.SampleConfig, g game.Game[S], players ...players.Player[S]) [][]game.Action {
	t.Helper()
	drawn, err := grade.Sample(t.Context(), cfg, g, nil, players...)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// byThird counts sequences of moves by the third of the board that they fill.
func byThird(drawn [][]game.Action, cells int) (count [3]int) {
	for _, moves := range drawn {
		count[3*len(moves)/cells]++
	}
	return count
}

// Every third of the board has its share, no position comes twice, and each has a choice of moves.
func TestSample(t *testing.T) {
	g := connect4.Standard()
	cfg := grade.SampleConfig{Positions: 120, Seed: 1, Workers: 2}
	for name, c := range map[string]struct {
		players []players.Player[connect4.State]
		fromPly int
		want    [3]int
	}{
		"random games":     {nil, 0, [3]int{40, 40, 40}},
		"and a player's":   {[]players.Player[connect4.State]{playertest.Player(t, g, "uct:20")}, 0, [3]int{40, 40, 40}},
		"from the middle":  {nil, 20, [3]int{0, 60, 60}},
		"from the end":     {nil, 28, [3]int{0, 0, 120}},
		"from the last 14": {[]players.Player[connect4.State]{playertest.Player(t, g, "uct:5")}, 28, [3]int{0, 0, 120}},
	} {
		cfg.FromPly = c.fromPly
		drawn := drawSample(t, cfg, g, c.players...)
		if got := byThird(drawn, 42); got != c.want {
			t.Errorf("%s: %v by thirds, want %v", name, got, c.want)
		}
		seen := map[game.Key]bool{}
		for _, moves := range drawn {
			s, err := game.Replay(g, moves)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Legal(nil)) < 2 || len(moves) < c.fromPly || seen[s.Key()] {
				t.Errorf("%s: %s is forced, too early or there twice", name, game.FormatMoves(g.Start(), moves))
			}
			seen[s.Key()] = true
		}
	}
}

// Half of the positions come from the player's games: one that takes the first free cell does so in most moves, but not in all.
func TestSampleAsksThePlayers(t *testing.T) {
	g := mnk.TicTacToe()
	leftmost := entrant("leftmost", func() advice[mnk.State] {
		return func(s mnk.State, _ *rand.Rand) (game.Action, float32) { return s.Legal(nil)[0], 0 }
	})
	own, pure := 0, 0
	for _, moves := range drawSample(t, grade.SampleConfig{Positions: 60, FromPly: 3, Seed: 1, Workers: 1}, g, leftmost) {
		first, s := 0, g.Start()
		for _, a := range moves {
			if a == s.Legal(nil)[0] {
				first++
			}
			s = s.Play(a)
		}
		if 2*first >= len(moves) {
			own++
		}
		if first == len(moves) {
			pure++
		}
	}
	if own < 25 || own > 35 || pure < 2 || pure > 4 { // plies 3 to 6 of a1 b1 c1 a2 b2 c2 a3
		t.Errorf("%d of 60 positions are of the player's games, %d without a random move; want half and up to 4", own, pure)
	}
}

// The seed decides, the workers do not.
func TestSampleRepeatsItself(t *testing.T) {
	g := connect4.Standard()
	draw := func(seed uint64, workers int) [][]game.Action {
		cfg := grade.SampleConfig{Positions: 60, Seed: seed, Workers: workers}
		return drawSample(t, cfg, g, playertest.Player(t, g, "uct:10"))
	}
	equal := func(a, b [][]game.Action) bool { return slices.EqualFunc(a, b, slices.Equal[[]game.Action]) }
	if one := draw(1, 1); !equal(one, draw(1, 3)) || equal(one, draw(2, 1)) {
		t.Error("the positions do not follow from the seed alone")
	}
}

// Without a ply that says what is quick, positions of the last plies are tried.
func TestSampleTries(t *testing.T) {
	g := connect4.Standard()
	tries := 0
	even := func(_ context.Context, s connect4.State) bool { tries++; return s.Ply()%2 == 0 }
	drawn, err := grade.Sample(t.Context(), grade.SampleConfig{Positions: 40, Seed: 1, Workers: 2}, g, even)
	if err != nil || len(drawn) != 40 {
		t.Fatalf("%d positions, error %v", len(drawn), err)
	}
	for _, moves := range drawn {
		if len(moves)%2 != 0 {
			t.Errorf("a position of ply %d, which was not accepted", len(moves))
		}
	}
	if tries <= 40 || tries > 1000 {
		t.Errorf("%d tries for 40 positions", tries)
	}
}

// Sample gives up on a source that has no quick positions, and fails if none has.
func TestSampleTriesInVain(t *testing.T) {
	tries := 0
	never := func(context.Context, connect4.State) bool { tries++; return false }
	_, err := grade.Sample(t.Context(), grade.SampleConfig{Positions: 40, Seed: 1, Workers: 2}, connect4.Standard(), never)
	if tries != 100 || err == nil || !strings.Contains(err.Error(), "no position of connect4 in the last 14 plies of games that is quick to solve") {
		t.Errorf("%d tries, error %v", tries, err)
	}
}

// When a third has no more positions, others come from the rest: tic-tac-toe has 1 + 9 + 72 with less than three stones. When
// the board has no more, fewer come back: games of two in a row end with the third stone.
func TestSampleRunsOut(t *testing.T) {
	for _, c := range []struct {
		game            string
		positions, most int
		want            [3]int
	}{{"3,3,3", 3000, 9, [3]int{82, 1459, 1459}}, {"9,9,2", 60, 81, [3]int{60, 0, 0}}, {"2,2,2", 60, 4, [3]int{5, 12, 0}}} {
		g, err := mnk.Parse(c.game)
		if err != nil {
			t.Fatal(err)
		}
		cfg := grade.SampleConfig{Positions: c.positions, Seed: 1, Workers: 2}
		if got := byThird(drawSample(t, cfg, g), c.most); got != c.want {
			t.Errorf("%s: %v by thirds, want %v", c.game, got, c.want)
		}
	}
}

func TestSampleFails(t *testing.T) {
	good := grade.SampleConfig{Positions: 1, Workers: 1}
	broken := errors.New("broken")
	for want, change := range map[string]func(*grade.SampleConfig){
		"positions is 0":                       func(c *grade.SampleConfig) { c.Positions = 0 },
		"from_ply is -1":                       func(c *grade.SampleConfig) { c.FromPly = -1 },
		"workers is 0":                         func(c *grade.SampleConfig) { c.Workers = 0 },
		"from ply 8 on with a choice of moves": func(c *grade.SampleConfig) { c.FromPly = 8 },
	} {
		cfg := good
		change(&cfg)
		err := cfg.Validate()
		if err == nil {
			_, err = grade.Sample(t.Context(), cfg, mnk.TicTacToe(), nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	unable := players.Player[mnk.State]{Name: "x", New: func() (players.Answerer[mnk.State], error) { return nil, broken }}
	if _, err := grade.Sample(t.Context(), grade.SampleConfig{Positions: 10, Workers: 1}, mnk.TicTacToe(), nil, unable); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
