package game

// Scored is a position whose result has a size, such as the discs by which a game of Othello is won.
type Scored interface {
	// Margin returns by how much the first player has won a finished game, negative if it has lost, 0 after a draw.
	Margin() float64
}

// Ending is a position that knows which moves may end the game, so that a search need not try the others. In Go, that is
// a pass after a pass.
type Ending interface {
	// Endings appends legal moves to dst in ascending order, among them all after which the game is over.
	Endings(dst []Action) []Action
}

// Rollout is a position that says which moves are worth playing in random playouts, where uniformly random ones would
// tell nothing or take too long.
type Rollout interface {
	// Rollout appends some legal moves to dst in ascending order, at least one unless the game is over.
	Rollout(dst []Action) []Action
}

// RandomMoves appends the moves among which random play draws to dst: those of Rollout, or all that are legal.
func RandomMoves[S State[S]](s S, dst []Action) []Action {
	if r, ok := any(s).(Rollout); ok {
		return r.Rollout(dst)
	}
	return s.Legal(dst)
}

// Owned is a Diagram whose cells may belong to a side without a piece on them, such as area in Go.
type Owned interface {
	Diagram

	// Owner returns the side that a cell counts for if the game is over here.
	Owner(cell int) Side
}

// Refusing is a Diagram that says why a stone may not be put on a free cell, where players cannot see it.
type Refusing interface {
	Diagram

	// Refusal returns what a stone on a free cell would do against the rules, such as "repeats an earlier position", or
	// "" if nothing.
	Refusal(cell int) string
}

// Compensated is a Game that gives the second player points for moving second.
type Compensated interface {
	// Komi returns the points.
	Komi() float64
}

// Turned is a Game whose planes show the board as the side to move sees it, so that a plane of moves means one thing
// for both sides. Moves and symmetries then count the cells of the planes, and a symmetry is the same for both sides.
// Cell and Target of a Diagram count the cells of the board.
type Turned interface {
	// Seen returns the cell of the planes that shows a cell of the board to the side to move.
	Seen(cell int, mover Side) int
}

// Alike is a position whose planes need not tell the first player from the second, because the rules are the same for
// both.
type Alike interface {
	// SidesAlike does nothing. A type implements it to declare that.
	SidesAlike()
}

// Incomplete is a position whose planes do not show all that the rules depend on, such as which positions have been on
// the board before. Positions with equal planes may then have different results and, in one pair of ten, different legal
// moves.
type Incomplete interface {
	// PlanesIncomplete does nothing. A type implements it to declare that.
	PlanesIncomplete()
}

// Captioned is a Game that says what its planes show.
type Captioned interface {
	// Captions returns what the 1s of each plane mark [Planes], such as "discs of the side to move".
	Captions() []string
}

// CaptionsOf returns what the 1s of each plane mark, nil if the game does not say it. All placement games have the same
// planes.
func CaptionsOf[S State[S]](g Game[S]) []string {
	if c, ok := g.(Captioned); ok {
		return c.Captions()
	}
	if _, placed := any(g.Start()).(Placement); placed {
		return []string{"stones of the side to move", "stones of its opponent", "the last stone",
			"all cells if the first player is to move"}
	}
	return nil
}
