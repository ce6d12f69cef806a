// Command gen-book writes opening.book.gz, which package connect4 embeds, from a file of lines
// "<columns played> <score>" with every position of the standard board up to ply 8:
//
//	go run ./cmd/gen-book -out solver/connect4/opening.book.gz SCORES.txt
package main

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	game "tengen/game/connect4"
	"tengen/internal/atomicfile"
	"tengen/solver/connect4"
)

func main() {
	out := flag.String("out", "opening.book.gz", "`file` to write")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: gen-book [-out FILE] SCORES.txt")
		os.Exit(2)
	}
	if err := convert(*out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "gen-book:", err)
		os.Exit(1)
	}
}

func convert(out, scores string) error {
	f, err := os.Open(scores)
	if err != nil {
		return err
	}
	defer f.Close()
	book, err := connect4.ReadScores(f, game.Standard())
	if err != nil {
		return fmt.Errorf("%s: %w", scores, err)
	}
	err = atomicfile.Write(out, 0o644, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, err = book.WriteTo(z)
		return errors.Join(err, z.Close())
	})
	if err == nil {
		fmt.Printf("%s: %d positions up to ply %d\n", out, book.Len(), book.Depth())
	}
	return err
}
