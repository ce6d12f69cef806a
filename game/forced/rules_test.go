package forced_test

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

// diagram is a position as a person would draw it, from which the proofs follow by looking at the whole board again for each
// question. It has no use for lines, counts or limits.
type diagram struct {
	size     game.Size
	k        int
	rule     mnk.Rule
	gravity  bool
	position position
	known    map[question][]int // what completing has found, since the same positions come up again and again
}

// position is the set of the cells that each side holds, of 64 at most.
type position [2]uint64

// question is what completing is asked.
type question struct {
	position position
	side     int
}

// diagramOf copies the stones of a position.
func diagramOf[S game.State[S]](g game.Game[S], s S) *diagram {
	d := &diagram{
		size:  g.Board(),
		known: map[question][]int{},
	}
	switch g := any(g).(type) {
	case *mnk.Game:
		d.k, d.rule = g.K(), g.Rule()
	case *connect4.Game:
		d.k, d.gravity = g.K(), true
	}
	for cell := range d.size.Cells() {
		switch any(s).(game.Placement).Cell(cell) {
		case game.First:
			d.flip(0, cell)
		case game.Second:
			d.flip(1, cell)
		}
	}
	return d
}

func (d *diagram) at(side, cell int) bool {
	return d.position[side]>>cell&1 != 0
}

// flip puts a stone or takes it back.
func (d *diagram) flip(side, cell int) {
	d.position[side] ^= 1 << cell
}

// playable are the cells on which a stone can land.
func (d *diagram) playable() (cells []int) {
	for cell := range d.size.Cells() {
		below := cell + d.size.Columns
		if d.at(0, cell) || d.at(1, cell) || d.gravity && below < d.size.Cells() && !d.at(0, below) && !d.at(1, below) {
			continue
		}
		cells = append(cells, cell)
	}
	return cells
}

// won reports whether a side holds a row, as long as it can be made, that wins.
func (d *diagram) won(side int) bool {
	for cell := range d.size.Cells() {
		for _, step := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
			holds := func(side, n int) bool { // the cell n steps on
				row, column := cell/d.size.Columns+n*step[0], cell%d.size.Columns+n*step[1]
				inside := row >= 0 && row < d.size.Rows && column >= 0 && column < d.size.Columns
				return inside && d.at(side, row*d.size.Columns+column)
			}
			if holds(side, -1) {
				continue // not the first stone
			}
			length := 0
			for holds(side, length) {
				length++
			}
			blocked := holds(1-side, -1) && holds(1-side, length)
			if length == d.k && !(d.rule&mnk.Caro != 0 && blocked) || length > d.k && d.rule&mnk.Exact == 0 {
				return true
			}
		}
	}
	return false
}

// completing are those with which a side completes a line.
func (d *diagram) completing(side int) (cells []int) {
	asked := question{d.position, side}
	cells, ok := d.known[asked]
	if !ok {
		cells = d.playableWith(side, func() bool { return d.won(side) })
		d.known[asked] = cells
	}
	return cells
}

// playableWith are those on which a stone of a side makes something true.
func (d *diagram) playableWith(side int, holds func() bool) (cells []int) {
	for _, cell := range d.playable() {
		if d.with(side, cell, holds) {
			cells = append(cells, cell)
		}
	}
	return cells
}

// answers are those on which a stone of a side keeps its opponent from completing a line; all, if it cannot now.
func (d *diagram) answers(side int) []int {
	if len(d.completing(1-side)) == 0 {
		return d.playable()
	}
	return d.playableWith(side, func() bool { return len(d.completing(1-side)) == 0 })
}

// with puts a stone, asks, and takes it back.
func (d *diagram) with(side, cell int, ask func() bool) bool {
	d.flip(side, cell)
	defer d.flip(side, cell)
	return ask()
}

// attack reports whether side a, to move, wins by a chain of threats.
func (d *diagram) attack(a int) bool { return d.attackWithin(a, d.size.Cells()+1) }

