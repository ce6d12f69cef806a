package othello

import (
	"bufio"
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/fulltest"
)

// TestSolved4x4 finds the result of 4x4 by plain minimax: the second player wins by 8 discs.
func TestSolved4x4(t *testing.T) {
	g, err := New(4)
	if err != nil {
		t.Fatal(err)
	}
	margins := map[game.Key]int{}
	boards := map[[3]uint64]bool{}    // the discs of the side to move, its opponent's, and the side
	positions := map[[3]uint64]bool{} // the discs and the ply
	var solve func(s State) int
	solve = func(s State) int {
		boards[[3]uint64{s.own.a, s.opponent.a, uint64(s.ToMove() + 1)}] = true
		positions[[3]uint64{s.own.a, s.opponent.a, uint64(s.ply)}] = true
		key := s.Key()
		if margin, ok := margins[key]; ok {
			return margin
		}
		if s.over {
			margins[key] = int(s.Margin())
			return int(s.Margin())
		}
		best := -int(s.ToMove()) * 17
		for _, a := range s.Legal(nil) {
			if margin := solve(s.Play(a)); (margin-best)*int(s.ToMove()) > 0 {
				best = margin
			}
		}
		margins[key] = best
		return best
	}
	if got := solve(g.Start()); got != -8 {
		t.Errorf("the first player's margin is %d; want -8", got)
	}
	if len(boards) != 62789 {
		t.Errorf("%d pairs of a board and a side are reachable; want 62789", len(boards))
	}
	if len(margins) != len(positions) {
		t.Errorf("%d positions have %d keys", len(positions), len(margins))
	}
}

// TestEndgames compares the margin of every move of published endgames.
func TestEndgames(t *testing.T) {
	for _, e := range readEndgames(t) {
		if e.empty > fulltest.Pick(14, 17) {
			continue
		}
		for _, a := range e.state.Legal(nil) {
			name := e.state.Format(a)
			want, ok := e.margins[name]
			if !ok {
				t.Errorf("position %d: %s is legal but has no published margin", e.number, name)
			} else if got := -exact(e.state.Play(a), -want-1, -want+1); got != want {
				t.Errorf("position %d: %s has margin %+d or beyond; want %+d", e.number, name, got, want)
			}
		}
	}
}

type endgame struct {
	number, empty int
	state         State
	margins       map[string]int // by move, for the side to move
}

func readEndgames(t *testing.T) (all []endgame) {
	t.Helper()
	g, err := New(8)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("testdata/ffo.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if words[0] == "#" {
			continue
		}
		e := endgame{number: number(words[0]), empty: number(words[1]), margins: map[string]int{}}
		e.state = State{game: g, last: game.None}
		for cell, disc := range words[2] {
			switch string(disc) {
			case words[3]:
				e.state.own = e.state.own.or(single(cell))
			case "-":
			default:
				e.state.opponent = e.state.opponent.or(single(cell))
			}
		}
		e.state.moves = e.state.game.moves(e.state.own, e.state.opponent)
		for _, move := range words[4:] {
			cell, margin, _ := strings.Cut(strings.ToLower(move), ":")
			e.margins[cell] = number(margin)
		}
		all = append(all, e)
	}
	return all
}

// exact returns the margin of s for the side to move, by alpha-beta, or outside the window a bound of it. The winner also
// gets the empty squares, as in published margins. Moves that leave the opponent few moves come first.
func exact(s State, alpha, beta int) int {
	if s.over {
		own, opponent := s.own.count(), s.opponent.count()
		return (own - opponent) + cmp.Compare(own, opponent)*(64-own-opponent)
	}
	var moves [64]game.Action
	var nexts [64]State
	legal := s.Legal(moves[:0])
	for i, a := range legal {
		nexts[i] = s.Play(a)
	}
	if 64-s.own.count()-s.opponent.count() > 4 {
		slices.SortFunc(nexts[:len(legal)], func(a, b State) int { return cmp.Compare(a.moves.count(), b.moves.count()) })
	}
	best := -64
	for _, next := range nexts[:len(legal)] {
		best = max(best, -exact(next, -beta, -max(alpha, best)))
		if best >= beta {
			break
		}
	}
	return best
}
