package game

// Result is a known or proven result for one side, from worst to best.
type Result int8

const (
	Unknown Result = iota
	Loss
	Draw
	Win
)

// ResultOf returns the result for an outcome z: -1, 0 or +1.
func ResultOf(z float32) Result { return Draw + Result(z) }

// Opposite returns the result for the other side.
func (r Result) Opposite() Result {
	if r == Unknown {
		return r
	}
	return Win + Loss - r
}

// Value returns -1, 0 or +1, and 0 for Unknown.
func (r Result) Value() float64 {
	if r == Unknown {
		return 0
	}
	return float64(r - Draw)
}

// String returns "unknown", "loss", "draw" or "win".
func (r Result) String() string { return [...]string{"unknown", "loss", "draw", "win"}[r] }
