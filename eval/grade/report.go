package grade

import (
	"encoding/json"
	"fmt"
	"strings"

	"tengen/eval/rating"
	"tengen/solver"
)

// Report is how players do against perfect play.
type Report struct {
	Game      string   `json:"game"`
	Positions int      `json:"positions"`
	Seed      uint64   `json:"seed"`
	Players   []Grades `json:"players"`
}

// Grades are those of one player: over all positions, by the third of the board that is filled (beginning, middle, end),
// and by how many moves the game goes on under perfect play: less than a third of the board's cells (easy), less than two
// thirds (medium), or more (hard).
type Grades struct {
	Player      string      `json:"player"`
	All         Totals      `json:"all"`
	Beginning   Totals      `json:"beginning"`
	Middle      Totals      `json:"middle"`
	End         Totals      `json:"end"`
	Easy        Totals      `json:"easy"`
	Medium      Totals      `json:"medium"`
	Hard        Totals      `json:"hard"`
	Calibration calibration `json:"calibration"`
}

// add counts one answer: a move of the score chosen where best was to be had, and a value.
func (g *Grades) add(stage, difficulty int, best, chosen solver.Score, value float64) {
	byStage := [...]*Totals{&g.Beginning, &g.Middle, &g.End}
	byDifficulty := [...]*Totals{&g.Easy, &g.Medium, &g.Hard}
	for _, t := range []*Totals{&g.All, byStage[stage], byDifficulty[difficulty]} {
		t.add(best, chosen, value)
	}
	g.Calibration.add(value, best.Sign())
}

// Accuracy sums the grades up.
func (g *Grades) Accuracy() rating.Accuracy {
	mistakes := map[string]float64{}
	for stage, t := range map[string]Totals{"beginning": g.Beginning, "middle": g.Middle, "end": g.End} {
		if t.Positions() > 0 {
			mistakes[stage] = 1 - t.Optimal.Value()
		}
	}
	return rating.Accuracy{
		Optimal:      g.All.Optimal.Value(),
		KeepsValue:   g.All.Kept.Value(),
		ScoreLost:    g.All.MeanLost(),
		SignAccuracy: g.All.Sign.Value(),
		Mistakes:     mistakes,
	}
}

// Totals sum up the answers to a number of problems.
type Totals struct {
	Optimal Share // moves of the best score: the win that is soonest, the loss that is latest
	Kept    Share // moves that keep the position's result: win, draw or loss
	Sign    Share // values that name the result: above 1/3 a win, below -1/3 a loss, else a draw

	Lost    int     // sum of best score - score of the move
	Squared float64 // sum of (value - result)², the result being -1, 0 or +1
}

// Positions is the number of problems answered.
func (t Totals) Positions() int { return t.Optimal.Of }

// MeanLost is the score lost in a move, on average: by how many of the winner's stones one wins later, or loses sooner,
// where the result is kept. It is NaN without positions.
func (t Totals) MeanLost() float64 { return float64(t.Lost) / float64(t.Positions()) }

// MeanSquaredError is the mean of (value - result)²: 0 where every value is the result, 4 where every one is the
// opposite of a win or loss, NaN without positions. A quarter of it is the Brier score of (1+value)/2 as the score to
// expect.
func (t Totals) MeanSquaredError() float64 { return t.Squared / float64(t.Positions()) }

func (t *Totals) add(best, chosen solver.Score, value float64) {
	result := best.Sign()
	t.Optimal.add(chosen == best)
	t.Kept.add(chosen.Sign() == result)
	t.Sign.add(signOf(value) == result)
	t.Lost += int(best - chosen)
	t.Squared += (value - float64(result)) * (value - float64(result))
}

// signOf is the result, -1, 0 or +1, that a value names when [-1, 1] is cut into three equal parts.
func signOf(value float64) int {
	switch {
	case value > 1./3:
		return 1
	case value < -1./3:
		return -1
	}
	return 0
}

// MarshalJSON writes means, not sums. They are null without positions.
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

// Share is a count of trials that succeeded.
type Share struct{ Count, Of int }

// Value is in [0, 1], NaN without trials.
func (s Share) Value() float64 { return float64(s.Count) / float64(s.Of) }

// Interval is the 95 % Wilson interval of Value, [0, 1] without trials.
func (s Share) Interval() (low, high float64) { return rating.Wilson(s.Value(), s.Of) }

func (s *Share) add(success bool) { *s = s.Plus(success) }

// Plus is the share with one more trial.
func (s Share) Plus(success bool) Share {
	s.Of++
	if success {
		s.Count++
	}
	return s
}

