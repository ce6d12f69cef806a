package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval"
	"tengen/eval/rating"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/players/playertest"
)

func TestEachOpeningIsPlayedTwiceWithColoursSwapped(t *testing.T) {
	g := connect4.Standard()
	chance := playertest.Player(t, g, "random")
	for _, c := range []struct{ games, openings, rounds int }{
		{60, 30, 1},  // fewer openings than the 49 there are
		{196, 49, 2}, // each opening twice by each side
		{61, 31, 1},  // the last game has no partner
	} {
		cfg := config(c.games)
		cfg.OpeningPlies = 2
		result, records := play(t, cfg, g, chance, chance)

		asFirst, asSecond := map[string]int{}, map[string]int{}
		for i, r := range records {
			if r.Number != i || r.Opening != 2 || r.PlayerFirst != (i%2 == 0) {
				t.Fatalf("game %d: number %d, %d opening plies, player first: %v", i, r.Number, r.Opening, r.PlayerFirst)
			}
			opening := game.FormatMoves(g.Start(), r.Moves[:r.Opening])
			if r.PlayerFirst {
				asFirst[opening]++
			} else {
				asSecond[opening]++
			}
		}
		if result.Openings != c.openings || len(asFirst) != c.openings {
			t.Errorf("%d games: %d openings announced, %d played, want %d", c.games, result.Openings, len(asFirst), c.openings)
		}
		for opening, n := range asFirst {
			if n != c.rounds {
				t.Errorf("%d games: opening %q comes %d times with the player first, want %d", c.games, opening, n, c.rounds)
			}
		}
		if c.games%2 == 0 && !reflect.DeepEqual(asFirst, asSecond) {
			t.Errorf("%d games: openings as first %v, as second %v", c.games, asFirst, asSecond)
		}
		if first, second := result.AsFirst.Games(), result.AsSecond.Games(); first != (c.games+1)/2 || second != c.games/2 {
			t.Errorf("%d games: %d as first and %d as second", c.games, first, second)
		}
	}
}

// Each side's pace has its own moves, those of the openings left out, and the time that they took.
func TestPaceIsThatOfTheSide(t *testing.T) {
	g := connect4.Standard()
	cfg := config(11)
	cfg.OpeningPlies = 1 // the second player of a game is the first to choose
	result, records := play(t, cfg, g, playertest.Player(t, g, "uct:10"), playertest.Player(t, g, "random"))
	var player, against int
	for _, r := range records {
		for ply := r.Opening; ply < len(r.Moves); ply++ {
			if (ply%2 == 0) == r.PlayerFirst {
				player++
			} else {
				against++
			}
		}
	}
	if result.PlayerPace.Moves != player || result.AgainstPace.Moves != against || player == against {
		t.Errorf("paces %+v and %+v, want %d and %d moves", result.PlayerPace, result.AgainstPace, player, against)
	}
	if result.PlayerPace.Time <= 0 || result.AgainstPace.Time <= 0 {
		t.Errorf("moves took %v and %v", result.PlayerPace.Time, result.AgainstPace.Time)
	}
}

// The tally must be what the moves of the records amount to by the rules.
func TestResultIsThatOfTheRecords(t *testing.T) {
	g := mnk.TicTacToe()
	cfg := config(101)
	cfg.OpeningPlies = 1
	result, records := play(t, cfg, g, playertest.Player(t, g, "uct:10"), playertest.Player(t, g, "random"))
	var asFirst, asSecond rating.Tally
	for _, r := range records {
		s, err := game.Replay(g, r.Moves)
		if err != nil {
			t.Fatal(err)
		}
		z, over := s.Outcome()
		if !over {
			t.Fatalf("game %d ends before it is over: %s", r.Number, game.FormatMoves(g.Start(), r.Moves))
		}
		if len(r.Moves)%2 == 1 {
			z = -z // now the first player's
		}
		if r.Outcome != int8(z) {
			t.Errorf("game %d: outcome %d, want %v", r.Number, r.Outcome, z)
		}
		tally := &asFirst
		if !r.PlayerFirst {
			tally, z = &asSecond, -z
		}
		switch z {
		case 1:
			tally.Wins++
		case 0:
			tally.Draws++
		case -1:
			tally.Losses++
		}
	}
	if result.AsFirst != asFirst || result.AsSecond != asSecond {
		t.Errorf("result as first %v, as second %v; the records say %v, %v", result.AsFirst, result.AsSecond, asFirst, asSecond)
	}
	if asFirst.Draws+asSecond.Draws == 0 || asFirst.Losses+asSecond.Losses == 0 {
		t.Error("this match has no draws or no losses and proves little: choose another seed")
	}
}