// threat reports whether side a, which has just moved, completes a line next whatever its opponent does, or leaves it one answer,
// after which goesOn.
func (d *diagram) threat(a int, goesOn func() bool) bool {
	if len(d.completing(a)) == 0 || len(d.completing(1-a)) > 0 {
		return false
	}
	answers := d.answers(1 - a)
	return len(answers) == 0 || len(answers) == 1 && d.with(1-a, answers[0], goesOn)
}

// shortest is the length of the shortest chain of threats with which a side wins, 0 if there is none.
func (d *diagram) shortest(a int) int {
	for plies := 1; plies <= d.size.Cells()+1; plies += 2 {
		if d.attackWithin(a, plies) {
			return plies
		}
	}
	return 0
}

// attackWithin is attack by a chain of at most so many plies.
func (d *diagram) attackWithin(a, plies int) bool {
	if len(d.completing(a)) > 0 {
		return plies >= 1
	}
	if plies < 3 {
		return false
	}
	for _, move := range d.answers(a) {
		won := d.with(a, move, func() bool { return d.threat(a, func() bool { return d.attackWithin(a, plies-2) }) })
		if won {
			return true
		}
	}
	return false
}

// wins adds the wins that a move which a must make leads to.
func (d *diagram) wins(a int) bool {
	if d.attack(a) {
		return true
	}
	if len(d.completing(1-a)) == 0 {
		return false
	}
	return slices.ContainsFunc(d.answers(a), func(cell int) bool { return d.with(a, cell, func() bool { return d.lost(1 - a) }) })
}

// lost reports whether every move of a side, to move, loses. Where no cell lies on another, a pass has to lose as well: a side that is
// lost only because it has to move is none of the prover's cases.
func (d *diagram) lost(side int) bool {
	if len(d.playable()) == 0 || len(d.completing(side)) > 0 {
		return false
	}
	if !d.gravity && !d.attack(1-side) {
		return false
	}
	for _, cell := range d.playable() {
		if !d.loses(side, cell) {
			return false
		}
	}
	return true
}

// loses reports whether a move, which completes no line, loses.
func (d *diagram) loses(side, cell int) bool {
	return d.with(side, cell, func() bool { return d.wins(1 - side) })
}

// beats reports whether a move wins: it completes a line, or it begins or ends a chain of threats, or its opponent is lost.
func (d *diagram) beats(side, cell int) bool {
	return d.with(side, cell, func() bool {
		if d.won(side) {
			return true
		}
		if len(d.completing(1-side)) > 0 {
			return false
		}
		return d.lost(1-side) || d.threat(side, func() bool { return d.attack(side) })
	})
}

// result is the proof that plain rules give.
func (d *diagram) result(side int) game.Result {
	switch {
	case d.wins(side):
		return game.Win
	case d.lost(side):
		return game.Loss
	}
	return game.Unknown
}

var (
	newConnect4 = gametest.Parser(connect4.Parse)
	newMNK      = gametest.Parser(mnk.Parse)
)

// carefulPosition plays up to that many random moves, short of the end of the game. Most of them do not let the opponent
// complete a line at once, so that there is more to prove than that.
func carefulPosition[S game.State[S]](g game.Game[S], plies int, rng *rand.Rand) (S, []game.Action) {
	s := g.Start()
	var moves []game.Action
	for range plies {
		legal := s.Legal(nil)
		a := legal[rng.IntN(len(legal))]
		for try := 0; try < 6 && canComplete(s.Play(a)); try++ {
			a = legal[rng.IntN(len(legal))]
		}
		next := s.Play(a)
		if _, over := next.Outcome(); over {
			break
		}
		s = next
		moves = append(moves, a)
	}
	return s, moves
}

// canComplete reports whether the side to move can win at once.
func canComplete[S game.State[S]](s S) bool {
	return slices.ContainsFunc(s.Legal(nil), func(a game.Action) bool { return completes(s, a) })
}

// completes reports whether a move wins at once.
func completes[S game.State[S]](s S, a game.Action) bool {
	z, over := s.Play(a).Outcome()
	return over && z < 0
}

// sideOf is 0 when the first player is to move, 1 when the second is.
func sideOf[S game.State[S]](s S) int {
	if s.ToMove() == game.First {
		return 0
	}
	return 1
}
