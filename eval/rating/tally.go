package rating

import (
	"encoding/json"
	"fmt"
	"math"
)

// Tally counts games from one player's point of view.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games returns the number of games.
func (t Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// Score returns the share of points won, in [0, 1], NaN without games. A draw is half a point.
func (t Tally) Score() float64 {
	return float64(2*t.Wins+t.Draws) / float64(2*t.Games())
}

// ScoreInterval returns Score with its interval. It is somewhat wide, because draws vary less than wins and losses, and
// too narrow if games repeat, as between deterministic players.
func (t Tally) ScoreInterval() Proportion { return Wilson(t.Score(), t.Games()) }

// Plus returns the sum of two tallies.
func (t Tally) Plus(other Tally) Tally {
	return Tally{Wins: t.Wins + other.Wins, Draws: t.Draws + other.Draws, Losses: t.Losses + other.Losses}
}

// Reversed returns the tally from the opponent's point of view.
func (t Tally) Reversed() Tally { return Tally{Wins: t.Losses, Draws: t.Draws, Losses: t.Wins} }

// Add counts a game with outcome -1, 0 or +1.
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

// String returns the counts, such as "2 wins, 1 draw, 0 losses".
func (t Tally) String() string {
	win, draw, loss := "wins", "draws", "losses"
	if t.Wins == 1 {
		win = "win"
	}
	if t.Draws == 1 {
		draw = "draw"
	}
	if t.Losses == 1 {
		loss = "loss"
	}
	return fmt.Sprintf("%d %s, %d %s, %d %s", t.Wins, win, t.Draws, draw, t.Losses, loss)
}

// MarshalJSON writes the counts, the number of games and the score, null without games. Unmarshaling reads only the
// counts.
func (t Tally) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Score  *float64 `json:"score"`
		Wins   int      `json:"wins"`
		Draws  int      `json:"draws"`
		Losses int      `json:"losses"`
		Games  int      `json:"games"`
	}{Finite(t.Score()), t.Wins, t.Draws, t.Losses, t.Games()})
}

// Finite returns &x, or nil (null in JSON) if x is infinite or NaN.
func Finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// z95 standard deviations on either side cover 95 % of the normal distribution.
const z95 = 1.959963984540054

// Proportion is a share in [0, 1], NaN without trials, with its 95 % Wilson interval.
type Proportion struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// String returns the share in percent, such as "93.1 % (90.5 – 95.0)".
func (p Proportion) String() string {
	return fmt.Sprintf("%.1f %% (%.1f – %.1f)", 100*p.Share, 100*p.Low, 100*p.High)
}

// Wilson returns p, the mean of n independent trials, with the 95 % score interval of Wilson (1927, "Probable
// inference, the law of succession, and statistical inference"):
//
//	(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// Unlike p ± z sqrt(p(1-p)/n) it stays within [0, 1] and is not empty at 0 and 1. It is [0, 1] for n = 0.
func Wilson(p float64, n int) Proportion {
	if n == 0 {
		return Proportion{p, 0, 1}
	}
	zz := z95 * z95 / float64(n)
	centre := p + zz/2
	reach := math.Sqrt(zz * (p*(1-p) + zz/4))
	low, high := (centre-reach)/(1+zz), (centre+reach)/(1+zz)
	if p == 1 { // rounding could give less than 1, and Elo would be finite; the other end is exact
		high = 1
	}
	return Proportion{p, low, high}
}

// Elo returns the rating difference for an expected score in [0, 1]:
//
//	-400 log10(1/score - 1)
//
// It is infinite at 0 and 1, and NaN for NaN.
func Elo(score float64) float64 {
	return 400 * math.Log10(score/(1-score)) // the formula as written would give -0 for 0.5
}

// expectedScore is the inverse of Elo.
func expectedScore(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Accuracy compares a player with perfect play. Its fields are means over positions, NaN without any.
type Accuracy struct {
	Optimal float64 `json:"optimal"` // share of moves among the best
	// Share of moves that keep a win or a draw; in lost positions any move does.
	KeepsValue   float64 `json:"keeps_value"`
	ScoreLost    float64 `json:"score_lost"`    // against the best move, in solver scores
	SignAccuracy float64 `json:"sign_accuracy"` // share of values that predict the result
	// Share of moves not among the best, by stage with positions: "beginning", "middle", "end".
	Mistakes map[string]float64 `json:"mistakes"`
	// Number of positions, by stage.
	Stages map[string]int `json:"stages"`
}