// More workers play fewer games at once.
func TestResultDoesNotDependOnWorkers(t *testing.T) {
	g, err := connect4.New(game.Size{Rows: 4, Columns: 5}, 4)
	if err != nil {
		t.Fatal(err)
	}
	outcome := func(workers int) (eval.Result, []eval.MatchGame) {
		cfg := eval.MatchConfig{Games: 41, OpeningPlies: 3, Seed: 5, Workers: workers}
		result, records := play(t, cfg, g, playertest.Player(t, g, "uct:30"), playertest.Player(t, g, "random"))
		result.Elapsed, result.PlayerPace.Time, result.AgainstPace.Time = 0, 0, 0
		return result, records
	}
	wantResult, wantRecords := outcome(1)
	for _, workers := range []int{2, 4, 100} {
		result, records := outcome(workers)
		if result != wantResult || !reflect.DeepEqual(records, wantRecords) {
			t.Errorf("%d workers: %v; one worker: %v", workers, result, wantResult)
		}
	}
}

// A match that goes on has the games of one that is played at once.
func TestPlayedGames(t *testing.T) {
	g := connect4.Standard()
	cfg := config(21)
	cfg.OpeningPlies = 2
	player, chance := playertest.Player(t, g, "uct:10"), playertest.Player(t, g, "random")
	whole, records := play(t, cfg, g, player, chance)
	cfg.Games = 8
	_, begin := play(t, cfg, g, player, chance)
	cfg.Played, cfg.Games = []eval.MatchGame{begin[7], begin[2], begin[5]}, 21
	second, rest := play(t, cfg, g, player, chance)
	for _, r := range cfg.Played {
		if rest[r.Number].Moves != nil {
			t.Errorf("game %d is played again", r.Number)
		}
		rest[r.Number] = r
	}
	if !reflect.DeepEqual(rest, records) || second.Total() != whole.Total() {
		t.Errorf("the result is %v, that of the whole match %v", second.Total(), whole.Total())
	}
}

func TestSeedsGiveDifferentMatches(t *testing.T) {
	g := connect4.Standard()
	chance := playertest.Player(t, g, "random")
	cfg := config(20)
	_, first := play(t, cfg, g, chance, chance)
	cfg.Seed++
	_, second := play(t, cfg, g, chance, chance)
	if reflect.DeepEqual(first, second) {
		t.Error("two seeds give the same games")
	}
}

func TestGamesAreInStep(t *testing.T) {
	g := connect4.Standard()
	var sizes []int
	first, err := playertest.Player(t, g, "random").New()
	if err != nil {
		t.Fatal(err)
	}
	probe := entrant("probe", func(ctx context.Context, lines []players.Line[connect4.State], rngs []*rand.Rand, moves []game.Action) error {
		sizes = append(sizes, len(lines))
		return first.Choose(ctx, lines, rngs, moves)
	})
	cfg := eval.MatchConfig{Games: 100, Seed: 1, Workers: 1}
	play(t, cfg, g, probe, playertest.Player(t, g, "random"))
	// Of the first 32 games half begin with the player. No game is over within seven plies.
	if want := []int{16, 32, 32, 32}; !slices.Equal(sizes[:4], want) {
		t.Errorf("the first calls have %d positions, want %d", sizes[:4], want)
	}
	if slices.Max(sizes) != 32 {
		t.Errorf("a call has %d positions, more than the 32 games of the group", slices.Max(sizes))
	}
}

