// Textbook prints the tables of textbook.md: the number of positions that each way of solving a small game visits.
//
//	go run ./textbook
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strings"

	"games/caniwin"
	"games/nim"
	"games/predictwinner"
	"games/theory"
	"tengen/game"
	"tengen/solver"
)

func main() {
	if err := write(context.Background(), os.Stdout, math.MaxInt); err != nil {
		log.Fatal(err)
	}
}

// tooMany is the largest number of positions that a method may visit.
const tooMany = 5_000_000

// write writes each family's table with at most that many games.
func write(ctx context.Context, w io.Writer, games int) error {
	for _, table := range []struct {
		theory string
		names  []string
		row    func(ctx context.Context, numbers string) (string, error)
	}{
		{
			"sets of piles", []string{"1,2,3", "2,3,4", "3,4,5", "1,3,5,7", "1,3,5,7,misere", "21,max3"},
			rows(nim.Parse, theory.NewNim),
		},
		{
			"intervals",
			[]string{"3,9,1,2", "3,1,4,1,5,9,2,6", "3,1,4,1,5,9,2,6,5,3,5,8", "3,1,4,1,5,9,2,6,5,3,5,8,9,7,9,3"},
			rows(predictwinner.Parse, theory.NewPredictWinner),
		},
		{"sets of numbers", []string{"4,6", "6,15", "8,20", "10,11", "10,40"}, rows(caniwin.Parse, theory.NewCanIWin)},
	} {
		fmt.Fprintf(w, "| game | score | minimax | alpha-beta | positions | minimax, table | alpha-beta, table |")
		fmt.Fprintf(w, " theory: %s |\n", table.theory)
		fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
		for _, name := range table.names[:min(games, len(table.names))] {
			row, err := table.row(ctx, name)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, row)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// rows returns a function that makes the row of a game by its numbers.
func rows[S game.State[S], G game.Game[S], T solver.Solver[S]](
	parse func(string) (G, error), theory func(G) T,
) func(ctx context.Context, numbers string) (string, error) {
	return func(ctx context.Context, numbers string) (string, error) {
		g, err := parse(numbers)
		if err != nil {
			return "", err
		}
		return row(ctx, g, theory(g))
	}
}

// row solves a game in every way and returns the row of its table.
func row[S game.State[S], G game.Game[S]](ctx context.Context, g G, theory solver.Solver[S]) (string, error) {
	table, err := solver.NewPlanner[S](g, tooMany).Plan(ctx)
	if err != nil {
		return "", err
	}
	want, err := theory.Solve(ctx, g.Start())
	if err != nil {
		return "", err
	}
	remember := solver.Config{Transpositions: true, TableEntries: 1 << 16}
	cells := []string{g.Name(), fmt.Sprintf("%+d", want)}
	for _, by := range []solver.Solver[S]{
		solver.NewMinimax[S](g, solver.Config{}), solver.NewAlphaBeta[S](g, solver.Config{}), table,
		solver.NewMinimax[S](g, remember), solver.NewAlphaBeta[S](g, remember), theory,
	} {
		nodes, err := visited(ctx, by, g.Start(), want)
		if err != nil {
			return "", fmt.Errorf("%s: %w", g.Name(), err)
		}
		cells = append(cells, nodes)
	}
	return "| " + strings.Join(cells, " | ") + " |", nil
}

// visited returns how many positions a solver visits. It is an error if the score found is not want.
func visited[S game.State[S]](ctx context.Context, by solver.Solver[S], s S, want solver.Score) (string, error) {
	limited := &limit[S]{Context: ctx, solver: by}
	score, err := by.Solve(limited, s)
	switch {
	case err == errTooMany:
		return fmt.Sprintf("over %s", thousands(tooMany)), nil
	case err != nil:
		return "", err
	case score != want:
		return "", fmt.Errorf("%T finds the score %d; the theory says %d", by, score, want)
	}
	return thousands(by.Nodes()), nil
}

// limit is a context that is done once its solver has visited too many positions.
type limit[S game.State[S]] struct {
	context.Context
	solver solver.Solver[S]
}

var errTooMany = fmt.Errorf("more than %d positions", tooMany)

// Err implements context.Context.
func (l *limit[S]) Err() error {
	if l.solver.Nodes() > tooMany {
		return errTooMany
	}
	return l.Context.Err()
}

// thousands formats a number with commas: 1,234,567.
func thousands(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
