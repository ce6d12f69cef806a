package rating_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tengen/eval/rating"
)

// chances are the probabilities of a win, a draw and a loss between players whose ratings differ by elo.
func chances(elo, draws float64) (win, draw, loss float64) {
	half := elo / (1 - draws) * math.Ln10 / 400 / 2
	win, draw, loss = math.Exp(half), 2*draws/(1-draws), math.Exp(-half)
	sum := win + draw + loss
	return win / sum, draw / sum, loss / sum
}

// roundRobin pairs each player with all before it.
func roundRobin(elos []float64, meet func(elo float64) rating.Tally) ([]string, []rating.Pairing) {
	var names []string
	var pairings []rating.Pairing
	for i := range elos {
		names = append(names, fmt.Sprint("player", i))
		for j := range i {
			pairings = append(pairings, rating.Pairing{Player: i, Against: j, Tally: meet(elos[i] - elos[j])})
		}
	}
	return names, pairings
}

// simulate plays games between players whose ratings differ by elo.
func simulate(rng *rand.Rand, games int, elo, draws float64) rating.Tally {
	win, draw, _ := chances(elo, draws)
	var t rating.Tally
	for range games {
		switch u := rng.Float64(); {
		case u < win:
			t.Wins++
		case u < win+draw:
			t.Draws++
		default:
			t.Losses++
		}
	}
	return t
}

func rate(t *testing.T, names []string, pairings []rating.Pairing, anchor int, prior float64) ([]rating.Rating, float64) {
	t.Helper()
	ratings, draws, err := rating.Rate(names, pairings, anchor, prior)
	if err != nil {
		t.Fatal(err)
	}
	return ratings, draws
}

func TestRateRecoversRatingsFromExpectedCounts(t *testing.T) {
	elos := []float64{0, -350, 120, 121, 800, 60}
	for _, draws := range []float64{0, 0.08, 0.6} {
		names, pairings := roundRobin(elos, func(elo float64) rating.Tally {
			const games = 1e9
			win, draw, loss := chances(elo, draws)
			return rating.Tally{Wins: int(games * win), Draws: int(games * draw), Losses: int(games * loss)}
		})
		ratings, gotDraws := rate(t, names, pairings, 0, 0)
		if math.Abs(gotDraws-draws) > 1e-5 {
			t.Errorf("draws between equals %v, want %v", gotDraws, draws)
		}
		for i, r := range ratings {
			if math.Abs(r.Elo-elos[i]) > 0.1 || !(r.Low <= r.Elo && r.Elo <= r.High) || r.High-r.Low > 0.1 {
				t.Errorf("draws %v, player %d: rating %v, want %v Elo", draws, i, r, elos[i])
			}
		}
	}
}

func TestRatingIntervalsHold95PercentOfTheTime(t *testing.T) {
	elos := []float64{0, 100, 150, 280, -40}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, draws := range []float64{0, 0.1, 0.4} {
		inside, intervals := 0, 0
		for range 300 {
			names, pairings := roundRobin(elos, func(elo float64) rating.Tally { return simulate(rng, 50, elo, draws) })
			ratings, _ := rate(t, names, pairings, 0, 1)
			for i, r := range ratings[1:] {
				intervals++
				if r.Low <= elos[i+1] && elos[i+1] <= r.High {
					inside++
				}
			}
		}
		if share := float64(inside) / float64(intervals); share < 0.93 || share > 0.97 {
			t.Errorf("draws %v: %.1f %% of %d intervals hold the true rating", draws, 100*share, intervals)
		}
	}
}

