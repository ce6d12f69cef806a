package rating_test

import (
	"math"
	"testing"

	"tengen/eval/rating"
)

// A rating uses only matches that lead to the present opponent.
func TestRatingAfterAnotherOpponent(t *testing.T) {
	even := rating.Tally{Wins: 3, Draws: 4, Losses: 3}
	for name, bridge := range map[string]bool{"no model met both": false, "a model met both": true} {
		p := rating.NewMatches("uct:2000")
		p.Add("model 1", map[string]rating.Tally{"uct:1000": even})
		p.Add("model 2", map[string]rating.Tally{"uct:1000": even, "model 1": even})
		matches := map[string]rating.Tally{"uct:2000": even, "model 3": even} // the last is of damaged metrics
		if bridge {
			matches["model 2"] = even
		}
		p.Add("model 3", matches)
		if r, err := p.Rate("model 3"); err != nil || math.Abs(r.Elo) > 1e-6 {
			t.Errorf("%s: %+v, %v; all games are even", name, r, err)
		}
	}
}
