// Package forced proves wins and losses by forced moves in games that are won by lines: Connect Four, gomoku,
// tic-tac-toe, any game whose positions are a game.Alignment. It knows the rules alone. What it says is exact; most
// positions it says nothing of.
//
// A stone threatens when one more would complete a line. Only a stone on that cell answers a threat, so whoever
// threatens move by move leaves one reply each time, and has won when a stone threatens on two cells at once:
//
//   - a side that can complete a line wins with that stone;
//   - a side whose opponent could complete one must take the cell; if there are two such cells, it is lost;
//   - a chain of threats, each answered by the only reply, that ends in two threats at once wins (attack.go; in gomoku
//     "victory by continuous fours", and the threat sequences of Allis, van den Herik, Huntjens 1996, "Go-Moku solved by
//     new search techniques", as far as they are made of fours);
//   - a side whose opponent would have such a chain if it were to move has to prevent it: few moves can, and all others lose
//     (defend.go; the null move and the relevance of cells of Thomsen 2000, "Lambda-search in game trees").
//
// Where the ends of a line matter, as in standard gomoku and Caro, a threat may have two answers: then it is one to be
// defended against, but no part of a chain (ends.go). A stone may harm its own side there; who is lost only for want of
// a pass is not proven lost.
//
// Connect Four has no rules of its own here: a stone that lands on a cell makes the one above it playable, for both
// sides.
package forced

import "tengen/game"

// Finding is what is proven of a position.
type Finding struct {
	Result game.Result // of the position, for the side to move
	// Plies is the number of plies until a win by a chain of threats completes a line, 1 if that can be done at once.
	// It is 0 where nothing is known of it: the win begins with the one move that there is, or the position is no win.
	Plies int
	// Moves is what is proven of each move, by action up to the last that lands on a cell, for the side that makes it.
	// In a won position at least one move is a Win, all that complete a line if there are any; in a lost one all legal
	// moves are a Loss. Others may be lost too. It is Unknown for an illegal move, and everywhere once the game is
	// over. It may be overwritten by the next call.
	Moves []game.Result
}

// Prover proves results of one kind of positions. What it finds depends on the position and the limit of nodes alone,
// not on what it was asked before. It allocates nothing once it has seen a board. It is not safe for concurrent use.
type Prover[S game.State[S]] struct {
	state    *S
	position game.Alignment // *state: to make an interface of a position itself would allocate
	search   *search        // on the board of the last position; nil before the first
	wanted   [2]cells       // scratch: the stones of a position
	moves    []game.Result  // Finding.Moves
}

// New returns a prover, nil if positions of type S are no game.Alignment.
func New[S game.State[S]]() *Prover[S] {
	state := new(S)
	position, ok := any(state).(game.Alignment)
	if !ok {
		return nil
	}
	return &Prover[S]{state: state, position: position}
}

// Examine looks for proofs in s: first that the side to move wins, then which of its moves lose. Each of the two may
// try nodes moves, at least 0, answered or not; completing a line and facing two threats need none.
func (p *Prover[S]) Examine(s S, nodes int) Finding {
	me, over := p.enter(s)
	if over {
		return Finding{Result: game.Unknown, Moves: p.moves}
	}
	p.search.begin(nodes)
	found := Finding{Result: p.examine(me, nodes), Moves: p.moves}
	if cell, _ := p.search.board.completions(me); found.Result == game.Win && (cell != none || len(p.search.path) > 1) {
		found.Plies = len(p.search.path)
	}
	return found
}

// enter takes up a position. me is the side to move.
func (p *Prover[S]) enter(s S) (me int, over bool) {
	*p.state = s
	set := p.position.Lines()
	if p.search == nil || p.search.board.set != set {
		p.settle(set)
	}
	clear(p.moves)
	if _, over := s.Outcome(); over {
		return 0, true
	}
	p.position.Stones(p.wanted[0], p.wanted[1])
	p.search.board.become(p.wanted)
	if s.ToMove() == game.Second {
		me = 1
	}
	return me, false
}

// settle prepares for a board.
func (p *Prover[S]) settle(set *game.LineSet) {
	p.search = newSearch(newBoard(set))
	actions := game.Action(0)
	for _, a := range set.Actions {
		actions = max(actions, a+1)
	}
	p.moves = make([]game.Result, actions)
	for side := range p.wanted {
		p.wanted[side] = newCells(len(set.Actions))
	}
}

// examine is Examine on a board that has been taken up. It leaves a winning chain, if that is what wins, on the
// search's path.
func (p *Prover[S]) examine(me, nodes int) game.Result {
	b := p.search.board
	p.search.path = p.search.path[:0]
	if cell, _ := b.completions(me); cell != none {
		for w, set := range b.completing[me].cells {
			p.mark(w, set&b.playable[w], game.Win)
		}
		p.search.path = append(p.search.path, cell)
		return game.Win
	}
	p.search.left = nodes
	if p.search.wins(me) {
		p.moves[b.set.Actions[p.search.path[0]]] = game.Win
		return game.Win
	}
	p.search.left = nodes
	kept, limited := p.search.survivors(me)
	if !limited {
		return game.Unknown
	}
	for w, set := range b.playable {
		p.mark(w, set, game.Loss)
	}
	for _, cell := range kept {
		p.moves[b.set.Actions[cell]] = game.Unknown
	}
	if len(kept) > 0 {
		return game.Unknown
	}
	return game.Loss
}

// mark gives a result to the moves that land on the cells of word w of a set.
func (p *Prover[S]) mark(w int, set uint64, result game.Result) {
	for ; set != 0; set &= set - 1 {
		p.moves[p.search.board.set.Actions[cellAt(w, set)]] = result
	}
}

// Prove returns what Examine proves of s, and a line of play that shows it: the winner follows the proof, the loser
// plays a move that does not lose at once where there is one. The line leads to the end of the game, or as far as nodes
// are enough to follow the proof; it is empty where nothing is proven. It allocates the line.
func (p *Prover[S]) Prove(s S, nodes int) (game.Result, []game.Action) {
	me, over := p.enter(s)
	if over {
		return game.Unknown, nil
	}
	p.search.begin(nodes)
	first := p.examine(me, nodes)
	var line []game.Action
	for result := first; result != game.Unknown; {
		moves := p.next(result, me)
		for _, a := range moves {
			line = append(line, a)
			s = s.Play(a)
		}
		if me, over = p.enter(s); over {
			break
		}
		result = p.examine(me, nodes)
	}
	return first, line
}

// next returns moves from a position just examined: the winner's whole chain where there is one, else one move.
func (p *Prover[S]) next(result game.Result, me int) (moves []game.Action) {
	actions := p.search.board.set.Actions
	if result == game.Win {
		for _, cell := range p.search.path {
			moves = append(moves, actions[cell])
		}
		return moves
	}
	return append(moves, actions[p.search.resistance(me)])
}
