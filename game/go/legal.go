package igo

import (
	"math/bits"

	"tengen/game"
)

// Legal appends the cells that may get a stone to dst, then the pass.
func (s State) Legal(dst []game.Action) []game.Action {
	if s.over() {
		return dst
	}
	p := s.position
	if !p.known.Load() {
		legal := p.findLegal()
		for w := range p.game.words {
			p.legal[w].Store(legal[w])
		}
		p.known.Store(true)
	}
	for w := range p.game.words {
		for rest := p.legal[w].Load(); rest != 0; rest &= rest - 1 {
			dst = append(dst, game.Action(p.game.cell(w<<6+bits.TrailingZeros64(rest))))
		}
	}
	return append(dst, p.game.pass())
}

// Endings appends the moves that may end the game to dst: the pass after a pass, and all moves at the last ply.
func (s State) Endings(dst []game.Action) []game.Action {
	switch {
	case s.over():
		return dst
	case int(s.ply) == s.game.MaxPlies()-1:
		return s.Legal(dst)
	case s.passed():
		return append(dst, s.game.pass())
	}
	return dst
}

// Rollout appends the legal cells to dst that are no eyes of the side to move, or the pass if there is none: a side that
// fills its eyes loses what lives, and the game goes on and on. An eye is a free cell with neighbours of its side alone.
func (s State) Rollout(dst []game.Action) []game.Action {
	from := len(dst)
	dst = s.Legal(dst)
	if len(dst) == from {
		return dst
	}
	g, empty := s.game, s.empty()
	var others set
	for w := range g.words {
		others[w] = g.board[w] &^ s.stones[s.ply&1][w]
	}
	open := g.beside(&others, &empty)
	kept := dst[:from]
	for _, a := range dst[from : len(dst)-1] {
		if open.has(g.bit(int(a))) {
			kept = append(kept, a)
		}
	}
	if len(kept) == from {
		kept = append(kept, g.pass())
	}
	return kept
}

// findLegal returns the cells that may get a stone. A stone beside an empty cell has a liberty. Others are tried.
func (p *position) findLegal() set {
	g, colour := p.game, int(p.ply&1)
	legal := p.empty()
	open := g.beside(&legal, &legal)
	for w := range g.words {
		for rest := legal[w] &^ open[w]; rest != 0; rest &= rest - 1 {
			if bit := w<<6 + bits.TrailingZeros64(rest); !p.survives(bit, colour) {
				legal.remove(bit)
			}
		}
	}
	if p.captured {
		p.forbidRepeats(&legal, colour)
	}
	return legal
}

// survives reports whether a stone on a cell without empty neighbours has a liberty: it joins a chain with another one,
// or it takes the last one of an opponent's chain.
func (p *position) survives(bit, colour int) bool {
	g, stone, empty := p.game, single(bit), p.empty()
	empty.remove(bit)
	for side := range p.stones {
		for next := g.beside(&stone, &p.stones[side]); next != (set{}); {
			chain := g.flood(lowest(&next), &p.stones[side])
			if free := g.beside(&chain, &empty) != (set{}); free == (side == colour) {
				return true
			}
			for w := range g.words {
				next[w] &^= chain[w]
			}
		}
	}
	return false
}

// forbidRepeats removes the moves to boards that there were. A move without a capture adds one stone to the board, so
// the difference to an earlier board names its cell. Moves that capture, few, are made to see the board.
func (p *position) forbidRepeats(legal *set, colour int) {
	g := p.game
	captures := p.captures(legal, colour)
	for w := range g.words {
		for rest := captures[w]; rest != 0; rest &= rest - 1 {
			bit := w<<6 + bits.TrailingZeros64(rest)
			if next := p.copied(); next.put(bit, colour) && next.repeats() {
				legal.remove(bit)
			}
		}
	}
	for q := p.before; q != nil; q = q.before {
		if q.count != p.count+1 {
			continue
		}
		if bit, one := g.cellOf[colour][xor(q.board, p.board)]; one && !captures.has(bit) {
			legal.remove(bit)
		}
	}
}

// captures returns the legal cells at which an opponent's chain has its last liberty.
func (p *position) captures(legal *set, colour int) (cells set) {
	g, empty := p.game, p.empty()
	theirs := p.stones[1-colour]
	near := g.beside(legal, &theirs)
	for near != (set{}) {
		chain := g.flood(lowest(&near), &theirs)
		liberties := g.beside(&chain, &empty)
		if g.count(&liberties) == 1 {
			for w := range g.words {
				cells[w] |= liberties[w] & legal[w]
			}
		}
		for w := range g.words {
			near[w] &^= chain[w]
		}
	}
	return cells
}
