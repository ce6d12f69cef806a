package main

import (
	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
)

var board = mnk.Gomoku()

const maxNodes = 100_000

// Each position of the exam sets the side to move one of two tasks.
const (
	win    = "win"    // by a chain of fours; right moves keep the win provable
	defend = "defend" // against the chain of fours that the opponent would have after a pass
)

// cell is a part of the exam: a task, and the depth of the shortest chain (see depthOf).
type cell struct{ task, depth string }

var cells = [...]cell{{win, "short"}, {win, "medium"}, {win, "long"}, {defend, "short"}, {defend, "medium"}, {defend, "long"}}

// depthOf classifies a chain by its number of plies, which is odd and at least 3.
func depthOf(plies int) string {
	switch {
	case plies <= 5:
		return "short"
	case plies <= 9:
		return "medium"
	}
	return "long"
}

type problem struct {
	grade.Problem // solveWins sets Right if the task is to win
	task          string
	plies         int // of the shortest chain, including the stone that completes five
}

func (p *problem) cell() cell { return cell{p.task, depthOf(p.plies)} }

// survey returns the problem in s, the position after moves. It returns false if s does not suit the exam. A tenth of
// maxNodes must suffice to find a win, or the same defences as maxNodes. At least one move must defend, and at most
// half of the moves.
func survey(prover *forced.Prover[mnk.State], s mnk.State, moves []game.Action) (p problem, ok bool) {
	if isOver(s) {
		return p, false
	}
	p.Moves = moves
	switch found := prover.Examine(s, maxNodes/10).Result; {
	case found == game.Win:
		p.task, p.plies = win, prover.Shortest(s, maxNodes/10)
		return p, p.plies >= 3
	case found == game.Loss, prover.Examine(s, maxNodes).Result != game.Unknown:
		return p, false
	}
	p.task = defend
	if p.plies = prover.Shortest(pass(s), maxNodes/10); p.plies < 3 {
		return p, false
	}
	p.Right = survivors(prover, s, maxNodes)
	few := len(p.Right) >= 1 && 2*len(p.Right) <= len(s.Legal(nil))
	// With fewer nodes, the same moves survive, and perhaps others.
	return p, few && len(survivors(prover, s, maxNodes/10)) == len(p.Right)
}

// survivors returns the moves that are not proven to lose with the given number of nodes.
func survivors(prover *forced.Prover[mnk.State], s mnk.State, nodes int) (moves []game.Action) {
	found := prover.Examine(s, nodes)
	for _, a := range s.Legal(nil) {
		if found.Moves[a] != game.Loss {
			moves = append(moves, a)
		}
	}
	return moves
}

// rightWins returns the moves that win at once or are proven to win.
func rightWins(prover *forced.Prover[mnk.State], s mnk.State) (moves []game.Action) {
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		z, over := next.Outcome()
		if over && z < 0 || !over && prover.Examine(next, maxNodes).Result == game.Loss {
			moves = append(moves, a)
		}
	}
	return moves
}

func pass(s mnk.State) mnk.State {
	stones := make([]game.Side, board.Board().Cells())
	for i := range stones {
		stones[i] = s.Cell(i)
	}
	passed, err := board.FromStones(stones, s.ToMove().Opponent(), game.None)
	if err != nil {
		panic(err) // the stones are from a game that is not over
	}
	return passed
}
