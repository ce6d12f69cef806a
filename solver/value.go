package solver

// EstimateLimit is beyond every estimate: an Estimator's results are strictly between -EstimateLimit and EstimateLimit.
const EstimateLimit = 1 << 28

// Estimator is a position that can guess its worth for the side to move without looking ahead: larger is better, 0 is even,
// within EstimateLimit. It is asked only while the game goes on.
type Estimator interface{ Estimate() int }

// Value is what a search of limited depth knows of a position, for the side to move: an estimate, or beyond
// EstimateLimit, and so above all estimates of one sign, the Score of a proven win or loss. The value 0 is a draw, proven
// or guessed.
type Value int32

// infinity is beyond all values.
const infinity Value = 2 * EstimateLimit

// valueOf is the value of a proven score.
func valueOf(s Score) Value {
	switch s.Sign() {
	case 1:
		return EstimateLimit + Value(s)
	case -1:
		return -EstimateLimit + Value(s)
	}
	return 0
}

// decided reports whether v is a proven win or loss.
func (v Value) decided() bool { return v > EstimateLimit || v < -EstimateLimit }

// Score is the score of a proven win or loss, and 0 for an estimate or a draw.
func (v Value) Score() Score {
	switch {
	case v > EstimateLimit:
		return Score(v - EstimateLimit)
	case v < -EstimateLimit:
		return Score(v + EstimateLimit)
	}
	return 0
}
