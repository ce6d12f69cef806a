package rating

import (
	"encoding/json"
	"math"
)

// Tally counts finished games in the view of one player.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games is the number of games counted.
func (t Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// Score is the share of the points won, in [0, 1]: 1 for a win, half a point for a draw. It is NaN without games.
func (t Tally) Score() float64 {
	return (float64(t.Wins) + float64(t.Draws)/2) / float64(t.Games())
}

// ScoreInterval is the 95 % Wilson interval of Score, [0, 1] without games. It takes each game for a trial that is won
// with the probability of the score, as if half of the draws were wins and half losses. Draws vary less than that, so the
// interval is on the wide side. It is too narrow where games repeat, as they do when players that leave nothing to chance
// have run out of openings.
func (t Tally) ScoreInterval() (low, high float64) { return Wilson(t.Score(), t.Games()) }

// Plus is the tally of the games of both.
func (t Tally) Plus(other Tally) Tally {
	return Tally{Wins: t.Wins + other.Wins, Draws: t.Draws + other.Draws, Losses: t.Losses + other.Losses}
}

// Reversed is the tally in the view of the opponents.
func (t Tally) Reversed() Tally { return Tally{Wins: t.Losses, Draws: t.Draws, Losses: t.Wins} }

// Add counts a game of the given outcome: -1, 0 or +1.
func (t *Tally) Add(outcome int8) {
	switch {
	case outcome > 0:
		t.Wins++
	case outcome < 0:
		t.Losses++
	default:
		t.Draws++
	}
}

// MarshalJSON writes the counts, the games and the score, which is null without games. The counts alone are read back.
func (t Tally) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Score  *float64 `json:"score"`
		Wins   int      `json:"wins"`
		Draws  int      `json:"draws"`
		Losses int      `json:"losses"`
		Games  int      `json:"games"`
	}{Finite(t.Score()), t.Wins, t.Draws, t.Losses, t.Games()})
}

// Finite is x for JSON: nil, which is written null, where x is infinite or NaN.
func Finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// z95 standard deviations to either side hold 95 % of the normal distribution.
const z95 = 1.959963984540054

// Wilson is the score interval of Wilson (1927, "Probable inference, the law of succession, and statistical inference")
// that holds the true mean with a probability of 95 %, where n independent trials had the mean p:
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// Unlike p ± z sqrt(p(1-p)/n) it stays within [0, 1] and is not empty at 0 and 1. No trials give [0, 1].
func Wilson(p float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	zz := z95 * z95 / float64(n)
	centre := p + zz/2
	reach := math.Sqrt(zz * (p*(1-p) + zz/4))
	low, high = (centre-reach)/(1+zz), (centre+reach)/(1+zz)
	if p == 1 { // exactly, as the formula says, and Elo tells the difference; at the other end floating point is exact
		high = 1
	}
	return low, high
}

// Elo is the difference in rating that makes score, a share of the points in [0, 1], the one to expect:
//
//	-400 log10(1/score - 1)
//
// It is infinite at 0 and 1, and NaN for NaN.
func Elo(score float64) float64 {
	return 400 * math.Log10(score/(1-score)) // turned round, or an even score would give -0
}

// expectedScore is the inverse of Elo: the share of the points to expect of a player that is elo stronger.
func expectedScore(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Accuracy is how well a player's moves and values hold against perfect play: means over positions, NaN where there are none.
type Accuracy struct {
	Optimal      float64            `json:"optimal"`       // share of moves that are among the best
	KeepsValue   float64            `json:"keeps_value"`   // share after which a won position is won, a drawn one not lost; any move keeps a loss
	ScoreLost    float64            `json:"score_lost"`    // how much worse than the best, in the solver's scores
	SignAccuracy float64            `json:"sign_accuracy"` // share in which the value tells a win, a draw or a loss
	Mistakes     map[string]float64 `json:"mistakes"`      // share of moves not among the best: "beginning", "middle", "end" where they have positions
}
