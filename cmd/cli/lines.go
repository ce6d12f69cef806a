package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// lineReader reads lines ahead in a goroutine, so that waiting for one can be interrupted.
type lineReader struct {
	lines chan string
	err   error // why there are no more, for whoever has seen lines closed
}

// readLines starts to read. The goroutine ends with the input or, at the next line, with ctx.
func readLines(ctx context.Context, in io.Reader) *lineReader {
	r := &lineReader{lines: make(chan string)}
	go func() {
		defer close(r.lines)
		scanner := bufio.NewScanner(in)
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

// next returns the next line without its end. After the last one the error is io.EOF.
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

// eachLine passes on the lines of in until there are no more. An error comes with the number of its line, from 1.
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