// The maximum of an exponential family is where each statistic has its expected value: the points of each player, and
// the number of draws.
func TestGradientIsZeroAtTheRatings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	elos := []float64{0, 200, -100, 500}
	names, pairings := roundRobin(elos, func(elo float64) rating.Tally { return simulate(rng, 100, elo, 0.2) })
	ratings, draws := rate(t, names, pairings, 2, 0)
	points := make([]float64, len(names))
	drawn := 0.0
	for _, p := range pairings {
		win, draw, _ := chances(ratings[p.Player].Elo-ratings[p.Against].Elo, draws)
		n := float64(p.Tally.Games())
		excess := n*p.Tally.Score() - n*(win+draw/2)
		points[p.Player] += excess
		points[p.Against] -= excess
		drawn += float64(p.Tally.Draws) - n*draw
	}
	for i, excess := range append(points, drawn) {
		if math.Abs(excess) > 1e-6 {
			t.Errorf("statistic %d is %v above its expectation", i, excess)
		}
	}
	if ratings[2] != (rating.Rating{}) {
		t.Errorf("the anchor has the rating %v", ratings[2])
	}
}

func TestTwoPlayersInClosedForm(t *testing.T) {
	names := []string{"a", "b"}
	match := func(tally rating.Tally) []rating.Pairing {
		return []rating.Pairing{{Player: 0, Against: 1, Tally: tally}}
	}
	// Without draws: the logistic model, whose information is n p q.
	ratings, draws := rate(t, names, match(rating.Tally{Wins: 75, Losses: 25}), 1, 0)
	reach := 1.959964 * 400 / math.Ln10 / math.Sqrt(100*0.75*0.25)
	want := rating.Rating{Elo: rating.Elo(0.75), Low: rating.Elo(0.75) - reach, High: rating.Elo(0.75) + reach}
	if r := ratings[0]; math.Abs(r.Elo-want.Elo)+math.Abs(r.Low-want.Low)+math.Abs(r.High-want.High) > 1e-4 || draws != 0 {
		t.Errorf("75 wins of 100: rating %v with draws %v, want %v", r, draws, want)
	}
	// With draws: pi_a/pi_b = wins/losses, nu = draws/sqrt(wins losses).
	ratings, draws = rate(t, names, match(rating.Tally{Wins: 50, Draws: 40, Losses: 10}), 1, 0)
	nu := 40 / math.Sqrt(50*10)
	wantElo, wantDraws := 400*math.Log10(5)*2/(2+nu), nu/(2+nu)
	if math.Abs(ratings[0].Elo-wantElo) > 1e-6 || math.Abs(draws-wantDraws) > 1e-9 {
		t.Errorf("50 wins, 40 draws: %v Elo with draws %v, want %v with %v", ratings[0].Elo, draws, wantElo, wantDraws)
	}
	if math.Abs(wantElo-rating.Elo(0.7)) > 5 {
		t.Errorf("the score is worth %v Elo, the rating says %v", rating.Elo(0.7), wantElo)
	}
}

// Nor on the view of a pairing, although the players of a ladder have different numbers of opponents.
func TestRatingsDoNotDependOnTheOrderOfPlayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	names, pairings := make([]string, 6), ladder(6)
	for i, p := range pairings {
		pairings[i].Tally = simulate(rng, 10, 80*float64(p.Player-p.Against), 0.2)
	}
	want, wantDraws := rate(t, names, pairings, 0, 1)
	to := rng.Perm(len(names))
	rng.Shuffle(len(pairings), func(i, j int) { pairings[i], pairings[j] = pairings[j], pairings[i] })
	for i, p := range pairings {
		pairings[i] = rating.Pairing{Player: to[p.Player], Against: to[p.Against], Tally: p.Tally}
		if i%2 == 0 {
			pairings[i] = rating.Pairing{Player: to[p.Against], Against: to[p.Player], Tally: p.Tally.Reversed()}
		}
	}
	got, gotDraws := rate(t, names, pairings, to[0], 1)
	for i := range want {
		if g := got[to[i]]; math.Abs(g.Elo-want[i].Elo) > 1e-6 || math.Abs(g.Low-want[i].Low) > 1e-6 {
			t.Errorf("player %d: rating %v, in another order %v", i, want[i], g)
		}
	}
	if math.Abs(gotDraws-wantDraws) > 1e-9 {
		t.Errorf("draws %v, in another order %v", wantDraws, gotDraws)
	}
}

