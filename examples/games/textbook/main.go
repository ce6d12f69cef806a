// Textbook prints the table of textbook.md: the number of positions that each way of solving Nim visits.
//
//	go run ./textbook
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"games/nim"
	"tengen/game"
	"tengen/solver"
)

func main() {
	if err := write(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func write(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "| game | score | minimax | alpha-beta | positions | minimax, table | tengen | theory |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, piles := range []string{"1,2,3", "2,3,4", "3,4,5", "1,3,5,7", "1,3,5,7,misere", "21,max3"} {
		g, err := nim.Parse(piles)
		if err != nil {
			return err
		}
		cells, err := row(ctx, g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Name(), err)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	return nil
}

// row solves a game in every way and returns the row of the table.
func row(ctx context.Context, g *nim.Game) ([]string, error) {
	theory := nim.NewTheory(g)
	want, err := theory.Solve(ctx, g.Start())
	if err != nil {
		return nil, err
	}
	tengen := solver.NewAlphaBeta(g, solver.Config{TableEntries: 1 << 16})
	score, err := tengen.Solve(ctx, g.Start())
	if err != nil || score != want {
		return nil, fmt.Errorf("tengen finds the score %d, %v; the theory says %d", score, err, want)
	}
	cells := []string{g.Name(), fmt.Sprintf("%+d", want)}
	add := func(n int) {
		cells = append(cells, thousands(n))
	}
	known := map[game.Key]solver.Score{}
	for _, by := range []*search{{}, {cuts: true}, {known: known}} {
		by.maxPlies = g.MaxPlies()
		score := by.score(g.Start(), -infinity, infinity)
		if by.visits > tooMany {
			cells = append(cells, "over "+thousands(tooMany))
			continue
		}
		if score != want {
			return nil, fmt.Errorf("the search finds the score %d; the theory says %d", score, want)
		}
		if by.known != nil {
			add(len(known))
		}
		add(by.visits)
	}
	add(int(tengen.Nodes()))
	add(int(theory.Nodes()))
	return cells, nil
}

const (
	tooMany  = 5_000_000          // a search gives up after so many visits
	infinity = solver.Score(1000) // more than any score
)

// search is minimax, with a table if known is not nil, or alpha-beta if it cuts.
type search struct {
	maxPlies int
	cuts     bool
	known    map[game.Key]solver.Score
	visits   int
}

// score returns the score of s, undefined after too many visits. If the search cuts, it is exact only between alpha and
// beta.
func (b *search) score(s nim.State, alpha, beta solver.Score) solver.Score {
	if b.visits++; b.visits > tooMany {
		return 0
	}
	if score, ok := b.known[s.Key()]; ok {
		return score
	}
	best, over := solver.Final(s, b.maxPlies)
	if !over {
		best = -infinity
		for _, a := range s.Legal(nil) {
			best = max(best, -b.score(s.Play(a), -beta, -max(alpha, best)))
			if b.cuts && best >= beta {
				break
			}
		}
	}
	if b.known != nil {
		b.known[s.Key()] = best
	}
	return best
}

// thousands formats a number with commas: 1,234,567.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
