package jsonline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"tengen/internal/files"
)

const maxLine = 1 << 20

// ErrLong is the error of a line that is too long. The next line may be good.
var ErrLong = fmt.Errorf("the request has more than %d bytes", maxLine)

// Lines yields in's lines without line feeds, until in or ctx ends. After an error other than ErrLong, no line follows.
// A goroutine reads in. It may outlive the loop, until the next line or the end of in.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[[]byte, error] {
	type line struct {
		text []byte
		err  error
	}
	last := func(err error) bool { return err != nil && err != ErrLong }
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		lines := make(chan line)
		go func() {
			r := bufio.NewReader(files.TextReader(in))
			for {
				text, err := readLine(r)
				select {
				case lines <- line{text, err}:
				case <-ctx.Done():
					return
				}
				if last(err) {
					return
				}
			}
		}()
		for {
			select {
			case l := <-lines:
				if l.err == io.EOF || !yield(l.text, l.err) || last(l.err) {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// readLine reads a line. The last one may lack its line feed.
func readLine(r *bufio.Reader) (text []byte, err error) {
	for {
		part, end := r.ReadSlice('\n')
		if err == nil {
			text = append(text, bytes.TrimSuffix(part, []byte("\n"))...)
		}
		if len(text) > maxLine {
			text, err = nil, ErrLong
		}
		switch {
		case end == nil, end == io.EOF && (len(text) > 0 || err != nil):
			return text, err
		case !errors.Is(end, bufio.ErrBufferFull):
			return nil, end
		}
	}
}