func TestPriorKeepsRatingsFinite(t *testing.T) {
	names := []string{"loser", "middle", "winner"}
	for label, pairings := range map[string][]rating.Pairing{
		"won everything": {{Player: 1, Against: 0, Tally: rating.Tally{Wins: 20}}, {Player: 2, Against: 1, Tally: rating.Tally{Wins: 20}}},
		"never lost":     {{Player: 1, Against: 0, Tally: rating.Tally{Wins: 5, Draws: 5}}, {Player: 2, Against: 1, Tally: rating.Tally{Wins: 3, Draws: 5}}},
		"only draws":     {{Player: 1, Against: 0, Tally: rating.Tally{Draws: 5}}, {Player: 2, Against: 1, Tally: rating.Tally{Draws: 5}}},
	} {
		if r, _, err := rating.Rate(names, pairings, 1, 0); err == nil || !strings.Contains(err.Error(), "use a prior above 0") {
			t.Errorf("%s, without a prior: %v, error %v", label, r, err)
		}
		ratings, _ := rate(t, names, pairings, 1, 1)
		low, high := ratings[0].Elo, ratings[2].Elo
		if label == "only draws" {
			if math.Abs(low) > 1e-6 || math.Abs(high) > 1e-6 {
				t.Errorf("%s: ratings %v", label, ratings)
			}
		} else if !(low < -50 && low > -1500 && high > 50 && high < 1500) {
			t.Errorf("%s: ratings %v", label, ratings)
		}
	}
}

func TestPriorCopesWithAnyResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 15).Draw(t, "players")
		pairings := ladder(players)
		count := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 3), rapid.IntRange(0, 100_000))
		for i := range pairings {
			pairings[i].Tally = rating.Tally{Wins: 1 + count.Draw(t, "wins"), Draws: count.Draw(t, "draws"), Losses: count.Draw(t, "losses")}
		}
		ratings, draws, err := rating.Rate(make([]string, players), pairings, 0, 1)
		if err != nil || !(draws > 0 && draws < 1) {
			t.Fatalf("draws %v, error %v", draws, err)
		}
		for i, r := range ratings[1:] {
			if !(r.Low < r.Elo && r.Elo < r.High) || math.IsInf(r.High-r.Low, 0) { // far apart, players say little of each other
				t.Fatalf("player %d has the rating %v", i+1, r)
			}
		}
	})
}

func TestRateNamesStrangers(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	pairings := []rating.Pairing{
		{Player: 0, Against: 1, Tally: rating.Tally{Wins: 3, Losses: 2}},
		{Player: 2, Against: 3, Tally: rating.Tally{Wins: 3, Losses: 2}},
		{Player: 1, Against: 2}, // no game
	}
	_, _, err := rating.Rate(names, pairings, 1, 1)
	if err == nil || !strings.Contains(err.Error(), "connects c, d to b") {
		t.Errorf("error %v, want one that names c and d", err)
	}
}

// A pairing without games is no pairing: it has no share of the virtual games.
func TestPairingsWithoutGamesDoNotCount(t *testing.T) {
	pairings := ladder(4)
	for i := range pairings {
		pairings[i].Tally = rating.Tally{Wins: 3 + i, Draws: 1, Losses: 2}
	}
	want, wantDraws := rate(t, make([]string, 4), pairings, 0, 1)
	got, draws := rate(t, make([]string, 4), append(pairings, rating.Pairing{Player: 3, Against: 0}), 0, 1)
	if !slices.Equal(got, want) || draws != wantDraws {
		t.Errorf("ratings %v with draws %v, without the empty pairing %v with %v", got, draws, want, wantDraws)
	}
}

