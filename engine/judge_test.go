package engine

import (
	"math"
	"testing"

	"tengen/arena/rating"
)

// A model is rated by the matches that lead to the opponent of today, whoever was the opponent before.
func TestRatingAfterAnotherOpponent(t *testing.T) {
	even := rating.Tally{Wins: 3, Draws: 4, Losses: 3}
	for name, bridge := range map[string]bool{"no model met both": false, "a model met both": true} {
		p := playedMatches{names: []string{"uct:2000"}}
		p.add("model 1", map[string]rating.Tally{"uct:1000": even})
		p.add("model 2", map[string]rating.Tally{"uct:1000": even, "model 1": even})
		matches := map[string]rating.Tally{"uct:2000": even}
		if bridge {
			matches["model 2"] = even
		}
		p.add("model 3", matches)
		if r, err := p.rating("model 3"); err != nil || math.Abs(r.Elo) > 1e-6 {
			t.Errorf("%s: %+v, %v; all games are even", name, r, err)
		}
	}
}
