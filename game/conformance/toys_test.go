package conformance

import (
	"fmt"
	"math/bits"
	"slices"

	"tengen/game"
)

// nim is a heap game in which whoever takes the last thing loses (misère Nim): moves take away, there is no board to draw,
// and the side to move can have won.
type nim struct{ heaps [heapCount]int8 }

// heap is a position of nim.
type heap struct {
	heaps [heapCount]int8
	ply   int8
	last  game.Action
}

const (
	heapCount = 3
	heapMost  = 3 // things on a heap; the move a takes 1 + a%heapMost from the heap a/heapMost
)

func (g nim) Name() string     { return fmt.Sprint("nim:", g.heaps) }
func (g nim) Start() heap      { return heap{heaps: g.heaps, last: game.None} }
func (g nim) Board() game.Size { return game.Size{Rows: 1, Columns: heapCount} }
func (g nim) Planes() int      { return heapMost }
func (g nim) Actions() int     { return heapCount * heapMost }

func (g nim) MaxPlies() (plies int) {
	for _, n := range g.heaps {
		plies += int(n)
	}
	return plies
}

// Symmetries exchange the last two heaps if they are equal.
func (g nim) Symmetries() []game.Symmetry {
	all := []game.Symmetry{{Cells: []int32{0, 1, 2}, Actions: []game.Action{0, 1, 2, 3, 4, 5, 6, 7, 8}}}
	if g.heaps[1] == g.heaps[2] {
		all = append(all, game.Symmetry{Cells: []int32{0, 2, 1}, Actions: []game.Action{0, 1, 2, 6, 7, 8, 3, 4, 5}})
	}
	return all
}

func (s heap) Format(a game.Action) string     { return fmt.Sprintf("%c%d", 'a'+a/heapMost, 1+a%heapMost) }
func (g nim) Labels() (columns, rows []string) { return nil, nil }
func (s heap) String() string                  { return fmt.Sprint(s.heaps) }
func (s heap) SidesAlike()                     {}
func (s heap) ToMove() game.Side               { return game.Mover(int(s.ply)) }
func (s heap) Last() game.Action               { return s.last }
func (s heap) Ply() int                        { return int(s.ply) }

func (s heap) Key() game.Key {
	return game.Key{uint64(s.heaps[0]) | uint64(s.heaps[1])<<8 | uint64(s.heaps[2])<<16, uint64(s.ply)}
}

func (s heap) Legal(dst []game.Action) []game.Action {
	for i, n := range s.heaps {
		for take := range n {
			dst = append(dst, game.Action(i*heapMost+int(take)))
		}
	}
	return dst
}

func (s heap) Play(a game.Action) heap {
	if a < 0 || a >= heapCount*heapMost || s.heaps[a/heapMost] <= int8(a%heapMost) {
		panic(fmt.Sprintf("nim: move %d with heaps %v", a, s.heaps))
	}
	s.heaps[a/heapMost] -= 1 + int8(a%heapMost)
	s.ply++
	s.last = a
	return s
}

func (s heap) Outcome() (z float32, over bool) {
	if s.heaps == [heapCount]int8{} {
		return 1, true
	}
	return 0, false
}

func (s heap) Encode(planes []float32) {
	if len(planes) != heapCount*heapMost {
		panic("nim: wrong planes")
	}
	clear(planes)
	for i, n := range s.heaps {
		for level := range int(n) {
			planes[level*heapCount+i] = 1
		}
	}
}

// othello is Othello on 4x4: moves flip stones, a side without a move passes, and whoever has more stones at the end wins.
type othello struct {
	wrongSign bool // the side to move has won if the first player has, and the margin is right
	endsEarly bool // the game ends when a side would have to pass
}

// discs is a position of othello.
type discs struct {
	game   othello
	stones [2]uint16 // of the first and of the second player; cell i is bit i
	mover  uint8
	ply    int8
	last   game.Action
}

const (
	side = 4
	pass = game.Action(side * side)
)

func (othello) Name() string     { return "othello:4" }
func (othello) Board() game.Size { return game.Size{Rows: side, Columns: side} }
func (othello) Planes() int      { return 2 }
func (othello) Actions() int     { return int(pass) + 1 }

// MaxPlies counts a pass after each of the 12 stones.
func (othello) MaxPlies() int { return 2 * (side*side - 4) }

