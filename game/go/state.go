package igo

import (
	"cmp"
	"fmt"
	"strconv"
	"sync/atomic"

	"tengen/game"
)

// State is a position with its history, from Game.Start. The zero State is invalid. Equal positions are told by Key: ==
// says whether two States come from the same call of Play.
type State struct{ *position }

// position has, through before, all positions that led to it. What others see of it never changes.
type position struct {
	game     *Game
	before   *position // nil at the start
	count    int16     // of stones
	ply      int16
	last     game.Action
	passes   uint8               // since the last stone
	stones   [2]set              // by colour: the first player's, the second's
	taken    set                 // cells from which a stone has been taken in this game
	previous game.Key            // the sum of the hashes of the boards that there were, in whatever order, with this one
	legal    atomic.Pointer[set] // see moves; nil until they are asked for
}

// following returns the position after a pass, without the pass.
func (p *position) following() *position {
	return &position{
		game: p.game, before: p, stones: p.stones, taken: p.taken, previous: p.previous, count: p.count, ply: p.ply + 1,
	}
}

// Play returns the position after a stone on cell a, or after a pass. It panics if the cell is taken, if the stone
// would have no liberty, if the board would be as it was before, or if the game is over.
func (s State) Play(a game.Action) State {
	g, next := s.game, s.following()
	next.last = a
	switch {
	case s.over() || a < 0 || a > g.pass():
		panic(s.refusal(a))
	case a == g.pass():
		next.passes = s.passes + 1
		return State{next}
	}
	bit, legal := g.bit(int(a)), s.legal.Load()
	if legal != nil && !legal.has(bit) || s.Cell(int(a)) != game.Nobody ||
		!next.put(bit) || legal == nil && s.taken.has(bit) && next.repeats() {
		panic(s.refusal(a))
	}
	board := next.hash()
	next.previous[0] += board[0]
	next.previous[1] += board[1]
	return State{next}
}

// put makes the pass that led here a stone, and takes the opponent's chains that it leaves without a liberty. It
// reports whether the stone has one then; otherwise the position is spoilt.
func (p *position) put(bit int) bool {
	g, stone, mine, theirs := p.game, single(bit), &p.stones[1-p.ply&1], &p.stones[p.ply&1]
	mine.add(bit)
	p.count++
	empty := p.empty()
	free := g.beside(&empty, &g.board)
	near := g.beside(&stone, theirs)
	captured := false
	for near = near.without(&free); near != (set{}); {
		chain := g.flood(single(near.first()), theirs, &free)
		near = near.without(&chain)
		if !chain.meets(&free) {
			captured = true
			*theirs, p.taken = theirs.without(&chain), p.taken.or(&chain)
			p.count -= int16(chain.count())
		}
	}
	if captured || free.has(bit) {
		return true
	}
	chain := g.flood(stone, mine, &free)
	return chain.meets(&free)
}

func (p *position) empty() set {
	stones := p.stones[0].or(&p.stones[1])
	return p.game.board.without(&stones)
}

// repeats reports whether the board was there before.
func (p *position) repeats() bool {
	for q := p.before; q != nil; q = q.before {
		if q.count == p.count && q.stones == p.stones {
			return true
		}
	}
	return false
}

func (s State) refusal(a game.Action) string {
	reason := "is on a taken cell"
	switch {
	case s.over():
		reason = "comes after the end of the game"
	case a < 0 || a > s.game.pass():
		return fmt.Sprintf("%s: move #%d is not on the board", s.game.name, a)
	case s.Cell(int(a)) == game.Nobody:
		reason = s.Refusal(int(a))
	}
	return fmt.Sprintf("%s: move %s %s", s.game.name, s.Format(a), reason)
}

// Refusal returns what a stone on a free cell would do against the rules, or "".
func (s State) Refusal(cell int) string {
	next := s.following()
	switch alive := next.put(s.game.bit(cell)); {
	case !alive:
		return "leaves its stones without a liberty"
	case next.repeats():
		return "repeats an earlier position"
	}
	return ""
}

func (s State) over() bool { return s.passes == 2 || int(s.ply) == s.game.MaxPlies() }

// Outcome compares the areas, once both sides have passed or the game has come to its longest.
func (s State) Outcome() (z float32, over bool) {
	if !s.over() {
		return 0, false
	}
	return float32(s.ToMove()) * float32(cmp.Compare(s.Margin(), 0)), true
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
		for bit := range stones.all {
			dst[i*cells+int(g.action(bit))] = 1
		}
	}
	if s.last >= 0 && s.passes == 0 {
		dst[2*cells+int(s.last)] = 1
	}
	for i, ones := range [2]bool{s.passes > 0, s.ToMove() == game.First} {
		for cell := 0; ones && cell < cells; cell++ {
			dst[(3+i)*cells+cell] = 1
		}
	}
}

// PlanesIncomplete declares that planes do not show the earlier positions, which may not be repeated.
func (s State) PlanesIncomplete() {}

// Key returns a hash of the stones, of the boards before, which may not come again, and of the ply and the last passes.
func (s State) Key() game.Key {
	return s.hash().Absorb(s.previous[0]).Absorb(s.previous[1]).Absorb(uint64(s.ply)<<2 | uint64(s.passes))
}

// hash returns a hash of the stones.
func (p *position) hash() game.Key {
	key := game.Key{0, 1}
	for w := range p.game.words {
		key = key.Absorb(p.stones[0][w]).Absorb(p.stones[1][w])
	}
	return key
}

// Format returns a cell, such as "j9", or "pass".
func (s State) Format(a game.Action) string {
	if a == s.game.pass() {
		return game.Pass
	}
	columns := s.game.size.Columns
	return columnNames[int(a)%columns:][:1] + strconv.Itoa(s.game.size.Rows-int(a)/columns)
}

// Target returns the cell of a stone, or the word of a pass.
func (s State) Target(a game.Action) game.Target {
	if a == s.game.pass() {
		return game.Target{From: -1, To: -1, Word: game.Pass}
	}
	return game.Onto(int(a))
}

// Last returns the last move, or game.None.
func (s State) Last() game.Action { return s.last }

// Ply returns the number of stones put and passes.
func (s State) Ply() int { return int(s.ply) }

// areas returns the cells of each side: its stones, and the empty regions that only its stones touch.
func (p *position) areas() (areas [2]set) {
	empty := p.empty()
	for colour := range areas {
		within := p.stones[colour].or(&empty)
		areas[colour] = p.game.flood(p.stones[colour], &within, &set{})
	}
	return [2]set{areas[0].without(&areas[1]), areas[1].without(&areas[0])}
}

// Margin returns by how many points the first player has won, after komi, as the stones are.
func (s State) Margin() float64 {
	areas := s.areas()
	return float64(2*(areas[0].count()-areas[1].count())-s.game.komi2) / 2
}

// Owner returns the side in whose area a cell is, as the stones are.
func (s State) Owner(cell int) game.Side {
	return State{&position{game: s.game, stones: s.areas()}}.Cell(cell)
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

// Tally returns the areas and the komi.
func (s State) Tally() string {
	areas := s.areas()
	return fmt.Sprintf("%v %d, %v %d + %s",
		game.First, areas[0].count(), game.Second, areas[1].count(), halves(s.game.komi2))
}