func TestIllegalMoves(t *testing.T) {
	g := connect4.Standard()
	for _, c := range []struct {
		move game.Action
		want string
	}{
		{2, `stubborn plays the illegal move #2 in game 0 after moves "333333"`},
		{0, `stubborn plays the illegal move #0 in game 0 after moves "111111"`},
		{7, "stubborn plays the illegal move #7 in game 0"}, // the first that the board does not have
		{99, "stubborn plays the illegal move #99"},
		{game.None, "stubborn plays the illegal move #-1"},
	} {
		stubborn := entrant("stubborn", func(_ context.Context, lines []players.Line[connect4.State], _ []*rand.Rand, moves []game.Action) error {
			for i := range lines {
				moves[i] = c.move
			}
			return nil
		})
		cfg := config(1)
		_, err := eval.Play(t.Context(), cfg, g, stubborn, stubborn, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("action %d: error %v, want %s", c.move, err, c.want)
		}
	}
}

func TestFailuresAreReported(t *testing.T) {
	chance := playertest.Player(t, mnk.TicTacToe(), "random")
	broken := errors.New("broken")
	fails := entrant("failing", func(context.Context, []players.Line[mnk.State], []*rand.Rand, []game.Action) error { return broken })
	missing := players.Player[mnk.State]{Name: "missing", New: func() (players.Answerer[mnk.State], error) { return nil, broken }}
	for _, c := range []struct {
		player, against players.Player[mnk.State]
		want            string
	}{
		{chance, fails, "failing"},
		{fails, chance, "failing"},
		{missing, chance, "broken"},
	} {
		_, err := eval.Play(t.Context(), config(10), mnk.TicTacToe(), c.player, c.against, nil)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}

	cfg := config(10)
	cfg.OpeningPlies = 9
	if _, err := eval.Play(t.Context(), cfg, mnk.TicTacToe(), fails, fails, nil); err == nil || !strings.Contains(err.Error(), "every game of tictactoe ends within 9 random plies: use shorter openings") {
		t.Errorf("openings of 9 plies in tic-tac-toe: error %v", err)
	}
}

func TestValidate(t *testing.T) {
	chance := playertest.Player(t, mnk.TicTacToe(), "random")
	if err := eval.Default().Validate(); err != nil {
		t.Errorf("the default config is refused: %v", err)
	}
	for want, spoil := range map[string]func(*eval.MatchConfig){
		"games is 0":             func(c *eval.MatchConfig) { c.Games = 0 },
		"opening_plies is -1":    func(c *eval.MatchConfig) { c.OpeningPlies = -1 },
		"workers is 0":           func(c *eval.MatchConfig) { c.Workers = 0 },
		"games is 2000000":       func(c *eval.MatchConfig) { c.Games = 2_000_000 },
		"games is 41":            func(c *eval.MatchConfig) { c.Games, c.SPRT = 41, fiveToTwenty },
		"SPRT: the first Elo, 5": func(c *eval.MatchConfig) { c.SPRT = rating.SPRT{Elo0: 5} },
	} {
		cfg := eval.Default()
		spoil(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		_, err := eval.Play(t.Context(), cfg, mnk.TicTacToe(), chance, chance, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Play: error %v, want %s", err, want)
		}
	}
}

func TestCancelKeepsFinishedGames(t *testing.T) {
	chance := playertest.Player(t, mnk.TicTacToe(), "random")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const enough = 20
	finished := 0
	result, err := eval.Play(ctx, config(1000), mnk.TicTacToe(), chance, chance,
		func(_ eval.MatchGame, r eval.Result) {
			if finished++; r.Total().Games() != finished {
				t.Errorf("game %d is reported with a result of %d games", finished, r.Total().Games())
			}
			if finished == enough {
				cancel()
			}
		})
	if err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if games := result.Total().Games(); games != finished || games < enough || games == 1000 {
		t.Errorf("%d games in the result, %d reported", games, finished)
	}
}

func TestCancelReachesAPlayerThatThinks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	thinker := entrant("thinker", func(ctx context.Context, _ []players.Line[mnk.State], _ []*rand.Rand, _ []game.Action) error {
		cancel()
		<-ctx.Done()
		return fmt.Errorf("interrupted: %w", ctx.Err())
	})
	result, err := eval.Play(ctx, config(10), mnk.TicTacToe(), thinker, playertest.Player(t, mnk.TicTacToe(), "random"), nil)
	if err != context.Canceled || result.Total().Games() != 0 {
		t.Errorf("result %v, error %v; want no games and %v", result, err, context.Canceled)
	}
}
