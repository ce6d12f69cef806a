package igo

import "tengen/game"

// Legal appends the cells that may get a stone to dst, then the pass.
func (s State) Legal(dst []game.Action) []game.Action {
	if s.over() {
		return dst
	}
	moves := s.moves()
	for bit := range moves.all {
		dst = append(dst, s.game.action(bit))
	}
	return append(dst, s.game.pass())
}

// Endings appends the moves that may end the game to dst: the pass after a pass, and all moves at the last ply.
func (s State) Endings(dst []game.Action) []game.Action {
	if int(s.ply) == s.game.MaxPlies()-1 {
		return s.Legal(dst)
	}
	if s.passes == 1 && !s.over() {
		dst = append(dst, s.game.pass())
	}
	return dst
}

// Rollout appends the legal cells to dst that are no eyes of the side to move, or the pass if there is none: a side
// that fills its eyes loses what lives, and the game goes on and on. An eye is a free cell with neighbours of its side
// alone.
func (s State) Rollout(dst []game.Action) []game.Action {
	if s.over() {
		return dst
	}
	from, g, moves := len(dst), s.game, s.moves()
	others := g.board.without(&s.stones[s.ply&1])
	others = g.beside(&others, &moves)
	for bit := range others.all {
		dst = append(dst, g.action(bit))
	}
	if len(dst) == from {
		dst = append(dst, g.pass())
	}
	return dst
}

// moves returns the cells that may get a stone. The first call finds them for all copies of the State.
func (p *position) moves() set {
	known := p.legal.Load()
	if known == nil {
		legal := p.findMoves()
		known = &legal
		p.legal.Store(known)
	}
	return *known
}

// findMoves returns the cells where a stone has a liberty, or joins a chain that has another liberty, or takes a
// chain's last one. It leaves out those that repeat a board: of their cells, stones must have been taken before.
func (p *position) findMoves() set {
	g, colour, empty := p.game, p.ply&1, p.empty()
	own, other := g.atari(&p.stones[colour], &empty), g.atari(&p.stones[1-colour], &empty)
	free := p.stones[colour].without(&own)
	free = free.or(&empty)
	captures, legal := g.beside(&other, &empty), g.beside(&free, &empty)
	legal = legal.or(&captures)
	if legal.meets(&p.taken) {
		p.forbidRepeats(&legal, &captures)
	}
	return legal
}

// atari returns the stones in chains with a single liberty. A chain with a stone that has two is none of them.
func (g *Game) atari(stones, empty *set) (out set) {
	var one, two set
	for w := range g.words {
		up, down, left, right := g.around(empty, w)
		one[w] = (up | down | left | right) & stones[w]
		two[w] = (up&down | left&right | (up|down)&(left|right)) & stones[w]
	}
	safe := g.flood(two, stones, &set{})
	for rest := one.without(&safe); rest != (set{}); {
		chain := g.flood(single(rest.first()), stones, &set{})
		liberties := g.beside(&chain, empty)
		if liberties.count() == 1 {
			out = out.or(&chain)
		}
		rest = rest.without(&chain)
	}
	return out
}

// forbidRepeats removes the moves to boards that there were. A move without a capture leads to a board with the stones
// of this one and its own. Captures, few, are made to see the board.
func (p *position) forbidRepeats(legal, captures *set) {
	colour := p.ply & 1
	for bit := range captures.all {
		if !p.taken.has(bit) {
			continue
		}
		if next := p.following(); next.put(bit) && next.repeats() {
			legal.remove(bit)
		}
	}
	for q := p.before; q != nil; q = q.before {
		if q.count == p.count+1 && q.stones[1-colour] == p.stones[1-colour] {
			if more := q.stones[colour].without(&p.stones[colour]); more.count() == 1 && !captures.has(more.first()) {
				legal.remove(more.first())
			}
		}
	}
}
