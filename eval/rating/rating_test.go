package rating_test

import (
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
func roundRobin(elos []float64, meet func(elo float64) rating.Tally) (pairings []rating.Pairing) {
	for i := range elos {
		for j := range i {
			pairings = append(pairings, rating.Pairing{Player: i, Against: j, Tally: meet(elos[i] - elos[j])})
		}
	}
	return pairings
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

func rate(t *testing.T, players int, pairings []rating.Pairing) ([]rating.Rating, float64) {
	t.Helper()
	ratings, draws, err := rating.Rate(players, pairings)
	if err != nil {
		t.Fatal(err)
	}
	return ratings, draws
}

func TestRateRecoversRatingsFromExpectedCounts(t *testing.T) {
	elos := []float64{0, -350, 120, 121, 800, 60}
	for _, draws := range []float64{0, 0.08, 0.6} {
		pairings := roundRobin(elos, func(elo float64) rating.Tally {
			const games = 1e9
			win, draw, loss := chances(elo, draws)
			return rating.Tally{Wins: int(games * win), Draws: int(games * draw), Losses: int(games * loss)}
		})
		ratings, gotDraws := rate(t, len(elos), pairings)
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
			ratings, _ := rate(t, len(elos), roundRobin(elos, func(elo float64) rating.Tally { return simulate(rng, 50, elo, draws) }))
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
// the number of draws. The virtual game of each of the four players is spread over three pairings, so each pairing has two
// thirds of a game, a third of it won, drawn and lost.
func TestGradientIsZeroAtTheRatings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	elos := []float64{0, 200, -100, 500}
	pairings := roundRobin(elos, func(elo float64) rating.Tally { return simulate(rng, 100, elo, 0.2) })
	ratings, draws := rate(t, len(elos), pairings)
	points := make([]float64, len(elos))
	drawn := 0.0
	for _, p := range pairings {
		win, draw, _ := chances(ratings[p.Player].Elo-ratings[p.Against].Elo, draws)
		n := float64(p.Tally.Games()) + 2./3
		excess := float64(p.Tally.Wins) + float64(p.Tally.Draws)/2 + 1./3 - n*(win+draw/2)
		points[p.Player] += excess
		points[p.Against] -= excess
		drawn += float64(p.Tally.Draws) + 2./9 - n*draw
	}
	for i, excess := range append(points, drawn) {
		if math.Abs(excess) > 1e-6 {
			t.Errorf("statistic %d is %v above its expectation", i, excess)
		}
	}
	if ratings[0] != (rating.Rating{}) {
		t.Errorf("the anchor has the rating %v", ratings[0])
	}
}

// Two players have the rating of a closed form, a function of their counts alone, each with two thirds of a virtual game:
//
//	pi_a/pi_b = wins/losses, nu = draws/sqrt(wins losses)
//
// The counts are independent as if each were drawn from a Poisson distribution, because the rating depends on their
// proportions alone. So its variance is the sum of (d rating/dn)^2 n over them.
func TestTwoPlayersInClosedForm(t *testing.T) {
	nu := func(n [3]float64) float64 { return n[1] / math.Sqrt(n[0]*n[2]) }
	f := func(n [3]float64) float64 { return 400 / math.Ln10 * 2 / (2 + nu(n)) * math.Log(n[0]/n[2]) }
	for _, tally := range []rating.Tally{
		{Wins: 50, Draws: 40, Losses: 10}, {Wins: 10, Draws: 40, Losses: 50}, {Wins: 70, Draws: 5, Losses: 25}, {Wins: 75, Losses: 25},
	} {
		counts := [3]float64{float64(tally.Wins) + 2./3, float64(tally.Draws) + 2./3, float64(tally.Losses) + 2./3}
		variance := 0.0
		for i := range counts {
			more, less := counts, counts
			more[i] += 1e-4
			less[i] -= 1e-4
			slope := (f(more) - f(less)) / 2e-4
			variance += slope * slope * counts[i]
		}
		ratings, draws := rate(t, 2, []rating.Pairing{{Player: 1, Against: 0, Tally: tally}})
		elo, reach, wantDraws := f(counts), 1.959964*math.Sqrt(variance), nu(counts)/(2+nu(counts))
		if r := ratings[1]; math.Abs(r.Elo-elo) > 1e-6 || math.Abs(r.Low-(elo-reach))+math.Abs(r.High-(elo+reach)) > 1e-3 {
			t.Errorf("%+v: rating %v, want %v from %v to %v", tally, r, elo, elo-reach, elo+reach)
		}
		if math.Abs(draws-wantDraws) > 1e-9 {
			t.Errorf("%+v: draws %v, want %v", tally, draws, wantDraws)
		}
	}
	// Nearly without draws, the rating is the score's Elo.
	ratings, _ := rate(t, 2, []rating.Pairing{{Player: 1, Against: 0, Tally: rating.Tally{Wins: 75_000, Losses: 25_000}}})
	if want := rating.Elo(0.75); math.Abs(ratings[1].Elo-want) > 0.01 {
		t.Errorf("75 %% of the points: %v Elo, want %v", ratings[1].Elo, want)
	}
}

// Nor on the view of a pairing, although the players of a ladder have different numbers of opponents.
func TestRatingsDoNotDependOnTheOrderOfPlayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const players = 6
	pairings := ladder(players)
	for i, p := range pairings {
		pairings[i].Tally = simulate(rng, 10, 80*float64(p.Player-p.Against), 0.2)
	}
	want, wantDraws := rate(t, players, pairings)
	to := []int{0} // the anchor stays the first
	for _, i := range rng.Perm(players - 1) {
		to = append(to, i+1)
	}
	rng.Shuffle(len(pairings), func(i, j int) { pairings[i], pairings[j] = pairings[j], pairings[i] })
	for i, p := range pairings {
		pairings[i] = rating.Pairing{Player: to[p.Player], Against: to[p.Against], Tally: p.Tally}
		if i%2 == 0 {
			pairings[i] = rating.Pairing{Player: to[p.Against], Against: to[p.Player], Tally: p.Tally.Reversed()}
		}
	}
	got, gotDraws := rate(t, players, pairings)
	for i := range want {
		if g := got[to[i]]; math.Abs(g.Elo-want[i].Elo) > 1e-6 || math.Abs(g.Low-want[i].Low) > 1e-6 {
			t.Errorf("player %d: rating %v, in another order %v", i, want[i], g)
		}
	}
	if math.Abs(gotDraws-wantDraws) > 1e-9 {
		t.Errorf("draws %v, in another order %v", wantDraws, gotDraws)
	}
}

// Player 0 is between a loser, 1, and a winner, 2.
func TestVirtualGamesKeepRatingsFinite(t *testing.T) {
	for label, pairings := range map[string][]rating.Pairing{
		"won everything": {{Player: 0, Against: 1, Tally: rating.Tally{Wins: 20}}, {Player: 2, Against: 0, Tally: rating.Tally{Wins: 20}}},
		"never lost":     {{Player: 0, Against: 1, Tally: rating.Tally{Wins: 5, Draws: 5}}, {Player: 2, Against: 0, Tally: rating.Tally{Wins: 3, Draws: 5}}},
		"only draws":     {{Player: 0, Against: 1, Tally: rating.Tally{Draws: 5}}, {Player: 2, Against: 0, Tally: rating.Tally{Draws: 5}}},
	} {
		ratings, _ := rate(t, 3, pairings)
		low, high := ratings[1].Elo, ratings[2].Elo
		if label == "only draws" {
			if math.Abs(low) > 1e-6 || math.Abs(high) > 1e-6 {
				t.Errorf("%s: ratings %v", label, ratings)
			}
		} else if !(low < -50 && low > -1500 && high > 50 && high < 1500) {
			t.Errorf("%s: ratings %v", label, ratings)
		}
	}
}

func TestRateCopesWithAnyResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, 15).Draw(t, "players")
		pairings := ladder(players)
		count := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 3), rapid.IntRange(0, 100_000))
		for i := range pairings {
			pairings[i].Tally = rating.Tally{Wins: 1 + count.Draw(t, "wins"), Draws: count.Draw(t, "draws"), Losses: count.Draw(t, "losses")}
		}
		ratings, draws, err := rating.Rate(players, pairings)
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

