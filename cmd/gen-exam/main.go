// Command gen-exam draws the positions of Connect Four's exam, solves them and writes the suite:
//
//	go run ./cmd/gen-exam -out eval/suites/connect4.exam.txt.gz
//
// They are of random games, as many from each cell: a stage of the game and a difficulty. When it is stopped, the same command
// goes on from its work file. What it writes follows from the seed alone, not from the number of workers or from stops.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"tengen/eval/grade"
)

func main() {
	var cfg config
	flag.Uint64Var(&cfg.seed, "seed", 1, "what the positions follow from")
	flag.IntVar(&cfg.size, "size", 1000, "number of positions in each cell, the two halves together")
	flag.IntVar(&cfg.workers, "workers", 2, "number of goroutines, each of which solves a position at a time")
	flag.IntVar(&cfg.megabytes, "table-megabytes", 16, "memory of each worker for positions that are solved already, in MiB; what the caches hold is fastest")
	work := flag.String("work", "exam.work", "`file` of the positions so far, to go on from; each seed and size needs its own")
	out := flag.String("out", "connect4.exam.txt.gz", "`file` to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, cfg, []int{beginning, middle, end}, *work, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen-exam:", err)
		os.Exit(1)
	}
}

// run draws the positions of the stages, of which work holds some already, and writes them to out.
func run(ctx context.Context, cfg config, stages []int, work, out string) error {
	if cfg.workers < 1 {
		return fmt.Errorf("-workers is %d, it must be at least 1", cfg.workers)
	}
	if cfg.size < 1 {
		return fmt.Errorf("-size is %d, it must be at least 1", cfg.size)
	}
	l, err := openLog(work)
	if err != nil {
		return err
	}
	defer l.file.Close()
	var problems []problem
	for _, stage := range stages {
		drawn, err := drawStage(ctx, cfg, stage, l)
		if err != nil {
			return fmt.Errorf("%s of the game: %w; %s has what is solved", stageNames[stage], err, work)
		}
		problems = append(problems, drawn...)
	}
	return suite(problems).Save(out, board)
}

// suite divides the problems into halves: of those of a cell, by their stones, the first, third, fifth, ... are for development.
func suite(problems []problem) *grade.Suite {
	slices.SortFunc(problems, func(a, b problem) int {
		return cmp.Or(len(a.Moves)-len(b.Moves), slices.Compare(a.Moves, b.Moves))
	})
	s := &grade.Suite{Answers: grade.Scores, Axes: []string{"stage", "difficulty"}}
	for h, half := range grade.Halves {
		for _, cell := range cells {
			section, seen := grade.Section{Half: half, Parts: []string{cell.String()}}, 0
			for _, p := range problems {
				if p.cell() != cell {
					continue
				}
				if seen%2 == h {
					section.Problems = append(section.Problems, grade.Problem{Moves: p.Moves, Scores: p.Scores})
				}
				seen++
			}
			if len(section.Problems) > 0 {
				s.Sections = append(s.Sections, section)
			}
		}
	}
	return s
}
