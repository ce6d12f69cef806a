package forced_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/forced"
	"tengen/game/gametest"
	"tengen/game/mnk"
)

// diagram is a position as a person would draw it, from which the proofs follow by looking at the whole board again for each
// question. It has no use for lines, counts or limits.
type diagram struct {
	size    game.Size
	k       int
	gravity bool
	stones  [2][][]bool
}

// diagramOf copies the stones of a position.
func diagramOf[S game.State[S]](g game.Game[S], k int, gravity bool, s S) *diagram {
	d := &diagram{g.Board(), k, gravity, [2][][]bool{gametest.NewBoard(g.Board()), gametest.NewBoard(g.Board())}}
	for cell := range d.size.Cells() {
		switch any(s).(game.Placement).Cell(cell) {
		case game.First:
			d.stones[0][cell/d.size.Columns][cell%d.size.Columns] = true
		case game.Second:
			d.stones[1][cell/d.size.Columns][cell%d.size.Columns] = true
		}
	}
	return d
}

func (d *diagram) at(side, cell int) *bool {
	return &d.stones[side][cell/d.size.Columns][cell%d.size.Columns]
}

// playable are the cells on which a stone can land.
func (d *diagram) playable() (cells []int) {
	for cell := range d.size.Cells() {
		below := cell + d.size.Columns
		if *d.at(0, cell) || *d.at(1, cell) || d.gravity && below < d.size.Cells() && !*d.at(0, below) && !*d.at(1, below) {
			continue
		}
		cells = append(cells, cell)
	}
	return cells
}

// completing are those with which a side completes a line.
func (d *diagram) completing(side int) (cells []int) {
	for _, cell := range d.playable() {
		d.with(side, cell, func() bool {
			if gametest.InARow(d.stones[side], d.k) {
				cells = append(cells, cell)
			}
			return true
		})
	}
	return cells
}

// with puts a stone, asks, and takes it back.
func (d *diagram) with(side, cell int, ask func() bool) bool {
	*d.at(side, cell) = true
	defer func() { *d.at(side, cell) = false }()
	return ask()
}

// attack reports whether side a, to move, wins by a chain of threats.
func (d *diagram) attack(a int) bool {
	if len(d.completing(a)) > 0 {
		return true
	}
	moves := d.playable()
	if must := d.completing(1 - a); len(must) > 1 {
		return false
	} else if len(must) == 1 {
		moves = must
	}
	for _, move := range moves {
		won := d.with(a, move, func() bool {
			replies := d.completing(a)
			if len(d.completing(1-a)) > 0 || len(replies) == 0 {
				return false
			}
			return len(replies) > 1 || d.with(1-a, replies[0], func() bool { return d.attack(a) })
		})
		if won {
			return true
		}
	}
	return false
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
	moves := d.playable()
	if must := d.completing(1 - a); len(must) > 1 {
		return false
	} else if len(must) == 1 {
		moves = must
	}
	for _, move := range moves {
		won := d.with(a, move, func() bool {
			replies := d.completing(a)
			if len(d.completing(1-a)) > 0 || len(replies) == 0 {
				return false
			}
			return len(replies) > 1 || d.with(1-a, replies[0], func() bool { return d.attackWithin(a, plies-2) })
		})
		if won {
			return true
		}
	}
	return false
}

// wins adds the wins that the one move which a must make leads to.
func (d *diagram) wins(a int) bool {
	if d.attack(a) {
		return true
	}
	must := d.completing(1 - a)
	return len(must) == 1 && d.with(a, must[0], func() bool { return d.lost(1 - a) })
}

// lost reports whether every move of a side, to move, loses.
func (d *diagram) lost(side int) bool {
	if len(d.playable()) == 0 || len(d.completing(side)) > 0 {
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
	if must := d.completing(1 - side); len(must) > 1 || len(must) == 1 && must[0] != cell {
		return true
	}
	return d.with(side, cell, func() bool { return d.wins(1 - side) })
}

// beats reports whether a move wins: it completes a line, or it begins or ends a chain of threats, or its opponent is lost.
func (d *diagram) beats(side, cell int) bool {
	return d.with(side, cell, func() bool {
		if gametest.InARow(d.stones[side], d.k) {
			return true
		}
		if len(d.completing(1-side)) > 0 {
			return false
		}
		replies := d.completing(side)
		return len(replies) > 1 || d.lost(1-side) ||
			len(replies) == 1 && d.with(1-side, replies[0], func() bool { return d.attack(side) })
	})
}

// result is the proof that plain rules give.
func (d *diagram) result(side int) forced.Result {
	switch {
	case d.wins(side):
		return forced.Win
	case d.lost(side):
		return forced.Loss
	}
	return forced.Unknown
}

func newConnect4(t testing.TB, numbers string) *connect4.Game {
	t.Helper()
	g, err := connect4.Parse(numbers)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func newMNK(t testing.TB, numbers string) *mnk.Game {
	t.Helper()
	g, err := mnk.Parse(numbers)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

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
