package main

import (
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
)

// board is gomoku's board.
var board = mnk.Gomoku()

// mostNodes limits a proof, in moves tried. Positions of the exam need far fewer, see survey.
const mostNodes = 100_000

// A position's task is to win by a chain of fours, where a move is right if the win can still be proven after it; or to
// defend, where the opponent would win by a chain of fours after a pass, and a move is right if that chain is gone.
const (
	win    = "win"
	defend = "defend"
)

// cell is a part of the exam: a task, and the length of the shortest chain, see depthOf.
type cell struct{ task, depth string }

// cells are the parts in order.
var cells = [...]cell{{win, "short"}, {win, "medium"}, {win, "long"}, {defend, "short"}, {defend, "medium"}, {defend, "long"}}

// depthOf classifies a chain of plies, an odd number from 3 on.
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

// examiner classifies positions. It is not safe for concurrent use.
type examiner struct{ prover *forced.Prover[mnk.State] }

func newExaminer() *examiner { return &examiner{forced.New[mnk.State]()} }

// survey returns the problem of the position s after moves; ok is false if it does not suit the exam. Its proofs are
// well within the limit: a tenth of mostNodes finds them and the same defences, which are at least one and at most half
// of the moves.
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
	return p, few && len(e.survivors(s, mostNodes/10)) == len(p.right) // fewer nodes leave no fewer survivors
}

// survivors returns the moves after which nodes prove no win of the opponent.
func (e *examiner) survivors(s mnk.State, nodes int) (moves []game.Action) {
	found := e.prover.Examine(s, nodes)
	for _, a := range s.Legal(nil) {
		if found.Moves[a] != game.Loss {
			moves = append(moves, a)
		}
	}
	return moves
}

// rightWins returns the moves that win s: five in a row, or a position proven lost for the opponent.
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

// pass returns the position with the opponent to move.
func pass(s mnk.State) mnk.State {
	stones := make([]game.Side, board.Board().Cells())
	for i := range stones {
		stones[i] = s.Cell(i)
	}
	passed, err := board.FromStones(stones, s.ToMove().Opponent(), game.None)
	if err != nil {
		panic(err) // the game has no winner yet
	}
	return passed
}
