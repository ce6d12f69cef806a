package gomoku

import (
	"slices"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/forced"
	"tengen/game/mnk"
)

// State is a position of the board.
type State = mnk.State

// Nodes is the limit of a proof, in moves tried. A position of the exam is decided well below it: see Survey.
const Nodes = 100_000

// Examiner proves what positions are. It is not safe for concurrent use.
type Examiner struct{ prover *forced.Prover[State] }

// NewExaminer returns an examiner.
func NewExaminer() *Examiner { return &Examiner{forced.New[State]()} }

// Survey says what the position after moves asks for; ok is false if it is none for the exam. Its proofs are well within the
// limit: a tenth of Nodes finds them as well, and the very same moves survive.
func (e *Examiner) Survey(moves []game.Action) (p Problem, ok bool) {
	base, err := position(moves)
	if err != nil {
		return p, false
	}
	p.Problem = base
	s := base.Position
	switch found := e.prover.Examine(s, Nodes/10).Result; {
	case found == forced.Win:
		p.Task, p.Plies = Win, e.prover.Shortest(s, Nodes/10)
		return p, p.Plies >= 3
	case found == forced.Loss, e.prover.Examine(s, Nodes).Result != forced.Unknown:
		return p, false
	}
	p.Task = Defend
	if p.Plies = e.prover.Shortest(pass(s), Nodes/10); p.Plies < 3 {
		return p, false
	}
	p.Right = e.Survivors(&base, Nodes)
	few := len(p.Right) >= 1 && 2*len(p.Right) <= len(p.Legal)
	return p, few && len(e.Survivors(&base, Nodes/10)) == len(p.Right) // those with fewer nodes are no fewer
}

// Survivors returns the moves after which no win of the opponent is proven within that many nodes.
func (e *Examiner) Survivors(p *grade.Problem[State], nodes int) (moves []game.Action) {
	found := e.prover.Examine(p.Position, nodes)
	for _, a := range p.Legal {
		if found.Moves[a] != forced.Loss {
			moves = append(moves, a)
		}
	}
	return moves
}

// Right reports whether the move a is right.
func (e *Examiner) Right(p *Problem, a game.Action) bool {
	if p.Task == Defend {
		return slices.Contains(p.Right, a)
	}
	s := p.Position.Play(a)
	if z, over := s.Outcome(); over {
		return z < 0
	}
	return e.prover.Examine(s, Nodes).Result == forced.Loss
}

// pass is the position in which the opponent is to move.
func pass(s State) State {
	cells := make([]game.Side, Board.Board().Cells())
	for i := range cells {
		cells[i] = s.Cell(i)
	}
	passed, err := Board.FromStones(cells, s.ToMove().Opponent(), game.None)
	if err != nil {
		panic(err) // a game that goes on has no winner
	}
	return passed
}
