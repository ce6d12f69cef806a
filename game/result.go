package game

// Result is a known or proven result for one side. The constants ascend from worst to best, with Unknown below them
// all.
type Result int8

const (
	Unknown Result = iota
	Loss
	Draw
	Win
)

// ResultOf returns the result of a finished game with outcome z.
func ResultOf(z float32) Result {
	switch {
	case z < 0:
		return Loss
	case z > 0:
		return Win
	}
	return Draw
}

// Opposite returns the result for the other side.
func (r Result) Opposite() Result {
	switch r {
	case Loss:
		return Win
	case Win:
		return Loss
	}
	return r
}

// Value returns -1, 0 or +1, and 0 for Unknown.
func (r Result) Value() float64 {
	switch r {
	case Loss:
		return -1
	case Win:
		return 1
	}
	return 0
}

// String returns "unknown", "loss", "draw" or "win".
func (r Result) String() string { return [...]string{"unknown", "loss", "draw", "win"}[r] }
