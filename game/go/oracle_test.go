package igo

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/fulltest"
	"tengen/internal/random"
)

// oracle is a slow game of Go by lists of whole boards, after the rules of Tromp and Taylor. It shares no code with the
// game: a board is a string of '.', 'x' (the first player's stones) and 'o'.
type oracle struct {
	rows, columns int
	boards        []string // all that there were, the newest last
	passes        int      // at the end
	ply           int
}

func newOracle(rows, columns int) *oracle {
	return &oracle{rows: rows, columns: columns, boards: []string{strings.Repeat(".", rows*columns)}}
}

func (o *oracle) board() string { return o.boards[len(o.boards)-1] }

func (o *oracle) neighbours(cell int) (list []int) {
	row, column := cell/o.columns, cell%o.columns
	for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		if r, c := row+d[0], column+d[1]; r >= 0 && r < o.rows && c >= 0 && c < o.columns {
			list = append(list, r*o.columns+c)
		}
	}
	return list
}

// reaches reports whether a path of cells like the first leads from a cell to one that holds what.
func (o *oracle) reaches(board string, cell int, what byte) bool {
	seen, queue := map[int]bool{cell: true}, []int{cell}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, n := range o.neighbours(at) {
			if board[n] == what {
				return true
			}
			if board[n] == board[cell] && !seen[n] {
				seen[n] = true
				queue = append(queue, n)
			}
		}
	}
	return false
}

// after returns the board after a stone. Onto a taken cell and without a liberty, no stone may be put.
func (o *oracle) after(cell int) (next string, ok bool) {
	mine, theirs := byte('x'), byte('o')
	if o.ply%2 == 1 {
		mine, theirs = theirs, mine
	}
	b := []byte(o.board())
	if b[cell] != '.' {
		return "", false
	}
	b[cell] = mine
	for _, side := range []byte{theirs, mine} {
		var dead []int
		for i, at := range b {
			if at == side && !o.reaches(string(b), i, '.') {
				dead = append(dead, i)
			}
		}
		if side == mine && len(dead) > 0 {
			return "", false
		}
		for _, i := range dead {
			b[i] = '.'
		}
	}
	return string(b), true
}

func (o *oracle) legal() (moves []game.Action) {
	if o.passes == 2 || o.ply == max(12, 3*o.rows*o.columns) {
		return nil
	}
	for cell := range o.rows * o.columns {
		if next, ok := o.after(cell); ok && !slices.Contains(o.boards, next) {
			moves = append(moves, game.Action(cell))
		}
	}
	return append(moves, game.Action(o.rows*o.columns))
}

func (o *oracle) play(a game.Action) {
	if int(a) == o.rows*o.columns {
		o.passes++
	} else {
		next, _ := o.after(int(a))
		o.boards, o.passes = append(o.boards, next), 0
	}
	o.ply++
}

// area returns the first player's cells less the second's.
func (o *oracle) area() (difference int) {
	for i, at := range o.board() {
		x, y := at == 'x', at == 'o'
		if at == '.' {
			x, y = o.reaches(o.board(), i, 'x'), o.reaches(o.board(), i, 'o')
		}
		switch {
		case x && !y:
			difference++
		case y && !x:
			difference--
		}
	}
	return difference
}

func draw(s State) string {
	var b strings.Builder
	for cell := range s.game.size.Cells() {
		b.WriteByte("o.x"[s.Cell(cell)+1])
	}
	return b.String()
}

// repeats counts moves that superko forbids, by their kind.
type repeats struct{ moves, quiet, passed, triple int }

// count counts the moves that would repeat a board: any, without a capture, with a pass on the way, and by a cycle of
// six captures of one stone each, as in a triple ko. at has the ply of each board.
func (r *repeats) count(o *oracle, at []int) {
	stones := func(board string) int { return len(board) - strings.Count(board, ".") }
	for cell := range o.rows * o.columns {
		next, ok := o.after(cell)
		i := slices.Index(o.boards, next)
		if !ok || i < 0 {
			continue
		}
		r.moves++
		if stones(next) > stones(o.board()) {
			r.quiet++
		}
		cycle := o.boards[i:]
		if o.ply+1-at[i] > len(cycle) {
			r.passed++
		}
		if len(cycle) >= 6 && !slices.ContainsFunc(cycle, func(b string) bool { return stones(b) != stones(next) }) {
			r.triple++
		}
	}
}

