package analysis

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxLine is the length of the longest request, in bytes.
const maxLine = 1 << 20

var errLong = fmt.Errorf("the request has more than %d bytes", maxLine)

// line is a line without its end, or the error that stands in its place: errLong, io.EOF, or another that ends reading.
type line struct {
	text []byte
	err  error
}

// readLines reads ahead in a goroutine, so that waiting for a line can be interrupted. The last is one with an error other than
// errLong. The goroutine ends with that or, at the next line, with ctx.
func readLines(ctx context.Context, in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		for r := bufio.NewReader(in); ; {
			l := readLine(r)
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
			if l.err != nil && l.err != errLong {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line, of which the last need not end.
func readLine(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.err == nil {
			l.text = append(l.text, part...)
		}
		if len(l.text) > maxLine {
			l = line{err: errLong}
		}
		switch {
		case err == nil, err == io.EOF && (len(l.text) > 0 || l.err != nil):
			return l
		case !errors.Is(err, bufio.ErrBufferFull):
			return line{err: err}
		}
	}
}

// answers writes lines of JSON until ctx ends. It is safe for concurrent use.
type answers struct {
	ctx context.Context
	end context.CancelCauseFunc // is told that nobody reads any more

	mu  sync.Mutex
	out io.Writer
}

// send writes an answer.
func (a *answers) send(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analysis: %v", err)) // a value that is no JSON
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return
	}
	if _, err := a.out.Write(append(text, '\n')); err != nil {
		a.end(fmt.Errorf("cannot write an answer: %w", err))
	}
}
