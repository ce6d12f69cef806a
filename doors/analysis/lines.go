package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

const maxLine = 1 << 20

var errLong = fmt.Errorf("the request has more than %d bytes", maxLine)

// line is a line without its end, or an error: errLong, or one that ends reading, such as io.EOF.
type line struct {
	text []byte
	err  error
}

// readLines reads lines in a goroutine, which ends after an error other than errLong or, at the next line, with ctx.
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

// readLine reads a line. The last one may lack its end.
func readLine(r *bufio.Reader) (l line) {
	for {
		part, err := r.ReadSlice('\n')
		if l.err == nil {
			l.text = append(l.text, bytes.TrimSuffix(part, []byte("\n"))...)
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

// answers writes JSON lines until ctx ends. It is safe for concurrent use.
type answers struct {
	ctx context.Context
	end context.CancelCauseFunc // of ctx

	mu  sync.Mutex
	out io.Writer
}

// send writes an answer. The answer to Quit is the last.
func (a *answers) send(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analysis: %v", err)) // not JSON
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return
	}
	if _, err := a.out.Write(append(text, '\n')); err != nil {
		a.end(fmt.Errorf("cannot write an answer: %w", err))
	}
	if done, ok := v.(Done); ok && done.Action == Quit {
		a.end(errQuit)
	}
}

// replies sends answers in order from a goroutine. Adding one never waits for the client, which may write all requests
// before it reads.
type replies struct {
	answers *answers
	sending sync.WaitGroup

	mu      sync.Mutex
	waiting []any // the first is being sent
}

func (r *replies) add(v any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, v)
	if len(r.waiting) == 1 {
		r.sending.Go(r.send)
	}
}

func (r *replies) send() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; len(r.waiting) > 0; r.waiting = r.waiting[1:] {
		v := r.waiting[0]
		r.mu.Unlock()
		r.answers.send(v)
		r.mu.Lock()
	}
}
