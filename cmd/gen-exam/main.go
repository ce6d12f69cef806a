// Command gen draws the positions of package exam, solves them and writes connect4.txt.gz:
//
//	go run ./cmd/gen-exam -out eval/exam/connect4.txt.gz
//
// When it is stopped, the same command goes on from its work file. What it writes follows from the seed alone, not from the
// number of workers or from stops.
package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"tengen/eval/exam"
	"tengen/internal/atomicfile"
)

func main() {
	var cfg config
	flag.Uint64Var(&cfg.seed, "seed", 1, "what the positions follow from")
	flag.IntVar(&cfg.size, "size", exam.Size, "number of positions in each cell")
	flag.IntVar(&cfg.workers, "workers", 2, "number of goroutines, each of which solves a position at a time")
	flag.IntVar(&cfg.megabytes, "table-megabytes", 16, "memory of each worker for positions that are solved already, in MiB; what the caches hold is fastest")
	work := flag.String("work", "exam.work", "`file` of the positions so far, to go on from; each seed and size needs its own")
	out := flag.String("out", "connect4.txt.gz", "`file` to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, cfg, exam.Stages[:], *work, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run draws the positions of the stages, of which work holds some already, and writes them to out.
func run(ctx context.Context, cfg config, stages []exam.Stage, work, out string) error {
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
	var problems []exam.Problem
	for _, stage := range stages {
		drawn, err := drawStage(ctx, cfg, stage, l)
		if err != nil {
			return fmt.Errorf("%v of the game: %w; %s has what is solved", stage, err, work)
		}
		problems = append(problems, drawn...)
	}
	slices.SortStableFunc(problems, func(a, b exam.Problem) int {
		return cmp.Or(
			slices.Index(exam.Cells[:], a.Cell)-slices.Index(exam.Cells[:], b.Cell),
			len(a.Moves)-len(b.Moves),
			slices.Compare(a.Moves, b.Moves),
		)
	})
	return atomicfile.Write(out, 0o644, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		for i := range problems {
			fmt.Fprintln(z, problems[i].Line())
		}
		return z.Close()
	})
}
