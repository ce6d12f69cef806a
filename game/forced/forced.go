// Package forced proves wins and losses by forced moves in games whose positions implement game.Alignment, such as
// Connect Four and gomoku. Its results are exact, but most positions stay unproven.
//
// A stone threatens when one more would complete a line. Only a stone on that cell answers a threat:
//
//   - A side that can complete a line wins.
//   - A side whose opponent could complete a line must take the cell. If there are two such cells, it is lost.
//   - A chain of threats, each answered by the only reply, that ends in two threats at once wins (attack.go). In gomoku
//     this is "victory by continuous fours", or the threat sequences of Allis, van den Herik, Huntjens 1996, "Go-Moku
//     solved by new search techniques", restricted to fours.
//   - If the opponent would have such a chain after a pass, the side to move must prevent it. Few moves can, and all
//     others lose (defend.go; the pass and the relevant cells are from Thomsen 2000, "Lambda-search in game trees").
//
// Where the ends of a line matter, as in standard gomoku and Caro, a threat with two answers must still be answered,
// but cannot be part of a chain (ends.go). A stone may harm its own side there. The package does not prove that a side
// loses because it may not pass.
package forced

import (
	"slices"

	"tengen/game"
)

// Finding is what Examine proves about a position.
type Finding struct {
	Result game.Result // for the side to move
	// Plies is the number of plies until a chain of threats completes a line, 1 if a line can be completed at once, and
	// 0 if unknown or the win begins with a forced reply.
	Plies int
	// Moves holds each move's proven result for the side to move, by action, up to the last action onto a cell. In a
	// won position, the proof's first move or every move that completes a line is a Win. In a lost position, every
	// legal move is a Loss. In an unproven position, some moves may be a Loss. All other moves are Unknown. The next
	// call may overwrite the slice.
	Moves []game.Result
}

// Prover proves results of positions. Its findings depend only on the position and the node limit. It allocates only
// when the board changes. It is not safe for concurrent use.
type Prover[S game.State[S]] struct {
	state    *S
	position game.Alignment // *state, because converting a position allocates
	search   *search        // on the last position's board; nil at first
	wanted   [2]cells       // scratch
	moves    []game.Result  // Finding.Moves
}

// New returns a Prover, or nil if S does not implement game.Alignment.
func New[S game.State[S]]() *Prover[S] {
	state := new(S)
	position, ok := any(state).(game.Alignment)
	if !ok {
		return nil
	}
	return &Prover[S]{state: state, position: position}
}

// Examine looks for proofs in s: first that the side to move wins, then which of its moves lose. Each of the two
// searches may try nodes moves, at least 0; a threat and its reply count as one. It takes no try to see a move that
// completes a line or a double threat by the opponent.
func (p *Prover[S]) Examine(s S, nodes int) Finding {
	me, over := p.enter(s)
	if over {
		return Finding{Result: game.Unknown, Moves: p.moves}
	}
	p.search.failed.begin(nodes)
	found := Finding{Result: p.examine(me, nodes), Moves: p.moves}
	if cell, _ := p.search.board.completions(me); found.Result == game.Win && (cell != none || len(p.search.path) > 1) {
		found.Plies = len(p.search.path)
	}
	return found
}

// enter loads a position. me is the side to move.
func (p *Prover[S]) enter(s S) (me int, over bool) {
	*p.state = s
	set := p.position.Lines()
	if p.search == nil || p.search.board.set != set {
		p.setBoard(set)
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

func (p *Prover[S]) setBoard(set *game.LineSet) {
	p.search = newSearch(newBoard(set))
	p.moves = make([]game.Result, slices.Max(set.Actions)+1)
	p.wanted = [2]cells{newCells(len(set.Actions)), newCells(len(set.Actions))}
}

// examine implements Examine. It leaves winning moves on the search's path.
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

// mark sets the result of moves onto the cells of a set's word w.
func (p *Prover[S]) mark(w int, set uint64, result game.Result) {
	for ; set != 0; set &= set - 1 {
		p.moves[p.search.board.set.Actions[cellAt(w, set)]] = result
	}
}

// Prove returns what Examine proves about s, and a line of play that shows it, or none. The winner follows the proof;
// the loser avoids losing at once if it can. The line leads to the end of the game, or as far as nodes suffice.
func (p *Prover[S]) Prove(s S, nodes int) (game.Result, []game.Action) {
	me, over := p.enter(s)
	if over {
		return game.Unknown, nil
	}
	p.search.failed.begin(nodes)
	first := p.examine(me, nodes)
	var line []game.Action
	for result := first; result != game.Unknown; {
		cells := p.search.path
		if result == game.Loss {
			cells = []int16{p.search.resistance(me)}
		}
		for _, cell := range cells {
			a := p.search.board.set.Actions[cell]
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
