package igo

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"sync/atomic"

	"tengen/game"
)

// State is a position with its history, from Game.Start. The zero State is invalid. Key tells positions apart; == does
// not, because the same moves made twice give two States.
type State struct{ *position }

// position is a State and, through before, all positions that led to it.
type position struct {
	game     *Game
	before   *position // nil at the start
	stones   [2]set    // by colour: the first player's, the second's
	board    game.Key  // of the stones: the sum (exclusive or) of their keys
	history  game.Key  // of the boards that there were, in whatever order
	count    int16     // of stones
	ply      int16
	last     game.Action
	captured bool // a stone has been taken in this game

	// The legal moves onto cells. The first Legal finds them for all copies of the State.
	known atomic.Bool
	legal [6]atomic.Uint64
}

// Outcome compares the areas, once both sides have passed or the game has come to its longest.
func (s State) Outcome() (z float32, over bool) {
	if !s.over() {
		return 0, false
	}
	return float32(s.ToMove()) * float32(cmp.Compare(s.margin2(), 0)), true
}

func (p *position) over() bool {
	return p.passed() && p.before.passed() || int(p.ply) == p.game.MaxPlies()
}

// passed reports whether the last move was a pass.
func (p *position) passed() bool { return p.last == p.game.pass() }

// Play returns the position after a stone on cell a, or after a pass. It panics if the cell is taken, if the stone would
// have no liberty, if the board would be as it was before, or if the game is over.
func (s State) Play(a game.Action) State {
	p := s.position
	if p.over() || a < 0 || a > p.game.pass() {
		panic(p.refusal(a))
	}
	next := &position{
		game: p.game, before: p, stones: p.stones, board: p.board, history: p.history, count: p.count, ply: p.ply + 1, last: a, captured: p.captured,
	}
	if a == p.game.pass() {
		return State{next}
	}
	bit := p.game.bit(int(a))
	if p.known.Load() && p.legal[bit>>6].Load()>>(bit&63)&1 == 0 {
		panic(p.refusal(a))
	}
	if p.stones[0].has(bit) || p.stones[1].has(bit) || !next.put(bit, int(p.ply&1)) || !p.known.Load() && next.repeats() {
		panic(p.refusal(a))
	}
	next.history[0] += mix(next.board)
	next.history[1] += mix(game.Key{next.board[1], next.board[0]})
	return State{next}
}

// mix makes sums of boards tell their sets apart.
func mix(k game.Key) uint64 { return k.Absorb(1)[0] }

// put adds a stone and takes the opponent's stones that it leaves without a liberty. It reports whether the stone has
// one then; otherwise the position is spoilt.
func (p *position) put(bit, colour int) bool {
	g := p.game
	p.stones[colour].add(bit)
	p.board = xor(p.board, g.stones[colour][bit])
	p.count++
	stone := single(bit)
	theirs := &p.stones[1-colour]
	taken := false
	for next := g.beside(&stone, theirs); next != (set{}); {
		seed := lowest(&next)
		chain := g.flood(seed, theirs)
		if !p.free(&chain) {
			p.take(&chain, 1-colour)
			taken = true
		}
		for w := range g.words {
			next[w] &^= chain[w]
		}
	}
	if taken || p.free(&stone) {
		return true
	}
	chain := g.flood(stone, &p.stones[colour])
	return p.free(&chain)
}

// free reports whether stones have a liberty.
func (p *position) free(stones *set) bool {
	empty := p.empty()
	return p.game.beside(stones, &empty) != set{}
}

func (p *position) empty() (s set) {
	for w := range p.game.words {
		s[w] = p.game.board[w] &^ (p.stones[0][w] | p.stones[1][w])
	}
	return s
}

func (p *position) take(chain *set, colour int) {
	p.captured = true
	for w := range p.game.words {
		p.stones[colour][w] &^= chain[w]
		for rest := chain[w]; rest != 0; rest &= rest - 1 {
			p.board = xor(p.board, p.game.stones[colour][w<<6+bits.TrailingZeros64(rest)])
			p.count--
		}
	}
}

// repeats reports whether the board was there before. Before the first capture there were fewer stones.
func (p *position) repeats() bool {
	if p.captured {
		for q := p.before; q != nil; q = q.before {
			if q.board == p.board {
				return true
			}
		}
	}
	return false
}

