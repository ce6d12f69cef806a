package game

// Side is one of the two players. Its number is the sign that converts its values to the first player's.
type Side int8

const (
	First  Side = 1  // moves first
	Second Side = -1 // moves second
	Nobody Side = 0  // holds empty cells
)

// Mover returns the side to move at a ply: First at even plies.
func Mover(ply int) Side {
	if ply%2 == 0 {
		return First
	}
	return Second
}

// Opponent returns the other side.
func (s Side) Opponent() Side { return -s }

// String returns text such as "first player".
func (s Side) String() string {
	switch s {
	case First:
		return "first player"
	case Second:
		return "second player"
	}
	return "nobody"
}

// FirstPlayerOutcome converts z, a result for toMove, to the first player's: +1, 0 or -1.
func FirstPlayerOutcome(z float32, toMove Side) int8 { return int8(z) * int8(toMove) }
