package answer

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Counter limits how many connections, or streams and other long requests, are open in total and per client.
type Counter struct {
	limit, limitEach int

	mu   sync.Mutex
	all  int
	each map[string]int
}

// NewCounter returns a Counter with its limits in total and per client.
func NewCounter(limit, limitEach int) *Counter {
	return &Counter{limit: limit, limitEach: limitEach, each: map[string]int{}}
}

// Enter counts one for a client until leave is called. It fails at a limit.
func (c *Counter) Enter(client string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.all >= c.limit:
		return nil, Error{http.StatusTooManyRequests, fmt.Sprintf("there are %d streams already: close another page", c.all)}
	case c.each[client] >= c.limitEach:
		return nil, Error{http.StatusTooManyRequests, fmt.Sprintf("you have %d streams already: close another page", c.each[client])}
	}
	c.all++
	c.each[client]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all--
		if c.each[client]--; c.each[client] == 0 {
			delete(c.each, client)
		}
	}, nil
}

// ClientOf returns the client of a remote address: its host.
func ClientOf(remote string) string {
	client, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return client
}

// Streams opens streams, as many as the Counter allows.
type Streams struct {
	*Counter
	Beat time.Duration // between comments in an idle stream
}

// Stream writes server-sent events. It is safe for concurrent use.
type Stream struct {
	Context context.Context // ends with the request, and with the first write that fails or takes too long

	cancel context.CancelFunc
	beats  sync.WaitGroup
	leave  func()

	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
}

// Open starts an answer of events. The caller must call Close.
func (s Streams) Open(w http.ResponseWriter, r *http.Request) (*Stream, error) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return nil, Error{http.StatusMethodNotAllowed, r.Method + " is not allowed for a stream: use GET"}
	}
	leave, err := s.Enter(ClientOf(r.RemoteAddr))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	st := &Stream{Context: ctx, cancel: cancel, leave: leave, w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	w.WriteHeader(http.StatusOK)
	st.write(": tengen\n\n")
	st.beats.Go(func() { st.beat(s.Beat) })
	return st, nil
}

// Close ends the stream.
func (st *Stream) Close() {
	st.cancel()
	st.beats.Wait()
	st.leave()
}

// beat writes a comment at intervals. The write fails if the client has gone.
func (st *Stream) beat(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			st.write(": still here\n\n")
		case <-st.Context.Done():
			return
		}
	}
}

// Send writes an event. A browser that reconnects repeats the last id; "" means none.
func (st *Stream) Send(event, id string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("answer: event %s: %v", event, err))
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	st.write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", event, id, text))
}

// write writes text. If that fails, it ends the stream's context.
func (st *Stream) write(text string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.Context.Err() != nil {
		return
	}
	_, err := st.w.Write([]byte(text))
	if err == nil {
		err = st.control.Flush()
	}
	if err != nil {
		st.cancel()
	}
}
