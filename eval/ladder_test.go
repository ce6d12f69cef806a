package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tengen/eval"
	"tengen/eval/rating"
	"tengen/game/mnk"
	"tengen/players"
	"tengen/players/playertest"
)

// uctCheckpoints are players that stand for the checkpoints of a run, each stronger than the one before it.
func uctCheckpoints(t *testing.T, playouts ...int) []players.Player[mnk.State] {
	var checkpoints []players.Player[mnk.State]
	for _, n := range playouts {
		checkpoints = append(checkpoints, playertest.Player(t, mnk.TicTacToe(), fmt.Sprint("uct:", n)))
	}
	return checkpoints
}

func randomFixed(t *testing.T) []players.Player[mnk.State] {
	return []players.Player[mnk.State]{playertest.Player(t, mnk.TicTacToe(), "random")}
}

// ladder rates players of tic-tac-toe.
func ladder(ctx context.Context, cfg eval.MatchConfig, fixed, checkpoints []players.Player[mnk.State], finished func(eval.Result)) (eval.Standings, error) {
	all := slices.Concat(fixed, checkpoints)
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return eval.Ladder(cfg, "tictactoe", names[:len(fixed)], names[len(fixed):], func(cfg eval.MatchConfig, player, against int) (eval.Result, error) {
		return eval.Play(ctx, cfg, mnk.TicTacToe(), all[player], all[against], nil)
	}, finished)
}

// ladderConfig is a small match with openings, which make draws rarer.
func ladderConfig(games int) eval.MatchConfig {
	cfg := config(games)
	cfg.OpeningPlies = 2
	return cfg
}

func TestSchedule(t *testing.T) {
	var got [][2]int
	for _, p := range eval.Schedule(2, 6) {
		got = append(got, [2]int{p.Player, p.Against})
	}
	want := [][2]int{
		{1, 0},
		{2, 0}, {2, 1},
		{3, 0}, {3, 1}, {3, 2},
		{4, 0}, {4, 1}, {4, 3}, {4, 2},
		{5, 0}, {5, 1}, {5, 4}, {5, 3},
		{6, 0}, {6, 1}, {6, 5}, {6, 4}, {6, 2},
		{7, 0}, {7, 1}, {7, 6}, {7, 5}, {7, 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestScheduleIsSparseAndGrowsAtItsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fixed, n := rapid.IntRange(0, 4).Draw(t, "fixed"), rapid.IntRange(1, 200).Draw(t, "checkpoints")
		pairings := eval.Schedule(fixed, n)
		if limit := float64(fixed*fixed+fixed*n) + float64(n)*(1+math.Log2(float64(n))); float64(len(pairings)) > limit {
			t.Fatalf("%d matches, want at most %v", len(pairings), limit)
		}
		if shorter := eval.Schedule(fixed, n-1); !slices.Equal(shorter, pairings[:len(shorter)]) {
			t.Fatal("one more checkpoint changes the matches before it")
		}
		seen := map[rating.Pairing]bool{}
		joined := 1
		for _, p := range pairings {
			if seen[p] || p.Against < 0 || p.Against >= p.Player || p.Player > joined {
				t.Fatalf("pairing %v after %d players have joined", p, joined)
			}
			seen[p] = true
			joined = max(joined, p.Player+1)
		}
		if joined != max(fixed+n, 1) {
			t.Fatalf("%d of %d players play", joined, fixed+n)
		}
	})
}

func TestLadderRanksPlayersByStrength(t *testing.T) {
	var reported []eval.Result
	standings, err := ladder(t.Context(), ladderConfig(60), randomFixed(t), uctCheckpoints(t, 4, 12, 40, 200),
		func(r eval.Result) { reported = append(reported, r) })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(standings.Players, func(a, b eval.Standing) int { return int(a.Rating.Elo - b.Rating.Elo) }) {
		t.Errorf("not by strength:\n%s", standings.Text())
	}
	if anchor := standings.Players[0]; anchor.Name != "random" || anchor.Rating != (rating.Rating{}) {
		t.Errorf("the anchor is %v, want random at 0", anchor)
	}
	if len(reported) != len(standings.Pairings) || len(reported) != len(eval.Schedule(1, 4)) {
		t.Fatalf("%d matches reported, %d in the standings", len(reported), len(standings.Pairings))
	}
	games, points := 0, 0.0
	for i, p := range standings.Pairings {
		r := reported[i]
		if r.Total() != p.Tally || r.Player != standings.Players[p.Player].Name || r.Against != standings.Players[p.Against].Name {
			t.Errorf("match %d is reported as %v, the standings have %v", i, r, p)
		}
	}
	for _, p := range standings.Players {
		games += p.Tally.Games()
		points += p.Tally.Score() * float64(p.Tally.Games())
	}
	if want := 60 * len(reported); games != 2*want || math.Abs(points-float64(want)) > 1e-9 {
		t.Errorf("players have %d games and %v points, want %d and %d", games, points, 2*want, want)
	}
}

