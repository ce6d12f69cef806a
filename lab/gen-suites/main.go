// Command gen-suites draws the positions of tengen's exams and openings (see package suites):
//
//	go run -C lab ./gen-suites -dir ../eval/suites
//
// Arguments select suites: connect4.exam, gomoku.exam, gomoku.openings. The output depends on the seed alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"tengen/eval/grade"
	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
)

// config has the number of positions to draw for each half of a suite.
type config struct {
	seed     uint64
	workers  int
	scored   int            // per part of Connect Four's exam
	proven   map[string]int // per part of gomoku's exam, by depth
	openings int
}

type file struct {
	name string
	draw func(context.Context, config) (*grade.Suite, error)
	save func(s *grade.Suite, path string) error
}

var files = []file{
	{"connect4.exam", drawConnect4Exam, saveFor[connect4.State](four)},
	{"gomoku.exam", drawGomokuExam, saveFor[mnk.State](board)},
	{"gomoku.openings", drawOpenings, saveFor[mnk.State](board)},
}

func saveFor[S game.State[S]](g game.Game[S]) func(*grade.Suite, string) error {
	return func(s *grade.Suite, path string) error { return grade.Save(s, path, g) }
}

func main() {
	cfg := config{scored: 500, proven: map[string]int{"short": 170, "medium": 170, "long": 160}, openings: 100}
	flag.Uint64Var(&cfg.seed, "seed", 1, "determines the positions")
	flag.IntVar(&cfg.workers, "workers", 2, "number of goroutines")
	dir := flag.String("dir", ".", "`folder` of the files")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, cfg, *dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen-suites:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg config, dir string, names []string) error {
	if cfg.workers < 1 {
		return fmt.Errorf("-workers is %d, but must be 1 or more", cfg.workers)
	}
	for _, name := range names { // fail before hours of work on another file
		if !slices.ContainsFunc(files, func(f file) bool { return f.name == name }) {
			return fmt.Errorf("there is no suite %q to make", name)
		}
	}
	for _, f := range files {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		suite, err := f.draw(ctx, cfg)
		if err == nil {
			err = f.save(suite, filepath.Join(dir, f.name+".txt.gz"))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// batch is the number of draws that each worker makes before take receives them.
const batch = 8

// drawer makes the draw with the given number. Only one goroutine uses a drawer.
type drawer[T any] func(ctx context.Context, number int) (T, error)

// draw makes draws, numbered from 0, with a drawer per worker. It calls take with the results in order until take
// returns false. No draw runs during take.
func draw[T any](
	ctx context.Context, workers int, newDrawer func() drawer[T], take func(number int, result T) (more bool),
) error {
	drawers := make([]drawer[T], workers)
	for w := range drawers {
		drawers[w] = newDrawer()
	}
	results := make([]T, batch*workers)
	for first := 0; ; first += len(results) {
		group, ctx := errgroup.WithContext(ctx)
		for w, drawOne := range drawers {
			group.Go(func() (err error) {
				for i := w; i < len(results) && ctx.Err() == nil; i += workers {
					if results[i], err = drawOne(ctx, first+i); err != nil {
						return err
					}
				}
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for i, result := range results {
			if !take(first+i, result) {
				return nil
			}
		}
	}
}
