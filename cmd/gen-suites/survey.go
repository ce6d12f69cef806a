package main

import (
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
)

// board is the board of gomoku.
var board = mnk.Gomoku()

// mostNodes is the limit of a proof, in moves tried. A position of the exam is decided well below it, see survey.
const mostNodes = 100_000

// Tasks are what positions ask for: a win by a chain of fours, where a move is right if the win can still be proven after it; or
// a defence, where the opponent would win by a chain of fours if the side to move passed, and a move is right if the opponent
// then has none.
const (
	win    = "win"
	defend = "defend"
)

// cell is a part of the exam: a task, and how long the shortest chain is, see depthOf.
type cell struct{ task, depth string }

// cells are the parts in order.
var cells = [...]cell{{win, "short"}, {win, "medium"}, {win, "long"}, {defend, "short"}, {defend, "medium"}, {defend, "long"}}

// depthOf is the class of a chain of that many plies, an odd number from 3 on.
func depthOf(plies int) string {
	switch {
	case plies <= 5:
		return "short"
	case plies <= 9:
		return "medium"
	}
	return "long"
}

// problem is a position of the exam.
type problem struct {
	moves []game.Action
	task  string
	plies int           // of the shortest chain, up to the stone that completes five
	right []game.Action // in ascending order; for a win, rightWins finds them
}

func (p *problem) cell() cell { return cell{p.task, depthOf(p.plies)} }

// examiner proves what positions are. It is not safe for concurrent use.
type examiner struct{ prover *forced.Prover[mnk.State] }

func newExaminer() *examiner { return &examiner{forced.New[mnk.State]()} }

// survey says what the position s after moves asks for; ok is false if it is none for the exam. Its proofs are well within the
// limit: a tenth of mostNodes finds them as well, and the very same defences hold, at least one and at most half of the moves.
func (e *examiner) survey(s mnk.State, moves []game.Action) (p problem, ok bool) {
	if isOver(s) {
		return p, false
	}
	p.moves = moves
	switch found := e.prover.Examine(s, mostNodes/10).Result; {
	case found == game.Win:
		p.task, p.plies = win, e.prover.Shortest(s, mostNodes/10)
		return p, p.plies >= 3
	case found == game.Loss, e.prover.Examine(s, mostNodes).Result != game.Unknown:
		return p, false
	}
	p.task = defend
	if p.plies = e.prover.Shortest(pass(s), mostNodes/10); p.plies < 3 {
		return p, false
	}
	p.right = e.survivors(s, mostNodes)
	few := len(p.right) >= 1 && 2*len(p.right) <= len(s.Legal(nil))
	return p, few && len(e.survivors(s, mostNodes/10)) == len(p.right) // those with fewer nodes are no fewer
}

// survivors returns the moves after which no win of the opponent is proven within that many nodes.
func (e *examiner) survivors(s mnk.State, nodes int) (moves []game.Action) {
	found := e.prover.Examine(s, nodes)
	for _, a := range s.Legal(nil) {
		if found.Moves[a] != game.Loss {
			moves = append(moves, a)
		}
	}
	return moves
}

// rightWins returns the moves after which s is won: five in a row, or a position that is proven to be lost for the opponent.
func (e *examiner) rightWins(s mnk.State) (moves []game.Action) {
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		z, over := next.Outcome()
		if over && z < 0 || !over && e.prover.Examine(next, mostNodes).Result == game.Loss {
			moves = append(moves, a)
		}
	}
	return moves
}

// pass is the position in which the opponent is to move.
func pass(s mnk.State) mnk.State {
	stones := make([]game.Side, board.Board().Cells())
	for i := range stones {
		stones[i] = s.Cell(i)
	}
	passed, err := board.FromStones(stones, s.ToMove().Opponent(), game.None)
	if err != nil {
		panic(err) // a game that goes on has no winner
	}
	return passed
}
