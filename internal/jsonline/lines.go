package jsonline

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"

	"tengen/internal/files"
)

const maxLine = 1 << 20

// Lines yields in's lines without line feeds, until in or ctx ends. No line follows an error, which a line of more than
// maxLine bytes is too. A goroutine reads in. It may outlive the loop, until the next line or the end of in.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		lines := make(chan []byte)
		scanner := bufio.NewScanner(files.TextReader(in))
		scanner.Buffer(nil, maxLine)
		go func() {
			defer close(lines)
			for scanner.Scan() {
				select {
				case lines <- bytes.Clone(scanner.Bytes()):
				case <-ctx.Done():
					return
				}
			}
		}()
		for {
			select {
			case line, more := <-lines:
				if more && !yield(line, nil) {
					return
				} else if more {
					continue
				}
				if err := scanner.Err(); err == bufio.ErrTooLong {
					yield(nil, fmt.Errorf("the request has more than %d bytes", maxLine))
				} else if err = cmp.Or(err, ctx.Err()); err != nil {
					yield(nil, err)
				}
				return
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}