// String is the share and its interval in per cent.
func (s Share) String() string {
	low, high := s.Interval()
	return fmt.Sprintf("%.1f %% (%.1f – %.1f)", 100*s.Value(), 100*low, 100*high)
}

// MarshalJSON writes the count, and the share with its interval; the share is null without trials.
func (s Share) MarshalJSON() ([]byte, error) {
	low, high := s.Interval()
	return json.Marshal(struct {
		Count int      `json:"count"`
		Share *float64 `json:"share"`
		Low   float64  `json:"low"`
		High  float64  `json:"high"`
	}{s.Count, rating.Finite(s.Value()), low, high})
}

// calibration compares values with results, a reliability table: bin i holds the positions whose value is in
// [-1 + i/5, -1 + (i+1)/5), and +1 belongs to the last. Where values can be trusted, the two means of a bin agree.
type calibration [10]bin

// bin sums up positions of similar values.
type bin struct {
	Positions int
	Values    float64 // sum of the values
	Results   int     // sum of the true results: -1, 0 or +1
}

// meanValue is what the player says, on average, NaN without positions.
func (b bin) meanValue() float64 { return b.Values / float64(b.Positions) }

// meanResult is what is true, on average, NaN without positions.
func (b bin) meanResult() float64 { return float64(b.Results) / float64(b.Positions) }

func (c *calibration) add(value float64, result int) {
	i := int((value + 1) / 2 * float64(len(c)))
	b := &c[max(0, min(i, len(c)-1))]
	b.Positions++
	b.Values += value
	b.Results += result
}

// edge is where bin i begins.
func (c *calibration) edge(i int) float64 { return float64(2*i-len(c)) / float64(len(c)) }

// MarshalJSON writes all bins with their edges; the means of an empty bin are null.
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

// reportRows are those of a table: parts of the problems.
var reportRows = []struct {
	name   string
	totals func(g *Grades) *Totals
}{
	{"all", func(g *Grades) *Totals { return &g.All }},
	{"beginning", func(g *Grades) *Totals { return &g.Beginning }},
	{"middle", func(g *Grades) *Totals { return &g.Middle }},
	{"end", func(g *Grades) *Totals { return &g.End }},
	{"easy", func(g *Grades) *Totals { return &g.Easy }},
	{"medium", func(g *Grades) *Totals { return &g.Medium }},
	{"hard", func(g *Grades) *Totals { return &g.Hard }},
}

// Text is the report for people, the players side by side, with the 95 % intervals in brackets. Groups and bins without
// positions are left out.
func (r Report) Text() string {
	width := len("player")
	for _, p := range r.Players {
		width = max(width, len(p.Player))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s against perfect play, seed %d\n\n", r.Game, r.Seed)
	fmt.Fprintf(&b, "%-9s  %9s  %-*s  %-22s  %-22s  %6s  %-22s  %8s\n",
		"", "positions", width, "player", "best move", "result kept", "lost", "value's sign right", "sq.error")
	for _, row := range reportRows {
		for i := range r.Players {
			t := row.totals(&r.Players[i])
			if t.Positions() == 0 {
				continue
			}
			name, positions := row.name, fmt.Sprint(t.Positions())
			if i > 0 {
				name, positions = "", ""
			}
			fmt.Fprintf(&b, "%-9s  %9s  %-*s  %-22s  %-22s  %6.2f  %-22s  %8.3f\n", name, positions, width, r.Players[i].Player,
				t.Optimal, t.Kept, t.MeanLost(), t.Sign, t.MeanSquaredError())
		}
	}
	for i := range r.Players {
		r.Players[i].Calibration.write(&b, r.Players[i].Player)
	}
	return b.String()
}

// Counts is a line for each player with the counts behind its shares, which show whether all of them is all.
func (r Report) Counts() string {
	var b strings.Builder
	for _, p := range r.Players {
		fmt.Fprintf(&b, "%s keeps the result in %d of %d positions, and chooses a best move in %d\n",
			p.Player, p.All.Kept.Count, p.All.Kept.Of, p.All.Optimal.Count)
	}
	return b.String()
}

func (c *calibration) write(b *strings.Builder, player string) {
	fmt.Fprintf(b, "\n%-13s  %9s  %10s  %11s   %s\n", "value", "positions", "mean value", "mean result", player)
	for i, bin := range c {
		if bin.Positions > 0 {
			fmt.Fprintf(b, "%+.1f to %+.1f   %9d  %+10.2f  %+11.2f\n",
				c.edge(i), c.edge(i+1), bin.Positions, bin.meanValue(), bin.meanResult())
		}
	}
}
