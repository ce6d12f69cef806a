package grade

import (
	"encoding/json"
	"fmt"
	"strings"

	"tengen/eval/rating"
	"tengen/solver"
)

// Totals sums up answers.
type Totals struct {
	Kept Share // moves that keep the position's result: win, draw or loss

	// Only for problems with scores:

	Optimal Share // moves of the best score: the fastest win or the slowest loss
	Sign    Share // values that predict the result: above 1/3 a win, below -1/3 a loss, else a draw

	Lost    int     // sum of (best score - score of the move)
	Squared float64 // sum of (value - result)², with the result -1, 0 or +1
}

// Positions returns the number of problems answered.
func (t Totals) Positions() int { return t.Kept.Of }

func (t Totals) scored() bool { return t.Optimal.Of > 0 }

// Blunders returns the share of moves that change the position's result.
func (t Totals) Blunders() Share { return Share{t.Kept.Of - t.Kept.Count, t.Kept.Of} }

// MeanLost returns the mean score lost per move. For a kept result, that is the number of the winner's stones by which
// a win comes later or a loss sooner. It is NaN without positions.
func (t Totals) MeanLost() float64 { return float64(t.Lost) / float64(t.Positions()) }

// MeanSquaredError returns the mean of (value - result)², from 0 to 4, NaN without positions. A quarter of it is the
// Brier score of (1+value)/2 as the expected score.
func (t Totals) MeanSquaredError() float64 { return t.Squared / float64(t.Positions()) }

func (t *Totals) add(best, chosen solver.Score, value float64) {
	result := best.Sign()
	t.Optimal.add(chosen == best)
	t.Kept.add(chosen.Sign() == result)
	t.Sign.add(signOf(value) == result)
	t.Lost += int(best - chosen)
	t.Squared += (value - float64(result)) * (value - float64(result))
}

// signOf returns the predicted result, -1, 0 or +1. Each result covers a third of [-1, 1].
func signOf(value float64) int {
	switch {
	case value > 1./3:
		return 1
	case value < -1./3:
		return -1
	}
	return 0
}

// MarshalJSON writes means instead of sums, null without positions.
func (t Totals) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Positions        int      `json:"positions"`
		Optimal          Share    `json:"optimal"`
		Kept             Share    `json:"kept"`
		Sign             Share    `json:"sign"`
		MeanLost         *float64 `json:"mean_lost"`
		MeanSquaredError *float64 `json:"mean_squared_error"`
	}{t.Positions(), t.Optimal, t.Kept, t.Sign, rating.Finite(t.MeanLost()), rating.Finite(t.MeanSquaredError())})
}

// Share counts successes among answers.
type Share struct{ Count, Of int }

// Value returns the share in [0, 1], NaN if Of is 0.
func (s Share) Value() float64 { return float64(s.Count) / float64(s.Of) }

// Interval returns Value with its 95 % interval.
func (s Share) Interval() rating.Proportion { return rating.Wilson(s.Value(), s.Of) }

func (s *Share) add(success bool) {
	s.Of++
	if success {
		s.Count++
	}
}

// String returns the share and its interval in percent.
func (s Share) String() string { return s.Interval().String() }

// MarshalJSON writes the count and the share with its interval. The share is null if Of is 0.
func (s Share) MarshalJSON() ([]byte, error) {
	p := s.Interval()
	return json.Marshal(struct {
		Count int      `json:"count"`
		Share *float64 `json:"share"`
		Low   float64  `json:"low"`
		High  float64  `json:"high"`
	}{s.Count, rating.Finite(p.Share), p.Low, p.High})
}

// calibration is a reliability table of values and results. Bin i holds the positions with values in [-1 + i/5, -1 +
// (i+1)/5); the last one includes +1. For calibrated values, the two means of each bin agree.
type calibration [10]bin

type bin struct {
	Positions int
	Values    float64 // sum
	Results   int     // sum of -1, 0 or +1
}

// meanValue returns the mean value, NaN without positions.
func (b bin) meanValue() float64 { return b.Values / float64(b.Positions) }

// meanResult returns the mean true result, NaN without positions.
func (b bin) meanResult() float64 { return float64(b.Results) / float64(b.Positions) }

func (c *calibration) add(value float64, result int) {
	i := int((value + 1) / 2 * float64(len(c)))
	b := &c[max(0, min(i, len(c)-1))]
	b.Positions++
	b.Values += value
	b.Results += result
}

func (c *calibration) edge(i int) float64 { return float64(2*i-len(c)) / float64(len(c)) }

// MarshalJSON writes all bins. The means of an empty bin are null.
func (c calibration) MarshalJSON() ([]byte, error) {
	type row struct {
		From       float64  `json:"from"`
		To         float64  `json:"to"`
		Positions  int      `json:"positions"`
		MeanValue  *float64 `json:"mean_value"`
		MeanResult *float64 `json:"mean_result"`
	}
	var rows []row
	for i, b := range c {
		rows = append(rows, row{c.edge(i), c.edge(i + 1), b.Positions, rating.Finite(b.meanValue()), rating.Finite(b.meanResult())})
	}
	return json.Marshal(rows)
}

func (c *calibration) write(b *strings.Builder, player string) {
	fmt.Fprintf(b, "\n%s\n%-13s  %9s  %10s  %11s\n", player, "value", "positions", "mean value", "mean result")
	for i, bin := range c {
		if bin.Positions > 0 {
			fmt.Fprintf(b, "%+.1f to %+.1f   %9d  %+10.2f  %+11.2f\n",
				c.edge(i), c.edge(i+1), bin.Positions, bin.meanValue(), bin.meanResult())
		}
	}
}