func TestLaterCheckpointsLeaveEarlierMatchesAlone(t *testing.T) {
	matches := func(fixed, checkpoints []players.Player[mnk.State]) map[string]rating.Tally {
		s, err := ladder(t.Context(), ladderConfig(30), fixed, checkpoints, nil)
		if err != nil {
			t.Fatal(err)
		}
		tallies := map[string]rating.Tally{}
		for _, p := range s.Pairings {
			tallies[s.Players[p.Player].Name+" vs "+s.Players[p.Against].Name] = p.Tally
		}
		return tallies
	}
	long := matches(randomFixed(t), uctCheckpoints(t, 2, 8, 40))
	for label, short := range map[string]map[string]rating.Tally{
		"without the last checkpoint": matches(randomFixed(t), uctCheckpoints(t, 2, 8)),
		"without the fixed player":    matches(nil, uctCheckpoints(t, 2, 8, 40)),
	} {
		for pairing, tally := range short {
			if long[pairing] != tally {
				t.Errorf("%s: %s ends %v instead of %v", label, pairing, tally, long[pairing])
			}
		}
	}
	if long["uct:2 vs random"] == long["uct:8 vs random"] {
		t.Error("two matches have the same tally: choose players that differ")
	}
}

func TestCancelledLadderKeepsFinishedMatches(t *testing.T) {
	for enough := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		if enough == 0 {
			cancel()
		}
		finished := 0
		s, err := ladder(ctx, ladderConfig(10), randomFixed(t), uctCheckpoints(t, 1, 2, 4), func(eval.Result) {
			if finished++; finished == enough {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) || len(s.Pairings) != enough {
			t.Fatalf("%d matches, error %v; want %d and %v", len(s.Pairings), err, enough, context.Canceled)
		}
		for i, p := range s.Players {
			if rated := !math.IsNaN(p.Rating.Elo); rated != (p.Tally.Games() > 0) {
				t.Errorf("after %d matches player %d has %d games and %v Elo", enough, i, p.Tally.Games(), p.Rating.Elo)
			}
		}
		if data, err := json.Marshal(s); err != nil || !json.Valid(data) || s.Text() == "" {
			t.Errorf("after %d matches: %s, error %v", enough, data, err)
		}
	}
}

func TestLadderRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		games       int
		checkpoints []players.Player[mnk.State]
	}{
		"two or more players": {10, nil},
		`"uct:4"`:             {10, uctCheckpoints(t, 4, 2, 4)},
		"games is 0":          {0, uctCheckpoints(t, 4)},
	} {
		if _, err := ladder(t.Context(), ladderConfig(c.games), randomFixed(t), c.checkpoints, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// If a name is too long for 80 columns, the table has its short name, or the name on a separate line.
func TestStandingsTextFits80Columns(t *testing.T) {
	run, other := "net:checkpoints/dam/model-00000002.safetensors:100", "net:checkpoints/other/model-00000002.safetensors:100"
	fits := strings.Repeat("ä", 23)
	most := rating.Tally{Wins: 10_000, Losses: 10_000}
	r := rating.Rating{Elo: -1000, Low: -1200, High: -1000}
	s := eval.Standings{
		Players: []eval.Standing{{fits, most, r}, {run, most, r}, {other, most, r}},
		Short:   map[string]string{run: "dam 2", other: fits + "ä", fits: "unused"},
	}
	text := s.Text()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 || strings.HasSuffix(line, " ") {
			t.Errorf("%q has %d columns", line, utf8.RuneCountInString(line))
		}
	}
	for _, want := range []string{"-1000    " + fits + "\n", "-1000    dam 2\n" + other + "\n20000 ", "\n\nnames      dam 2 is short for\n           " + run + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestStandingsReports(t *testing.T) {
	nan := math.NaN()
	s := eval.Standings{
		Game: "connect4:7,6,4", Seed: 7, OpeningPlies: 2, Draws: 0.054, Elapsed: 8500 * time.Millisecond,
		Players: []eval.Standing{
			{Name: "random", Tally: rating.Tally{Losses: 20}},
			{Name: "net:é", Tally: rating.Tally{Wins: 19, Draws: 1}, Rating: rating.Rating{Elo: 500.4, Low: 300, High: 700.6}},
			{Name: "late", Rating: rating.Rating{Elo: nan, Low: nan, High: nan}},
		},
		Pairings: []rating.Pairing{{Player: 1, Against: 0, Tally: rating.Tally{Wins: 19, Draws: 1}}},
	}
	const table = `connect4:7,6,4

games  wins draws losses  score    Elo  95 %             player
   20    19     1      0 97.5 %   +500  +300 – +701      net:é
   20     0     0     20  0.0 %     +0  +0 – +0          random
    0     0     0      0                                 late

anchor     random
draws      5.4 % expected between equal players
matches    1
openings   2 plies each, seed 7
time       8.5 s
`
	if got := s.Text(); got != table {
		t.Errorf("got\n%s\nwant\n%s", got, table)
	}
	const want = `{"game":"connect4:7,6,4","players":[` +
		`{"name":"random","games":20,"wins":0,"draws":0,"losses":20,"score":0,"elo":0,"elo_low":0,"elo_high":0},` +
		`{"name":"net:é","games":20,"wins":19,"draws":1,"losses":0,"score":0.975,"elo":500.4,"elo_low":300,"elo_high":700.6},` +
		`{"name":"late","games":0,"wins":0,"draws":0,"losses":0,"score":null,"elo":null,"elo_low":null,"elo_high":null}],` +
		`"pairings":[{"player":"net:é","against":"random","games":20,"wins":19,"draws":1,"losses":0}],` +
		`"draws_between_equals":0.054,"seed":7,"opening_plies":2,"seconds":8.5}`
	if data, err := json.Marshal(s); err != nil || string(data) != want {
		t.Errorf("got  %s, error %v\nwant %s", data, err, want)
	}
}
