// Package rating measures strength by game results. Tally counts results, Elo converts a score to a difference in
// strength, Rate fits ratings to the results of many players, and SPRT decides between two hypotheses.
//
// Results are from one player's point of view: a win is +1, a loss -1. Intervals are 95 % confidence intervals.
package rating

import (
	"fmt"
	"math"
	"slices"
)

// Pairing is the games between two players, given by index. Tally is Player's.
type Pairing struct {
	Player, Against int
	Tally           Tally
}

// Rating is a player's strength in Elo above the anchor, with the 95 % interval of the difference. The anchor has 0.
type Rating struct {
	Elo  float64 `json:"elo"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Rate returns the maximum likelihood ratings, and draws, the share of draws in [0, 1) between equal players. The model
// follows Bradley and Terry (1952), with the draws of Davidson (1970): players i and j win, draw and lose in the
// proportions
//
//	pi_i : nu sqrt(pi_i pi_j) : pi_j
//	where Elo_i - Elo_j = (1 - draws) 400 log10(pi_i / pi_j), draws = nu / (2 + nu)
//
// Without draws this is Elo's own scale. The factor (1 - draws), as in BayesElo, makes differences between players of
// similar strength agree with the function Elo.
//
// Each player receives a virtual game, spread evenly over its pairings, with a third each of wins, draws and losses. It
// keeps the ratings finite but pulls them together slightly.
//
// Intervals treat all games as independent. They are too narrow if games repeat, and ignore that strength may depend on
// the opponent.
//
// The first player is the anchor. Rate returns an error unless games connect all players.
func Rate(players int, pairings []Pairing) ([]Rating, float64, error) {
	m := &davidson{players: players, evidence: collect(players, pairings)}
	x, covariance, err := m.fit()
	if err != nil {
		return nil, 0, fmt.Errorf("ratings: %w", err)
	}
	draws := m.nu(x) / (2 + m.nu(x))
	ratings := make([]Rating, players)
	for i := 1; i < players; i++ {
		// The variance of (1 - draws) d by the delta method. The derivative of draws by eta is draws (1 - draws).
		d := x[i] - x[0]
		eta := players
		variance := covariance.At(i, i) + covariance.At(0, 0) - 2*covariance.At(i, 0)
		covarianceEta := covariance.At(i, eta) - covariance.At(0, eta)
		variance += d * draws * (d*draws*covariance.At(eta, eta) - 2*covarianceEta)
		scale := 400 / math.Ln10 * (1 - draws)
		reach := z95 * scale * math.Sqrt(max(0, variance))
		ratings[i] = Rating{Elo: scale * d, Low: scale*d - reach, High: scale*d + reach}
	}
	return ratings, draws, nil
}

// collect adds the virtual games.
func collect(players int, pairings []Pairing) []evidence {
	pairings = slices.DeleteFunc(slices.Clone(pairings), func(p Pairing) bool { return p.Tally.Games() == 0 })
	opponents := make([]float64, players)
	for _, p := range pairings {
		opponents[p.Player]++
		opponents[p.Against]++
	}
	all := make([]evidence, len(pairings))
	for k, p := range pairings {
		third := 1. / 3 * (1/opponents[p.Player] + 1/opponents[p.Against])
		all[k] = evidence{
			i: p.Player, j: p.Against,
			wins: float64(p.Tally.Wins) + third, draws: float64(p.Tally.Draws) + third, losses: float64(p.Tally.Losses) + third,
		}
	}
	return all
}
