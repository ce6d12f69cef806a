package game

// Side is one of the two players. Its number is the sign that turns a value in its view into one in the first player's.
type Side int8

const (
	First  Side = 1  // moves in the starting position
	Second Side = -1 // moves next
	Nobody Side = 0  // holds an empty cell
)

// Mover is the side that moves at a ply of a game that was played from its start: the first player at even plies.
func Mover(ply int) Side {
	if ply%2 == 0 {
		return First
	}
	return Second
}

// Opponent is the other side.
func (s Side) Opponent() Side { return -s }

// String is "first player", "second player" or "nobody".
func (s Side) String() string {
	switch s {
	case First:
		return "first player"
	case Second:
		return "second player"
	}
	return "nobody"
}

// FirstPlayerOutcome converts z, a game's result for the side to move at its end, to the first player's: +1, 0 or -1.
func FirstPlayerOutcome(z float32, toMove Side) int8 { return int8(z) * int8(toMove) }
