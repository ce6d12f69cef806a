package arena

import "encoding/json"

// Calibration compares values with results, a reliability table: bin i holds the positions whose value is in
// [-1 + i/5, -1 + (i+1)/5), and +1 belongs to the last. Where values can be trusted, the two means of a bin agree.
type Calibration [10]Bin

// Bin sums up positions of similar values.
type Bin struct {
	Positions int
	Values    float64 // sum of the values
	Results   int     // sum of the true results: -1, 0 or +1
}

// MeanValue is what the player says, on average, NaN without positions.
func (b Bin) MeanValue() float64 { return b.Values / float64(b.Positions) }

// MeanResult is what is true, on average, NaN without positions.
func (b Bin) MeanResult() float64 { return float64(b.Results) / float64(b.Positions) }

func (c *Calibration) add(value float64, result int) {
	i := int((value + 1) / 2 * float64(len(c)))
	b := &c[max(0, min(i, len(c)-1))]
	b.Positions++
	b.Values += value
	b.Results += result
}

// edge is where bin i begins.
func (c *Calibration) edge(i int) float64 { return float64(2*i-len(c)) / float64(len(c)) }

// MarshalJSON writes all bins with their edges; the means of an empty bin are null.
func (c Calibration) MarshalJSON() ([]byte, error) {
	type row struct {
		From       float64  `json:"from"`
		To         float64  `json:"to"`
		Positions  int      `json:"positions"`
		MeanValue  *float64 `json:"mean_value"`
		MeanResult *float64 `json:"mean_result"`
	}
	var rows []row
	for i, b := range c {
		rows = append(rows, row{c.edge(i), c.edge(i + 1), b.Positions, finite(b.MeanValue()), finite(b.MeanResult())})
	}
	return json.Marshal(rows)
}
