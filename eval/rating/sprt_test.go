package rating_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tengen/eval/rating"
)

var fiveToTwenty = rating.SPRT{Elo0: 5, Elo1: 20}

func TestParseSPRT(t *testing.T) {
	for text, want := range map[string]rating.SPRT{
		"5,20":       fiveToTwenty,
		" -2.5 , 0 ": {Elo0: -2.5, Elo1: 0},
		"-1000,1000": {Elo0: -1000, Elo1: 1000},
	} {
		if got, err := rating.ParseSPRT(text); err != nil || got != want {
			t.Errorf("ParseSPRT(%q) = %v, error %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":       "comma",
		"20":     "comma",
		"0,":     `"" is not a number`,
		"0,20,5": `"20,5" is not a number`,
		"x,20":   `"x" is not a number`,
		"20,0":   "20, is not below the second, 0",
		"5,5":    "5, is not below",
		"0,1001": "1001 Elo are out of range: use -1000 to 1000",
		"NaN,0":  "NaN Elo are out of range",
	} {
		_, err := rating.ParseSPRT(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ELO0,ELO1") {
			t.Errorf("ParseSPRT(%q): error %v, want one with %q and the form", text, err, want)
		}
	}
}

func TestLLRByHand(t *testing.T) {
	s := rating.SPRT{Elo0: 0, Elo1: 20}
	if llr := s.LLR(rating.Pairs{}); llr != 0 || s.Verdict(rating.Pairs{}) != rating.Undecided {
		t.Errorf("without pairs, LLR is %v and the verdict %s", llr, s.Verdict(rating.Pairs{}))
	}
	// Nothing but 2:0 and 0:2 leaves one distribution to each hypothesis: 70 ln(s1/0.5) + 30 ln((1-s1)/0.5) where 20 Elo
	// are s1 = 0.528751. The thousandths of a pair for the other results change the third decimal.
	if got := s.LLR(rating.Pairs{30, 0, 0, 0, 70}); math.Abs(got-2.13734) > 0.002 {
		t.Errorf("LLR of 70 pairs won and 30 lost is %v, want 2.137", got)
	}
}

func TestPairsCount(t *testing.T) {
	var p rating.Pairs
	for _, games := range [][2]int8{
		{-1, -1}, {-1, 0}, {0, -1}, {0, 0}, {-1, 1}, {1, -1}, {0, 1}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
	} {
		p.Add(games[0], games[1])
	}
	if p != (rating.Pairs{1, 2, 3, 4, 5}) || p.Total() != 15 {
		t.Errorf("%d pairs: %v", p.Total(), p)
	}
}

// likeliest is the greatest log-likelihood of pairs with 0, 1 and 2 points for a mean share s, by ternary search over the
// one probability that is free: that of 0 points.
func likeliest(lost, even, won, s float64) float64 {
	logLikelihood := func(p float64) float64 {
		return lost*math.Log(p) + even*math.Log(2-2*s-2*p) + won*math.Log(2*s-1+p)
	}
	low, high := max(0, 1-2*s), 1-s
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if logLikelihood(a) < logLikelihood(b) {
			low = a
		} else {
			high = b
		}
	}
	return logLikelihood((low + high) / 2)
}

func TestLLRIsTheRatioOfTheLikeliestDistributions(t *testing.T) {
	score := func(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(5, 500)
		lost, even, won := count.Draw(t, "lost"), count.Draw(t, "even"), count.Draw(t, "won")
		s := rating.SPRT{Elo0: rapid.Float64Range(-100, 100).Draw(t, "elo0")}
		s.Elo1 = s.Elo0 + rapid.Float64Range(1, 100).Draw(t, "gap")
		l, e, w := float64(lost), float64(even), float64(won)
		want := likeliest(l, e, w, score(s.Elo1)) - likeliest(l, e, w, score(s.Elo0))
		if got := s.LLR(rating.Pairs{lost, 0, even, 0, won}); math.Abs(got-want) > 0.02+1e-3*math.Abs(want) {
			t.Fatalf("LLR is %v, want %v", got, want)
		}
	})
}

func TestLLRFromTheOtherSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p, mirrored rating.Pairs
		for i := range p {
			p[i] = rapid.IntRange(0, 1000).Draw(t, "pairs")
			mirrored[len(p)-1-i] = p[i]
		}
		got, want := fiveToTwenty.LLR(p), -rating.SPRT{Elo0: -20, Elo1: -5}.LLR(mirrored)
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("LLR of %v is %v, for the opponent %v", p, got, -want)
		}
	})
}

// errorRate is how often the test ends with the wrong verdict on independent games of a player that is elo stronger, where
// 30 % of the games between equals are drawn.
func errorRate(t *testing.T, s rating.SPRT, elo float64, wrong rating.Verdict) float64 {
	t.Helper()
	const runs = 1000
	rng := rand.New(rand.NewPCG(7, 8))
	win, draw, _ := chances(elo, 0.3)
	points := func() int {
		u := rng.Float64()
		switch {
		case u < win:
			return 2
		case u < win+draw:
			return 1
		}
		return 0
	}
	errors := 0
	for range runs {
		var p rating.Pairs
		verdict := rating.Undecided
		for verdict == rating.Undecided {
			p[points()+points()]++
			verdict = s.Verdict(p)
		}
		if verdict == wrong {
			errors++
		}
	}
	return float64(errors) / runs
}

func TestErrorsAreAsLikelyAsAsked(t *testing.T) {
	for _, s := range []rating.SPRT{
		{Elo0: 0, Elo1: 50},
		{Elo0: -30, Elo1: 30},
	} {
		// The last pair overshoots the bound, so errors are a little rarer. Three standard deviations of 1000 runs to it.
		check := func(got float64) {
			const want = rating.Risk
			reach := 3 * math.Sqrt(want*(1-want)/1000)
			if got < want/2-reach/2 || got > want+reach {
				t.Errorf("%+v: %.1f %% errors, want about %.1f %%", s, 100*got, 100*want)
			}
		}
		check(errorRate(t, s, s.Elo0, rating.AcceptH1))
		check(errorRate(t, s, s.Elo1, rating.AcceptH0))
	}
}
