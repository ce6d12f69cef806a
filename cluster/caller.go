package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// caller makes calls to the server, again and again if it does not answer, until it is closed.
type caller struct {
	patience time.Duration // negative: until the call's context ends
	closed   context.Context
	end      func() bool // closes; reports whether it was open
}

// retryWait is the pause between two attempts of a call.
const retryWait = 100 * time.Millisecond

func newCaller(patience time.Duration) caller {
	if patience == 0 {
		patience = time.Minute
	}
	closed, cancel := context.WithCancelCause(context.Background())
	return caller{patience, closed, func() bool {
		open := closed.Err() == nil
		cancel(replay.ErrClosed)
		return open
	}}
}

// bind returns a context that ends with ctx and when the caller is closed, and what frees it.
func (c *caller) bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.closed, func() { cancel(replay.ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// call calls do until it succeeds or fails for a reason that does not pass by itself. The error of a context that has
// ended is its cause.
func (c *caller) call(ctx context.Context, do func(context.Context) error) error {
	ctx, free := c.bind(ctx)
	defer free()
	begin := time.Now()
	for {
		if c.closed.Err() != nil {
			return replay.ErrClosed
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := do(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !passing(err):
			return explain(err)
		case c.patience > 0 && time.Since(begin) > c.patience:
			return fmt.Errorf("no answer for %v (%w): is the server running, and has it room on its disk?", c.patience, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryWait):
		}
	}
}

// passing reports whether an error is one of a server that is away or starting.
func passing(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode == errTemporarilyUnavailable
	}
	for _, e := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Errors of the JetStream API that nats.go has no names for (errors.json of nats-server).
const (
	errTemporarilyUnavailable jetstream.ErrorCode = 10008
	errInsufficientResources  jetstream.ErrorCode = 10023
	errInsufficientStorage    jetstream.ErrorCode = 10047
	errStoreFailed            jetstream.ErrorCode = 10077
)

// explain adds the way out to an error of a server that refuses.
func explain(err error) error {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return err
	}
	switch {
	case isFull(err):
		return fmt.Errorf("%w: the server cannot store any more: drop old games, make room on its disk, or raise its limit", err)
	case api.ErrorCode == jetstream.JSErrCodeJetStreamNotEnabled, api.ErrorCode == jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fmt.Errorf("%w: start the server with JetStream; if it had it, its disk may be full", err)
	}
	return err
}

// isFull reports whether a server refuses because it cannot store any more.
func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == errInsufficientResources ||
		api.ErrorCode == errInsufficientStorage || api.ErrorCode == errStoreFailed)
}
