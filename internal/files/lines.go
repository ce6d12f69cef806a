package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

const maxLine = 1 << 20

// ScanLines is bufio.ScanLines without the byte order mark that a text may begin with.
func ScanLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	advance, line, err = bufio.ScanLines(data, atEOF)
	return advance, Text(line), err
}

// Lines yields in's lines without line feeds, until in or ctx ends. After an error, no line follows. A goroutine reads
// in. It may outlive the loop, until the next line or the end of in.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		lines := make(chan []byte)
		var failed error // valid after lines
		go func() {
			defer close(lines)
			scanner := bufio.NewScanner(in)
			scanner.Buffer(nil, maxLine)
			scanner.Split(ScanLines)
			for scanner.Scan() {
				select {
				case lines <- slices.Clone(scanner.Bytes()):
				case <-ctx.Done():
					return
				}
			}
			if failed = scanner.Err(); errors.Is(failed, bufio.ErrTooLong) {
				failed = fmt.Errorf("it has %d bytes or more", maxLine)
			}
		}()
		for {
			select {
			case text, open := <-lines:
				if !open && failed != nil {
					yield(nil, failed)
				}
				if !open || !yield(text, nil) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}
