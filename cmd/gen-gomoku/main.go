// Command gen-gomoku draws the positions of gomoku's exam and its balanced openings, and writes both suites:
//
//	go run ./cmd/gen-gomoku -dir eval/suites
//
// or only one of them: the names "exam" and "openings" may follow. The positions are from games of a quick player that leaves
// some to chance. What it writes follows from the seed alone, not from the number of workers.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"tengen/eval/grade"
)

// config says what to draw. A half of the exam has sizes[depth] positions of each cell, and a half of the openings has openings.
type config struct {
	seed     uint64
	workers  int
	sizes    map[string]int
	openings int
}

func main() {
	cfg := config{sizes: sizes}
	flag.Uint64Var(&cfg.seed, "seed", 1, "what the positions follow from")
	flag.IntVar(&cfg.workers, "workers", 2, "number of goroutines")
	flag.IntVar(&cfg.openings, "openings", 100, "number of openings in each half")
	dir := flag.String("dir", ".", "`folder` of the files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	names := flag.Args()
	if len(names) == 0 {
		names = []string{"exam", "openings"}
	}
	if err := run(ctx, cfg, *dir, names); err != nil {
		fmt.Fprintln(os.Stderr, "gen-gomoku:", err)
		os.Exit(1)
	}
}

// run makes the files of those names.
func run(ctx context.Context, cfg config, dir string, names []string) error {
	if cfg.workers < 1 {
		return fmt.Errorf("-workers is %d, it must be at least 1", cfg.workers)
	}
	if cfg.openings < 1 {
		return fmt.Errorf("-openings is %d, it must be at least 1", cfg.openings)
	}
	drawers := map[string]func(context.Context, config) (*grade.Suite, error){"exam": drawProblems, "openings": drawOpenings}
	for _, name := range names { // before hours are spent on another
		if drawers[name] == nil {
			return fmt.Errorf("there is no file %q to make: name exam, openings or none", name)
		}
	}
	for _, name := range names {
		suite, err := drawers[name](ctx, cfg)
		if err == nil {
			err = suite.Save(filepath.Join(dir, "gomoku."+name+".txt.gz"), board)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch is the number of draws of each goroutine before their results are taken.
const batch = 8

// draw makes draws, numbered from 0, on several goroutines, and lets take have the results in the order of their numbers, until
// it wants no more. The half of a draw, an index of grade.Halves, is the parity of its number, so that no game gives to both. Each goroutine has a draw
// function of its own.
func draw[T any](ctx context.Context, workers int, newDraw func() func(number int) T, take func(half int, result T) (more bool)) error {
	draws := make([]func(int) T, workers)
	for i := range draws {
		draws[i] = newDraw()
	}
	results := make([]T, batch*workers)
	for first := 0; ; first += len(results) {
		group, ctx := errgroup.WithContext(ctx)
		for w, one := range draws {
			group.Go(func() error {
				for i := w; i < len(results) && ctx.Err() == nil; i += workers {
					results[i] = one(first + i)
				}
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i, result := range results {
			if !take((first+i)%2, result) {
				return nil
			}
		}
	}
}
