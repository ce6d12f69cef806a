package natslog

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What passes by itself is waited out: a cluster that elects a leader, a server of it that is not there yet, a lost connection.
// What does not is returned at once, with the way out.
func TestPassing(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string // part of the error; empty: it passes
	}{
		"electing":         {err: &jetstream.APIError{ErrorCode: 10008, Description: "JetStream system temporarily unavailable"}},
		"not the leader":   {err: &jetstream.APIError{ErrorCode: 10009, Description: "JetStream cluster can not handle request"}},
		"no server of it":  {err: &jetstream.APIError{ErrorCode: 10118, Description: "stream is offline"}},
		"a server away":    {err: &jetstream.APIError{ErrorCode: 10005, Description: "no suitable peers for placement, peer offline"}},
		"connection":       {err: nats.ErrDisconnected},
		"too few servers":  {&jetstream.APIError{ErrorCode: 10005, Description: "no suitable peers for placement"}, "ask for fewer"},
		"no room on them":  {&jetstream.APIError{ErrorCode: 10005, Description: "no suitable peers for placement, insufficient storage"}, "insufficient storage"},
		"one server":       {&jetstream.APIError{ErrorCode: 10074, Description: "replicas > 1 not supported in non-clustered mode"}, "ask for fewer"},
		"full":             {&jetstream.APIError{ErrorCode: 10077, Description: "maximum bytes exceeded"}, "drop old games"},
		"no JetStream":     {&jetstream.APIError{ErrorCode: 10076, Description: "JetStream not enabled"}, "start the server with JetStream"},
		"anything unknown": {errors.New("boom"), "boom"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const away = 3
				calls := 0
				caller := newCaller(0, nil)
				defer caller.end()
				err := caller.call(t.Context(), func(context.Context) error {
					if calls++; calls > away {
						return nil
					}
					return c.err
				})
				switch {
				case c.want == "" && (err != nil || calls != away+1):
					t.Errorf("%d calls, error %v, want that it is waited out", calls, err)
				case c.want != "" && calls != 1:
					t.Errorf("%d calls, want that it is returned at once", calls)
				case c.want != "":
					wantError(t, err, c.want)
				}
			})
		})
	}
}

// A call that takes long says so once, however many wait, and again when there was an answer in between. Patience ends it.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		c := newCaller(time.Minute, func(err error) { told = append(told, err.Error()) })
		defer c.end()
		begin, away := time.Now(), 30*time.Second
		call := func(context.Context) error {
			if time.Since(begin) < away {
				return &jetstream.APIError{ErrorCode: 10005, Description: "no suitable peers for placement, peer offline"}
			}
			return nil
		}
		for range 2 {
			begin = time.Now()
			var wait sync.WaitGroup
			for range 3 {
				wait.Go(func() {
					if err := c.call(t.Context(), call); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
		}
		if len(told) != 2 || !strings.Contains(told[0], "peer offline") {
			t.Errorf("two waits of %v are told as %q", away, told)
		}
		begin, away = time.Now(), time.Hour
		wantError(t, c.call(t.Context(), call), "no answer for 1m0s")
	})
}
