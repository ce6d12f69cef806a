package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tengen/internal/files"
)

// lineReader reads lines ahead in a goroutine, so that waiting for one can be interrupted.
type lineReader struct {
	lines chan string
	err   error // why there are no more lines; valid once lines is closed
}

// readLines starts reading. The goroutine ends with the input or, at the next line, with ctx.
func readLines(ctx context.Context, in io.Reader) *lineReader {
	r := &lineReader{lines: make(chan string)}
	go func() {
		defer close(r.lines)
		scanner := bufio.NewScanner(files.TextReader(in))
		for scanner.Scan() {
			select {
			case r.lines <- scanner.Text():
			case <-ctx.Done():
				r.err = ctx.Err()
				return
			}
		}
		if r.err = scanner.Err(); r.err == nil {
			r.err = io.EOF
		}
	}()
	return r
}

// next returns the next line without its newline. After the last line, the error is io.EOF.
func (r *lineReader) next(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line, ok := <-r.lines:
		if !ok {
			return "", r.err
		}
		return line, nil
	}
}

// eachLine calls do with each line of in. Errors name the line, from 1.
func eachLine(ctx context.Context, in io.Reader, do func(text string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := readLines(ctx, in)
	for number := 1; ; number++ {
		text, err := lines.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("line %d: cannot read the position: %w", number, err)
		}
		if err := do(text); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// noPositions is a cobra.PositionalArgs for commands that read positions from standard input.
func noPositions(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageErrorf("unknown argument %q: positions come on standard input: echo %[1]q | %s %s", args[0], called, cmd.Use)
}