// Random games agree with the oracle in legal moves, boards, ends and areas.
func TestOracle(t *testing.T) {
	moves, found := 0, repeats{}
	for _, board := range []struct{ rows, columns, moves int }{
		{1, 2, 1000}, {1, 5, 9000}, {2, 2, 80000}, {2, 3, 50000}, {3, 3, 60000}, {3, 5, 30000}, {5, 3, 20000}, {4, 4, 30000},
		{5, 5, 12000}, {6, 6, 3000}, {7, 7, 3000}, {8, 8, 3000}, {9, 9, 3000}, {19, 1, 3000}, {2, 19, 1000},
	} {
		g, err := New(game.Size{Rows: board.rows, Columns: board.columns}, 2)
		if err != nil {
			t.Fatal(err)
		}
		rng := random.New(1, random.Test, uint64(board.rows), uint64(board.columns))
		for end := moves + board.moves/fulltest.Pick(10, 1); moves < end; {
			moves += playOut(t, g, rng, &found)
		}
	}
	t.Logf("%d moves, repeats %+v", moves, found)
	if n := fulltest.Pick(1, 10); min(found.moves, 2*found.quiet, 2*found.passed) < 1000*n || found.triple < n {
		t.Errorf("superko is tried too seldom: %+v", found)
	}
}

func playOut(t *testing.T, g *Game, rng *rand.Rand, found *repeats) (moves int) {
	s, o, at := g.Start(), newOracle(g.size.Rows, g.size.Columns), []int{0}
	for {
		legal := s.Legal(nil)
		if want := o.legal(); !slices.Equal(legal, want) {
			t.Fatalf("%s: legal %v, want %v after\n%s", g.name, legal, want, strings.Join(o.boards, "\n"))
		}
		if draw(s) != o.board() {
			t.Fatalf("%s: board %s, want %s", g.name, draw(s), o.board())
		}
		if got := s.Margin() + float64(g.komi2)/2; got != float64(o.area()) {
			t.Fatalf("%s: area %v, want %d: %s", g.name, got, o.area(), o.board())
		}
		if _, over := s.Outcome(); over != (len(legal) == 0) {
			t.Fatalf("%s: over is %t with %d moves", g.name, over, len(legal))
		}
		if len(legal) == 0 {
			return moves
		}
		found.count(o, at)
		a := legal[rng.IntN(len(legal))]
		if len(legal) > 1 && a == g.pass() && rng.IntN(4) > 0 {
			a = legal[rng.IntN(len(legal)-1)]
		}
		if s.before != nil { // Play knows the legal moves by itself, too
			fresh := State{s.before}.Play(s.last)
			for a := range g.pass() {
				if plays(fresh, a) != slices.Contains(legal, a) {
					t.Fatalf("%s: Play accepts %s: %t, after\n%s", g.name, s.Format(a), plays(fresh, a), strings.Join(o.boards, "\n"))
				}
			}
		}
		s = s.Play(a)
		o.play(a)
		if moves++; a != g.pass() {
			at = append(at, o.ply)
		}
	}
}

func plays(s State, a game.Action) (ok bool) {
	defer func() { ok = recover() == nil }()
	s.Play(a)
	return
}

// The numbers of legal boards are those of OEIS A094777 (Tromp, Farnebäck 2007).
func TestLegalPositions(t *testing.T) {
	for side, want := range []int{1: 1, 2: 57, 3: 12675, 4: 24318165} {
		if side == 0 || side == 4 && !fulltest.On {
			continue
		}
		g, err := New(game.Size{Rows: side, Columns: side}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.countLegal(); got != want {
			t.Errorf("%dx%d: %d legal boards, want %d", side, side, got, want)
		}
	}
}

// countLegal counts the boards on which each chain has a liberty.
func (g *Game) countLegal() (n int) {
	p := g.Start().position
	var colour func(cell int)
	colour = func(cell int) {
		if cell == g.size.Cells() {
			if p.allFree() {
				n++
			}
			return
		}
		colour(cell + 1)
		for side := range p.stones {
			p.stones[side].add(g.bit(cell))
			colour(cell + 1)
			p.stones[side].remove(g.bit(cell))
		}
	}
	colour(0)
	return n
}

func (p *position) allFree() bool {
	for _, stones := range p.stones {
		empty := p.empty()
		free := p.game.flood(p.game.beside(&empty, &stones), &stones, &set{})
		if free != stones {
			return false
		}
	}
	return true
}
