package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

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
	waiting []any // the first one is being sent
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