func TestRatePanics(t *testing.T) {
	met := []rating.Pairing{{Player: 0, Against: 1, Tally: rating.Tally{Wins: 1, Losses: 1}}}
	for name, test := range map[string]struct {
		pairings []rating.Pairing
		anchor   int
		prior    float64
	}{
		"rating of 2 players with anchor -1": {met, -1, 1},
		"rating of 2 players with anchor 2":  {met, 2, 1},
		"and prior -1":                       {met, 0, -1},
		"and prior NaN":                      {met, 0, math.NaN()},
		"b is paired with itself":            {append(met, rating.Pairing{Player: 1, Against: 1}), 0, 1},
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); !strings.Contains(message, name) {
					t.Errorf("panic %q, want one with %q", message, name)
				}
			}()
			rating.Rate([]string{"a", "b"}, test.pairings, test.anchor, test.prior)
		}()
	}
}

// The ends of a long ladder never met, so what the prior does to each link between them adds up.
func TestPriorHardlyCompressesALongLadder(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	names, pairings := longLadder(func(elo float64) rating.Tally { return simulate(rng, 200, elo, 0.1) })
	with, _ := rate(t, names, pairings, 0, 1)
	without, _ := rate(t, names, pairings, 0, 0)
	last := len(names) - 1
	if got, want := with[last].Elo, without[last].Elo; got > want || got < 0.99*want {
		t.Errorf("the last of %d players has %v Elo, without the prior %v", len(names), got, want)
	}
	if truth := 20 * float64(last); with[last].Low > truth || with[last].High < truth {
		t.Errorf("the last of %d players has the rating %v, want %v Elo", len(names), with[last], truth)
	}
}

// ladder pairs each player with those 1, 2, 4, 8 ... before it.
func ladder(players int) (pairings []rating.Pairing) {
	for player := range players {
		for distance := 1; distance <= player; distance *= 2 {
			pairings = append(pairings, rating.Pairing{Player: player, Against: player - distance})
		}
	}
	return pairings
}

// longLadder is 64 checkpoints, each 20 Elo stronger than the one before it.
func longLadder(meet func(elo float64) rating.Tally) ([]string, []rating.Pairing) {
	pairings := ladder(64)
	for i, p := range pairings {
		pairings[i].Tally = meet(20 * float64(p.Player-p.Against))
	}
	return make([]string, 64), pairings
}

func BenchmarkRate(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	names, pairings := longLadder(func(elo float64) rating.Tally { return simulate(rng, 100, elo, 0.1) })
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := rating.Rate(names, pairings, 0, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// Two players have the rating of the closed form, a function of their counts alone: f = 400/ln 10 * (1 - draws) * ln(wins/losses).
// The counts are independent as if each were drawn from a Poisson distribution, because f depends on their proportions alone. So
// the variance of f is the sum of (df/dn)^2 n over them.
func TestIntervalWithDrawsInClosedForm(t *testing.T) {
	f := func(n [3]float64) float64 {
		nu := n[1] / math.Sqrt(n[0]*n[2])
		return 400 / math.Ln10 * 2 / (2 + nu) * math.Log(n[0]/n[2])
	}
	for _, counts := range [][3]float64{{50, 40, 10}, {10, 40, 50}, {70, 5, 25}} {
		variance := 0.0
		for i := range counts {
			more, less := counts, counts
			more[i] += 1e-4
			less[i] -= 1e-4
			slope := (f(more) - f(less)) / 2e-4
			variance += slope * slope * counts[i]
		}
		tally := rating.Tally{Wins: int(counts[0]), Draws: int(counts[1]), Losses: int(counts[2])}
		ratings, _ := rate(t, []string{"a", "b"}, []rating.Pairing{{Player: 0, Against: 1, Tally: tally}}, 1, 0)
		reach := 1.959964 * math.Sqrt(variance)
		if r, elo := ratings[0], f(counts); math.Abs(r.Low-(elo-reach))+math.Abs(r.High-(elo+reach)) > 1e-3 {
			t.Errorf("%+v: rating %v, want %v to %v", tally, r, elo-reach, elo+reach)
		}
	}
}