func xor(a, b game.Key) game.Key { return game.Key{a[0] ^ b[0], a[1] ^ b[1]} }

func lowest(s *set) set {
	for w, v := range s {
		if v != 0 {
			return single(w<<6 + bits.TrailingZeros64(v))
		}
	}
	return set{}
}

func (p *position) refusal(a game.Action) string {
	s := State{p}
	reason := "is on a taken cell"
	switch {
	case p.over():
		reason = "comes after the end of the game"
	case a < 0 || a > p.game.pass():
		return fmt.Sprintf("%s: move #%d is not on the board", p.game.name, a)
	case s.Cell(int(a)) == game.Nobody:
		reason = s.Refusal(int(a))
	}
	return fmt.Sprintf("%s: move %s %s", p.game.name, s.Format(a), reason)
}

// Refusal returns what a stone on a free cell would do against the rules, or "".
func (s State) Refusal(cell int) string {
	next := s.copied()
	switch alive := next.put(s.game.bit(cell), int(s.ply&1)); {
	case !alive:
		return "leaves its stones without a liberty"
	case next.repeats():
		return "repeats an earlier position"
	}
	return ""
}

// copied returns a position with the same stones and history, for trying moves.
func (p *position) copied() *position {
	return &position{game: p.game, before: p, stones: p.stones, board: p.board, count: p.count, captured: p.captured}
}

// ToMove returns the side to move.
func (s State) ToMove() game.Side { return game.Mover(int(s.ply)) }

const planes = 5

// Encode writes the stones of the side to move and its opponent's, the last stone, then all ones if the opponent has
// just passed, and all ones if the first player is to move, who must make up for the komi.
func (s State) Encode(dst []float32) {
	g, cells := s.game, s.game.size.Cells()
	if len(dst) != planes*cells {
		panic(fmt.Sprintf("%s: planes have %d elements; want %d", g.name, len(dst), planes*cells))
	}
	clear(dst)
	for i := range 2 {
		stones := &s.stones[(int(s.ply)+i)&1]
		for w := range g.words {
			for rest := stones[w]; rest != 0; rest &= rest - 1 {
				dst[i*cells+g.cell(w<<6+bits.TrailingZeros64(rest))] = 1
			}
		}
	}
	if s.last >= 0 && !s.passed() {
		dst[2*cells+int(s.last)] = 1
	}
	fill(dst[3*cells:4*cells], s.passed())
	fill(dst[4*cells:], s.ToMove() == game.First)
}

func fill(plane []float32, ones bool) {
	if ones {
		for i := range plane {
			plane[i] = 1
		}
	}
}

// PlanesIncomplete declares that planes do not show the earlier positions, which may not be repeated.
func (s State) PlanesIncomplete() {}

// Key returns a hash of the stones, of the boards before, which may not come again, and of the ply and the last pass.
func (s State) Key() game.Key {
	word := uint64(s.ply) << 1
	if s.passed() {
		word |= 1
	}
	return xor(s.board, s.history).Absorb(word)
}

// Cell returns the side whose stone is on a cell.
func (s State) Cell(cell int) game.Side {
	switch bit := s.game.bit(cell); {
	case s.stones[0].has(bit):
		return game.First
	case s.stones[1].has(bit):
		return game.Second
	}
	return game.Nobody
}

const pass = "pass"

// Format returns a cell, such as "j9", or "pass".
func (s State) Format(a game.Action) string {
	if a == s.game.pass() {
		return pass
	}
	columns := s.game.size.Columns
	return columnNames[int(a)%columns:int(a)%columns+1] + strconv.Itoa(s.game.size.Rows-int(a)/columns)
}

// Target returns the cell of a stone, or the word of a pass.
func (s State) Target(a game.Action) game.Target {
	if a == s.game.pass() {
		return game.Target{From: -1, To: -1, Word: pass}
	}
	return game.Onto(int(a))
}

// Last returns the last move, or game.None.
func (s State) Last() game.Action { return s.last }

// Ply returns the number of stones put and passes.
func (s State) Ply() int { return int(s.ply) }
