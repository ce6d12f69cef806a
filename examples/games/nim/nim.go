// Package nim plays Nim: there are piles of things, a move takes any number of them from one pile, and the side that takes the last
// thing of all wins; in misère Nim, it loses. There are no draws. Another rule of the textbooks lets a move take a few things at most:
// one pile of 21, of which the sides take one to three in turn, is nim:21,max3.
//
// The board has a column for each pile and a row for each height. A move is a cell, the lowest thing that it takes: all that
// lies above goes with it.
package nim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// The largest Nim: so many piles of so many things, or a single pile of more.
const (
	MaxPiles  = 8
	MaxPile   = 12
	MaxSingle = 48
)

// Rule says what may be taken, and who wins.
type Rule struct {
	Most   int  // things that a move takes at most; 0: as many as there are
	Misere bool // the side that takes the last thing loses
}

// Game is one Nim: a game.Game[State]. It is immutable and safe for concurrent use.
type Game struct {
	name       string
	piles      []int
	rule       Rule
	size       game.Size
	symmetries []game.Symmetry
}

var (
	_ game.Game[State] = (*Game)(nil)
	_ game.Inscribed   = State{}
)

// New returns the Nim that starts with 1 to MaxPiles piles of 1 to MaxPile things each, or one of up to MaxSingle.
func New(piles []int, rule Rule) (*Game, error) {
	if len(piles) < 1 || len(piles) > MaxPiles {
		return nil, fmt.Errorf("%d piles: there must be 1 to %d", len(piles), MaxPiles)
	}
	limit := MaxPile
	if len(piles) == 1 {
		limit = MaxSingle
	}
	for i, n := range piles {
		if n < 1 || n > limit {
			return nil, fmt.Errorf("pile %d has %d things: it must have 1 to %d", i+1, n, limit)
		}
	}
	if rule.Most < 0 || rule.Most >= slices.Max(piles) && rule.Most > 0 {
		return nil, fmt.Errorf("a move takes at most %d things: it must be fewer than the largest pile has", rule.Most)
	}
	g := &Game{piles: slices.Clone(piles), rule: rule, size: game.Size{Rows: slices.Max(piles), Columns: len(piles)}}
	g.name = g.describe()
	g.symmetries = g.rotations()
	return g, nil
}

// The words that may follow the piles in a name.
const (
	mostWord   = "max" // with a number behind it
	misereWord = "misere"
)

// Parse returns the Nim described by "1,3,5,7", "1,3,5,7,misere" or "21,max3", as it stands in a game's name after "nim:".
func Parse(text string) (*Game, error) {
	words := strings.Split(text, ",")
	var rule Rule
	for len(words) > 0 && rule.takes(strings.TrimSpace(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	var piles []int
	for _, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is no number of things: want the piles, such as 1,3,5,7 or 1,3,5,7,%s or 21,%s3", word, misereWord, mostWord)
		}
		piles = append(piles, n)
	}
	return New(piles, rule)
}

// takes reads a word of a rule, and reports whether it is one.
func (r *Rule) takes(word string) bool {
	if word == misereWord && !r.Misere {
		r.Misere = true
		return true
	}
	number, ok := strings.CutPrefix(word, mostWord)
	most, err := strconv.Atoi(number)
	if !ok || err != nil || most < 1 || r.Most > 0 {
		return false
	}
	r.Most = most
	return true
}

// describe is the one name of a Nim.
func (g *Game) describe() string {
	var words []string
	for _, n := range g.piles {
		words = append(words, strconv.Itoa(n))
	}
	if g.rule.Most > 0 {
		words = append(words, fmt.Sprint(mostWord, g.rule.Most))
	}
	if g.rule.Misere {
		words = append(words, misereWord)
	}
	return "nim:" + strings.Join(words, ",")
}

