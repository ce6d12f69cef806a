package eval_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/eval"
	"tengen/eval/rating"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/players/playertest"
)

var fiveToTwenty = rating.SPRT{Elo0: 5, Elo1: 20}

func TestMatchStopsAtTheDecidingPair(t *testing.T) {
	g, err := connect4.New(game.Size{Rows: 4, Columns: 5}, 4)
	if err != nil {
		t.Fatal(err)
	}
	outcome := func(workers int) (eval.Result, []int) {
		cfg := eval.MatchConfig{Games: 2000, OpeningPlies: 3, Seed: 5, Workers: workers,
			SPRT: rating.SPRT{Elo0: 0, Elo1: 100}}
		var numbers []int
		result, err := eval.Play(t.Context(), cfg, g, playertest.Player(t, g, "uct:20"), playertest.Player(t, g, "random"),
			func(r eval.MatchGame, _ eval.Result) { numbers = append(numbers, r.Number) })
		if err != nil {
			t.Fatal(err)
		}
		result.Elapsed, result.PlayerPace, result.AgainstPace = 0, eval.Pace{}, eval.Pace{}
		return result, numbers
	}
	want, numbers := outcome(1)
	games := want.Total().Games()
	if want.SPRT.Verdict(want.Pairs) != rating.AcceptH1 || games != 2*want.Pairs.Total() || games == 2000 || games < 20 {
		t.Fatalf("%v after %v: choose players that decide the test", want.SPRT.Verdict(want.Pairs), want)
	}
	if len(numbers) != games || !slices.IsSorted(numbers) {
		t.Errorf("%d games counted, games %d reported", games, numbers)
	}
	for _, workers := range []int{2, 4, 64, 1000} {
		if result, reported := outcome(workers); result != want || !slices.Equal(reported, numbers) {
			t.Errorf("%d workers: %v; one worker: %v", workers, result, want)
		}
	}
}

func TestMatchMayEndUndecided(t *testing.T) {
	chance := playertest.Player(t, connect4.Standard(), "random")
	cfg := config(10)
	cfg.OpeningPlies, cfg.SPRT = 2, fiveToTwenty
	result, _ := play(t, cfg, connect4.Standard(), chance, chance)
	if games := result.Total().Games(); games != 10 || result.SPRT.Verdict(result.Pairs) != rating.Undecided {
		t.Errorf("%d games, verdict %s; want all 10 and undecided", games, result.SPRT.Verdict(result.Pairs))
	}
}

// A test plays no opening twice: the second time would tell nothing new of players without chance.
func TestMatchEndsAfterAllOpenings(t *testing.T) {
	chance := playertest.Player(t, connect4.Standard(), "random")
	cfg := config(1000)
	cfg.OpeningPlies, cfg.SPRT = 1, rating.SPRT{Elo0: -1, Elo1: 1}
	result, games := play(t, cfg, connect4.Standard(), chance, chance)
	games = games[:14]
	if result.Total().Games() != 14 || !strings.Contains(result.Text(), "SPRT       undecided after 7 pairs, all openings: ") {
		t.Error(result.Text())
	}
	cfg.Played = append(games, eval.MatchGame{Number: 14}) // of a match without a test
	if again, _ := play(t, cfg, connect4.Standard(), chance, chance); again.Total() != result.Total() {
		t.Errorf("played before, the match ends in %v, not %v", again, result)
	}
}

func TestCancelledTestKeepsPairs(t *testing.T) {
	chance := playertest.Player(t, connect4.Standard(), "random")
	ctx, cancel := context.WithCancel(t.Context())
	cfg := config(1000)
	cfg.Workers, cfg.OpeningPlies = 1, 4
	cfg.SPRT = rating.SPRT{Elo0: -1, Elo1: 1}
	result, err := eval.Play(ctx, cfg, connect4.Standard(), chance, chance,
		func(r eval.MatchGame, _ eval.Result) {
			if r.Number == 20 {
				cancel()
			}
		})
	games := result.Total().Games()
	if err != context.Canceled || games != 2*result.Pairs.Total() || games < 20 || games == 1000 {
		t.Errorf("error %v after %d games and %d pairs", err, games, result.Pairs.Total())
	}
}

func TestResultReportsItsSPRT(t *testing.T) {
	r := sample
	r.SPRT, r.Pairs = fiveToTwenty, rating.Pairs{10, 1, 32, 6, 51}
	const line = "SPRT       undecided after 100 pairs: LLR 2.75 (-2.94 – 2.94), H0: 5 Elo, H1: 20 Elo\n"
	if table := r.Text(); !strings.Contains(table, line) {
		t.Errorf("no line %q in\n%s", line, table)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := decode(t, data)["sprt"].(map[string]any)
	lower, upper := r.SPRT.Bounds()
	want := map[string]any{
		"elo0": 5., "elo1": 20., "alpha": 0.05, "beta": 0.05, "pairs": []any{10., 1., 32., 6., 51.},
		"llr": r.SPRT.LLR(r.Pairs), "lower": lower, "upper": upper, "verdict": "undecided",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
