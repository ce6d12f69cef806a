// Package nim implements Nim. A move takes one or more things from one pile. The side that takes the last thing wins;
// in misère Nim, it loses. There are no draws. A textbook variant limits how many things a move takes: in
// nim:21,max3 the sides take one to three things from a single pile of 21.
//
// The board has a column for each pile and a row for each height. A move is the cell of the lowest thing that it takes;
// it also takes the things above.
package nim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
)

// The limits of a game.
const (
	MaxPiles  = 8
	MaxPile   = 12 // things on each of several piles
	MaxSingle = 48 // things on the only pile
)

// Rule is the variant of Nim.
type Rule struct {
	Most   int  // most things a move may take; 0: no limit
	Misere bool // the side that takes the last thing loses
}

// Game implements game.Game[State]. It is immutable and safe for concurrent use.
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

// New returns the game with 1 to MaxPiles piles of 1 to MaxPile things each, or one pile of up to MaxSingle.
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
		return nil, fmt.Errorf("limit of %d things per move: must be positive and below the largest pile", rule.Most)
	}
	g := &Game{piles: slices.Clone(piles), rule: rule, size: game.Size{Rows: slices.Max(piles), Columns: len(piles)}}
	g.name = g.describe()
	g.symmetries = g.rotations()
	return g, nil
}

// The words that may follow the piles in a name.
const (
	mostWord   = "max" // followed by a number
	misereWord = "misere"
)

// Parse parses a game's name without "nim:", such as "1,3,5,7", "1,3,5,7,misere" or "21,max3".
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
			return nil, fmt.Errorf("%q is not a pile size: want piles such as 1,3,5,7 or 1,3,5,7,%s or 21,%s3",
				word, misereWord, mostWord)
		}
		piles = append(piles, n)
	}
	return New(piles, rule)
}

// takes sets the field of r that word names and reports whether it did. It sets no field twice.
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

// describe returns the game's canonical name.
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

// rotations returns the symmetries that rotate the piles of equal height. All their permutations would be too many:
// eight equal piles have 40,320.
func (g *Game) rotations() []game.Symmetry {
	identity := make([]int, len(g.piles))
	alike := map[int][]int{} // piles by height
	for i, n := range g.piles {
		identity[i] = i
		alike[n] = append(alike[n], i)
	}
	images := [][]int{identity} // pile i goes to images[k][i]
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

// Name returns a name such as "nim:9,max2,misere".
func (g *Game) Name() string { return g.name }

// Rule returns the variant.
func (g *Game) Rule() Rule { return g.rule }

// Start implements game.Game.
func (g *Game) Start() State {
	s := State{game: g, last: game.None}
	for i, n := range g.piles {
		s.piles[i] = uint8(n)
	}
	return s
}

// Board returns a column per pile and as many rows as the largest pile has things.
func (g *Game) Board() game.Size { return g.size }

// Planes returns 2: see State.Encode.
func (g *Game) Planes() int { return 2 }

// Actions implements game.Game.
func (g *Game) Actions() int { return g.size.Cells() }

// MaxPlies implements game.Game.
func (g *Game) MaxPlies() (plies int) {
	for _, n := range g.piles {
		plies += n
	}
	return plies
}

// Symmetries implements game.Game.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries }

// Labels returns the numbers of the piles, from 1, and for each row how many things its moves leave.
func (g *Game) Labels() (columns, rows []string) {
	for i := range g.size.Columns {
		columns = append(columns, strconv.Itoa(i+1))
	}
	for row := range g.size.Rows {
		rows = append(rows, strconv.Itoa(g.leaves(row)))
	}
	return columns, rows
}

// leaves returns how many things each move on a row leaves on its pile.
func (g *Game) leaves(row int) int { return g.size.Rows - 1 - row }

// action returns the move that leaves n things on a pile.
func (g *Game) action(pile, n int) game.Action {
	return game.Action((g.size.Rows-1-n)*g.size.Columns + pile)
}

// move returns the pile of a move and how many things it leaves there.
func (g *Game) move(a game.Action) (pile, leaves int) {
	return int(a) % g.size.Columns, g.leaves(int(a) / g.size.Columns)
}