func TestRateRefusesPlayersApart(t *testing.T) {
	pairings := []rating.Pairing{
		{Player: 0, Against: 1, Tally: rating.Tally{Wins: 3, Losses: 2}},
		{Player: 2, Against: 3, Tally: rating.Tally{Wins: 3, Losses: 2}},
		{Player: 1, Against: 2}, // no game
	}
	if r, _, err := rating.Rate(4, pairings); err == nil || !strings.Contains(err.Error(), "no chain of games connects the players") {
		t.Errorf("ratings %v, error %v", r, err)
	}
	if r, _, err := rating.Rate(3, pairings[:1]); err == nil {
		t.Errorf("a player without games: ratings %v", r)
	}
}

// A pairing without games is no pairing: it has no share of the virtual games.
func TestPairingsWithoutGamesDoNotCount(t *testing.T) {
	pairings := ladder(4)
	for i := range pairings {
		pairings[i].Tally = rating.Tally{Wins: 3 + i, Draws: 1, Losses: 2}
	}
	want, wantDraws := rate(t, 4, pairings)
	got, draws := rate(t, 4, append(pairings, rating.Pairing{Player: 3, Against: 0}))
	if !slices.Equal(got, want) || draws != wantDraws {
		t.Errorf("ratings %v with draws %v, without the empty pairing %v with %v", got, draws, want, wantDraws)
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
