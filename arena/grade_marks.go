package arena

import (
	"encoding/json"

	"tengen/solver"
)

// Report is how players do against perfect play.
type Report struct {
	Game      string   `json:"game"`
	Positions int      `json:"positions"`
	Seed      uint64   `json:"seed"`
	Players   []Grades `json:"players"`
}

// Grades are the marks of one player: over all positions, by the third of the board that is filled (beginning, middle,
// end), and by how many moves the game goes on under perfect play: less than a third of the board's cells (easy), less than
// two thirds (medium), or more (hard).
type Grades struct {
	Player      string      `json:"player"`
	All         Marks       `json:"all"`
	Beginning   Marks       `json:"beginning"`
	Middle      Marks       `json:"middle"`
	End         Marks       `json:"end"`
	Easy        Marks       `json:"easy"`
	Medium      Marks       `json:"medium"`
	Hard        Marks       `json:"hard"`
	Calibration Calibration `json:"calibration"`
}

// add marks one answer: a move of the score chosen where best was to be had, and a value.
func (g *Grades) add(stage, difficulty int, best, chosen solver.Score, value float64) {
	byStage := [...]*Marks{&g.Beginning, &g.Middle, &g.End}
	byDifficulty := [...]*Marks{&g.Easy, &g.Medium, &g.Hard}
	for _, m := range []*Marks{&g.All, byStage[stage], byDifficulty[difficulty]} {
		m.add(best, chosen, value)
	}
	g.Calibration.add(value, best.Sign())
}

// Marks sum up the answers to a number of problems.
type Marks struct {
	Optimal Share // moves of the best score: the win that is soonest, the loss that is latest
	Kept    Share // moves that keep the position's result: win, draw or loss
	Sign    Share // values that name the result: above 1/3 a win, below -1/3 a loss, else a draw

	Lost    int     // sum of best score - score of the move
	Squared float64 // sum of (value - result)², the result being -1, 0 or +1
}

// Positions is the number of problems answered.
func (m Marks) Positions() int { return m.Optimal.Of }

// MeanLost is the score lost in a move, on average: by how many of the winner's stones one wins later, or loses sooner,
// where the result is kept. It is NaN without positions.
func (m Marks) MeanLost() float64 { return float64(m.Lost) / float64(m.Positions()) }

// MeanSquaredError is that of the value, from 0 for a seer to 4, and NaN without positions. A quarter of it is the Brier
// score of (1+value)/2 as the score to expect.
func (m Marks) MeanSquaredError() float64 { return m.Squared / float64(m.Positions()) }

func (m *Marks) add(best, chosen solver.Score, value float64) {
	result := best.Sign()
	m.Optimal.add(chosen == best)
	m.Kept.add(chosen.Sign() == result)
	m.Sign.add(verdict(value) == result)
	m.Lost += int(best - chosen)
	m.Squared += (value - float64(result)) * (value - float64(result))
}

// verdict is the result, -1, 0 or +1, that a value names when [-1, 1] is cut into three equal parts.
func verdict(value float64) int {
	switch {
	case value > 1./3:
		return 1
	case value < -1./3:
		return -1
	}
	return 0
}

// MarshalJSON writes means, not sums. They are null without positions.
func (m Marks) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Positions        int      `json:"positions"`
		Optimal          Share    `json:"optimal"`
		Kept             Share    `json:"kept"`
		Sign             Share    `json:"sign"`
		MeanLost         *float64 `json:"mean_lost"`
		MeanSquaredError *float64 `json:"mean_squared_error"`
	}{m.Positions(), m.Optimal, m.Kept, m.Sign, finite(m.MeanLost()), finite(m.MeanSquaredError())})
}

// Share is a count of trials that succeeded.
type Share struct{ Count, Of int }

// Value is in [0, 1], NaN without trials.
func (s Share) Value() float64 { return float64(s.Count) / float64(s.Of) }

// Interval is the 95 % Wilson interval of Value, [0, 1] without trials.
func (s Share) Interval() (low, high float64) { return wilson(s.Value(), s.Of) }

func (s *Share) add(success bool) {
	s.Of++
	if success {
		s.Count++
	}
}

// MarshalJSON writes the count, and the share with its interval; the share is null without trials.
func (s Share) MarshalJSON() ([]byte, error) {
	low, high := s.Interval()
	return json.Marshal(struct {
		Count int      `json:"count"`
		Share *float64 `json:"share"`
		Low   float64  `json:"low"`
		High  float64  `json:"high"`
	}{s.Count, finite(s.Value()), low, high})
}
