package rating_test

import (
	"encoding/json"
	"math"
	"testing"

	"tengen/eval/rating"
)

// The examples of Newcombe (1998, "Two-sided confidence intervals for the single proportion: comparison of seven
// methods", table I, method 3).
func TestScoreIntervalIsWilsons(t *testing.T) {
	for _, c := range []struct {
		wins, games int
		low, high   float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0.0000, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		p := rating.Tally{Wins: c.wins, Losses: c.games - c.wins}.ScoreInterval()
		if math.Abs(p.Low-c.low) > 0.00005 || math.Abs(p.High-c.high) > 0.00005 {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", c.wins, c.games, p.Low, p.High, c.low, c.high)
		}
		// The same seen from the other side.
		other := rating.Tally{Wins: c.games - c.wins, Losses: c.wins}.ScoreInterval()
		if math.Abs(other.Low-(1-p.High)) > 1e-12 || math.Abs(other.High-(1-p.Low)) > 1e-12 {
			t.Errorf("%d of %d: the loser's interval %.4f to %.4f does not mirror %.4f to %.4f",
				c.wins, c.games, other.Low, other.High, p.Low, p.High)
		}
	}
}

func TestScoreIntervalEndsExactly(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		if p := (rating.Tally{Losses: n}).ScoreInterval(); p.Low != 0 || !(p.High < 1) {
			t.Errorf("%d losses: interval %v to %v, want it to begin at 0 and end below 1", n, p.Low, p.High)
		}
		if p := (rating.Tally{Wins: n}).ScoreInterval(); !(p.Low > 0) || p.High != 1 {
			t.Errorf("%d wins: interval %v to %v, want it to begin above 0 and end at 1", n, p.Low, p.High)
		}
	}
	if p := (rating.Tally{}).ScoreInterval(); p.Low != 0 || p.High != 1 {
		t.Errorf("no games: interval %v to %v, want 0 to 1", p.Low, p.High)
	}
}

func TestElo(t *testing.T) {
	for _, c := range []struct{ score, elo float64 }{
		{0.5, 0}, {10. / 11, 400}, {1. / 11, -400}, {100. / 101, 800}, {0.75, 190.848502},
		{1, math.Inf(1)}, {0, math.Inf(-1)},
	} {
		got := rating.Elo(c.score)
		if got != c.elo && !(math.Abs(got-c.elo) < 1e-6) {
			t.Errorf("Elo(%v) = %v, want %v", c.score, got, c.elo)
		}
	}
	if math.Signbit(rating.Elo(0.5)) {
		t.Error("an even score is worth -0 Elo")
	}
}

func TestTallyCounts(t *testing.T) {
	var tally rating.Tally
	for _, outcome := range []int8{1, 1, 1, 0, -1, -1} {
		tally.Add(outcome)
	}
	if want := (rating.Tally{Wins: 3, Draws: 1, Losses: 2}); tally != want {
		t.Errorf("got %v, want %v", tally, want)
	}
	both := tally.Plus(tally.Reversed())
	if both.Score() != 0.5 || both.Games() != 2*tally.Games() {
		t.Errorf("the games of both sides: %v", both)
	}
}

// A tally is read back from what is written, and the score is null where there is none.
func TestTallyJSON(t *testing.T) {
	for want, tally := range map[string]rating.Tally{
		`{"score":0.625,"wins":2,"draws":1,"losses":1,"games":4}`: {Wins: 2, Draws: 1, Losses: 1},
		`{"score":null,"wins":0,"draws":0,"losses":0,"games":0}`:  {},
	} {
		data, err := json.Marshal(tally)
		if err != nil || string(data) != want {
			t.Errorf("%v is written %s, %v; want %s", tally, data, err, want)
		}
		var again rating.Tally
		if err := json.Unmarshal(data, &again); err != nil || again != tally {
			t.Errorf("%s is read as %v, %v", data, again, err)
		}
	}
}

func TestTallyString(t *testing.T) {
	for want, tally := range map[string]rating.Tally{
		"1 win, 0 draws, 2 losses": {Wins: 1, Losses: 2},
		"2 wins, 1 draw, 1 loss":   {Wins: 2, Draws: 1, Losses: 1},
	} {
		if got := tally.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