func (g othello) Start() discs {
	return discs{game: g, stones: [2]uint16{1<<6 | 1<<9, 1<<5 | 1<<10}, last: game.None}
}

// Symmetries are those of the square that leave the four stones in the middle as they are.
func (g othello) Symmetries() (all []game.Symmetry) {
	for _, s := range g.Board().Symmetries() {
		if to := s.Cells[6]; to == 6 || to == 9 {
			s.Actions = append(s.Actions, pass)
			all = append(all, s)
		}
	}
	return all
}

func (s discs) Format(a game.Action) string {
	if a == pass {
		return "pass"
	}
	return fmt.Sprintf("%c%d", 'a'+a%side, side-a/side)
}

func (othello) Labels() (columns, rows []string) {
	return []string{"a", "b", "c", "d"}, []string{"4", "3", "2", "1"}
}

func (s discs) SidesAlike()       {}
func (s discs) ToMove() game.Side { return game.Mover(int(s.mover)) }
func (s discs) Last() game.Action { return s.last }
func (s discs) Ply() int          { return int(s.ply) }

// Target is the cell of a stone, none for a pass.
func (s discs) Target(a game.Action) game.Target {
	if a == pass {
		return game.Target{From: -1, To: -1, Word: "pass"}
	}
	return game.Onto(int(a))
}

func (s discs) Key() game.Key {
	return game.Key{uint64(s.stones[0]) | uint64(s.stones[1])<<16, uint64(s.ply)}
}

func (s discs) Cell(cell int) game.Side {
	return game.Side(s.stones[0]>>cell&1) - game.Side(s.stones[1]>>cell&1)
}

// flips are the stones of its opponent that a stone of own on the empty cell would turn over.
func flips(own, opponent uint16, cell int) (turned uint16) {
	for _, step := range [8][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		var passed uint16
		for row, column := cell/side+step[0], cell%side+step[1]; row >= 0 && row < side && column >= 0 && column < side; row, column = row+step[0], column+step[1] {
			bit := uint16(1) << (row*side + column)
			if own&bit != 0 {
				turned |= passed
			}
			if opponent&bit == 0 {
				break
			}
			passed |= bit
		}
	}
	return turned
}

// places are the cells where own may put a stone.
func places(own, opponent uint16) (cells uint16) {
	for cell := range side * side {
		if (own|opponent)>>cell&1 == 0 && flips(own, opponent, cell) != 0 {
			cells |= 1 << cell
		}
	}
	return cells
}

func (s discs) Legal(dst []game.Action) []game.Action {
	own, opponent := s.stones[s.mover], s.stones[1-s.mover]
	cells := places(own, opponent)
	if cells == 0 && places(opponent, own) != 0 && !s.game.endsEarly {
		return append(dst, pass)
	}
	for ; cells != 0; cells &= cells - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros16(cells)))
	}
	return dst
}

func (s discs) Play(a game.Action) discs {
	var buffer [side * side]game.Action
	if !slices.Contains(s.Legal(buffer[:0]), a) {
		panic(fmt.Sprintf("othello: move %d on %x", a, s.stones))
	}
	if a != pass {
		turned := flips(s.stones[s.mover], s.stones[1-s.mover], int(a))
		s.stones[s.mover] |= turned | 1<<a
		s.stones[1-s.mover] &^= turned
	}
	s.mover ^= 1
	s.ply++
	s.last = a
	return s
}

func (s discs) Outcome() (z float32, over bool) {
	own, opponent := s.stones[s.mover], s.stones[1-s.mover]
	if places(own, opponent) != 0 || places(opponent, own) != 0 && !s.game.endsEarly {
		return 0, false
	}
	if s.game.wrongSign {
		own, opponent = s.stones[0], s.stones[1]
	}
	switch more := bits.OnesCount16(own) - bits.OnesCount16(opponent); {
	case more > 0:
		return 1, true
	case more < 0:
		return -1, true
	}
	return 0, true
}

// Margin counts the first player's stones minus the second's.
func (s discs) Margin() int { return bits.OnesCount16(s.stones[0]) - bits.OnesCount16(s.stones[1]) }

func (s discs) Encode(planes []float32) {
	if len(planes) != 2*side*side {
		panic("othello: wrong planes")
	}
	for cell := range side * side {
		planes[cell] = float32(s.stones[s.mover] >> cell & 1)
		planes[side*side+cell] = float32(s.stones[1-s.mover] >> cell & 1)
	}
}