// rotations are the symmetries that move equal piles round, those of one height apart from the others: not all of their
// permutations, of which eight equal piles have 40,320.
func (g *Game) rotations() []game.Symmetry {
	identity := make([]int, len(g.piles))
	alike := map[int][]int{} // piles by their height
	for i, n := range g.piles {
		identity[i] = i
		alike[n] = append(alike[n], i)
	}
	images := [][]int{identity} // of the piles
	for height := 1; height <= g.size.Rows; height++ {
		class := alike[height]
		for _, image := range images {
			for by := 1; by < len(class); by++ {
				turned := slices.Clone(image)
				for i, pile := range class {
					turned[pile] = class[(i+by)%len(class)]
				}
				images = append(images, turned)
			}
		}
	}
	all := make([]game.Symmetry, len(images))
	for i, image := range images {
		for cell := range g.size.Cells() {
			to := cell - cell%g.size.Columns + image[cell%g.size.Columns]
			all[i].Cells = append(all[i].Cells, int32(to))
			all[i].Actions = append(all[i].Actions, game.Action(to))
		}
	}
	return all
}

// Name is "nim:", the piles, and the words of the rule.
func (g *Game) Name() string { return g.name }

// Rule is what may be taken, and who wins.
func (g *Game) Rule() Rule { return g.rule }

// Start has all things.
func (g *Game) Start() State {
	s := State{game: g, last: game.None}
	for i, n := range g.piles {
		s.piles[i] = uint8(n)
	}
	return s
}

// Board has a column for each pile and as many rows as the largest has things.
func (g *Game) Board() game.Size { return g.size }

// Planes is 2: see State.Encode.
func (g *Game) Planes() int { return 2 }

// Actions is the number of cells.
func (g *Game) Actions() int { return g.size.Cells() }

// MaxPlies is the number of things.
func (g *Game) MaxPlies() (plies int) {
	for _, n := range g.piles {
		plies += n
	}
	return plies
}

// Symmetries move equal piles round.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels are the numbers of the piles, from 1, and what a move in a row leaves of them.
func (g *Game) Labels() (columns, rows []string) {
	for i := range g.size.Columns {
		columns = append(columns, strconv.Itoa(i+1))
	}
	for row := range g.size.Rows {
		rows = append(rows, strconv.Itoa(g.leaves(row)))
	}
	return columns, rows
}

// leaves is how many things a move in a row leaves of the pile.
func (g *Game) leaves(row int) int { return g.size.Rows - 1 - row }

// action is the move that leaves n things of a pile.
func (g *Game) action(pile, n int) game.Action {
	return game.Action((g.size.Rows-1-n)*g.size.Columns + pile)
}

// move is the pile of a move and what it leaves of it.
func (g *Game) move(a game.Action) (pile, leaves int) {
	return int(a) % g.size.Columns, g.leaves(int(a) / g.size.Columns)
}

// FormatAction writes the number of a pile and what the move leaves of it: "2:1" takes all but one of the second pile.
func (g *Game) FormatAction(a game.Action) string {
	if a < 0 || int(a) >= g.Actions() {
		return fmt.Sprintf("#%d", a)
	}
	pile, leaves := g.move(a)
	return fmt.Sprintf("%d:%d", pile+1, leaves)
}

// FormatMoves writes moves with a space between them: "2:1 4:0".
func (g *Game) FormatMoves(moves []game.Action) string {
	return game.JoinMoves(g, moves, " ")
}

// ParseMoves reads what FormatMoves writes. The error names the text that is no move of the board.
func (g *Game) ParseMoves(text string) ([]game.Action, error) {
	var moves []game.Action
	for _, word := range strings.Fields(text) {
		first, second, _ := strings.Cut(word, ":")
		pile, err := strconv.ParseUint(first, 10, 8)
		leaves, err2 := strconv.ParseUint(second, 10, 8)
		if err != nil || err2 != nil || pile < 1 || int(pile) > g.size.Columns || int(leaves) >= g.size.Rows {
			return nil, fmt.Errorf("move %d, %q, is not a pile from 1 to %d, a colon, and the 0 to %d things that are left of it",
				len(moves)+1, word, g.size.Columns, g.size.Rows-1)
		}
		moves = append(moves, g.action(int(pile)-1, int(leaves)))
	}
	return moves, nil
}
