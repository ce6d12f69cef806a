// Package natslog keeps the games and models of runs in NATS JetStream, so that they outlive the process and can be reached
// from several machines.
//
// A Server is a NATS server inside the process, which stores everything in a folder and opens no port unless told to; Dial
// connects to one elsewhere, or to a cluster of three. The rest is the same for both: a Log holds one message for each
// finished game, Models the newest models, and a Bucket the small entries that the processes of a run share. A process that plays
// and no more has an Appender, which can add games to the log and do nothing else with it.
//
// What an acknowledged game is worth: Append returns after the server has written the message and synced the file. From then on
// the game survives the death of every process and a loss of power. A disk that loses or changes bytes later is found out by
// checksums: of the server's records, of the message, of the game's record. A Server repairs its files when it starts, so that
// one bad byte costs one game, and the Log reports every lost game by its sequence number. So that it knows the end of the log, should
// that be lost, it notes the highest sequence number in a second place, the watermark: soon after a game has come, and before Flush
// returns. An external server gives up the rest of the file behind a bad byte (up to 8 MB), which is reported in the same way
// unless another replica has it.
//
// A game or a message that a later version of the program has written is not damage: reading stops there, with an error that
// wraps replay.ErrVersion.
package natslog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

var runName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// CheckRun refuses a name that a run cannot have on a server.
func CheckRun(run string) error {
	if !runName.MatchString(run) {
		return fmt.Errorf("run name %q: only letters, digits, - and _ are allowed, at most 100", run)
	}
	return nil
}

// caller makes calls to the server, again and again if it does not answer, until it is closed.
type caller struct {
	patience time.Duration // negative: until the call's context ends
	waiting  func(error)   // is told why a call takes long
	told     *atomic.Bool  // waiting knows, and there was no answer since
	closed   context.Context
	end      func() bool // closes; reports whether it was open

	stubborn bool       // tries again whatever the server answers, unless that is final
	conn     *nats.Conn // if set, its return ends a pause
}

const (
	retryWait   = 100 * time.Millisecond // after the first attempt of a call at the most; twice as long after each
	retryMax    = 10 * time.Second       // but no longer than this
	noticeAfter = 10 * time.Second       // a call that takes longer is reported; about as long as an election may take
)

func newCaller(patience time.Duration, waiting func(error)) caller {
	if patience == 0 {
		patience = time.Minute
	}
	if waiting == nil {
		waiting = func(error) {}
	}
	closed, cancel := context.WithCancelCause(context.Background())
	end := func() bool {
		open := closed.Err() == nil
		cancel(replay.ErrClosed)
		return open
	}
	return caller{patience: patience, waiting: waiting, told: new(atomic.Bool), closed: closed, end: end}
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
	for wait := retryWait; ; wait = min(2*wait, retryMax) {
		if c.closed.Err() != nil {
			return replay.ErrClosed
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := do(ctx)
		switch {
		case err == nil:
			c.told.Store(false)
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !c.passes(err):
			return explain(err)
		case c.patience > 0 && time.Since(begin) > c.patience:
			return fmt.Errorf("no answer for %v (%w): is the server running, and has it room on its disk?", c.patience, err)
		case time.Since(begin) > noticeAfter && !c.told.Swap(true):
			c.waiting(fmt.Errorf("no answer for %v (%w): still trying", noticeAfter, explain(err)))
		}
		c.pause(ctx, wait)
	}
}

// pause waits for a random part of a time, so that those who failed together do not come back together. It ends early with
// ctx, and when a connection that is away comes back.
func (c *caller) pause(ctx context.Context, most time.Duration) {
	var back chan nats.Status
	if c.conn != nil && !c.conn.IsConnected() {
		back = c.conn.StatusChanged(nats.CONNECTED)
		defer c.conn.RemoveStatusListener(back)
	}
	select {
	case <-ctx.Done():
	case <-back:
	case <-time.After(rand.N(most)):
	}
}

// whileConnected returns a context that ends with ctx, and when the connection is lost, whose cause is nats.ErrDisconnected then.
func (c *caller) whileConnected(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	lost := c.conn.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	go func() {
		<-lost // also closed when there is nothing to wait for any more
		cancel(nats.ErrDisconnected)
	}()
	return ctx, func() {
		cancel(nil)
		c.conn.RemoveStatusListener(lost)
	}
}

// passes reports whether the call that an error came of may succeed if it is made again.
func (c *caller) passes(err error) bool {
	var api *jetstream.APIError
	return passing(err) || c.stubborn && errors.As(err, &api) && !tooLarge[api.ErrorCode]
}

// passing reports whether an error is one of a server that is away or starting, or of a cluster that is not complete.
func passing(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case errTemporarilyUnavailable, errNotLeader, errStreamOffline, errTooManyRequests, errTooManyBatches:
			return true
		case errNoPeers: // whose reasons stand in the text alone
			return strings.Contains(api.Description, "peer offline")
		}
		return false
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
	errMessageTooLarge        jetstream.ErrorCode = 10054
	errHeaderTooLarge         jetstream.ErrorCode = 10097
	errNoPeers                jetstream.ErrorCode = 10005
	errTemporarilyUnavailable jetstream.ErrorCode = 10008
	errNotLeader              jetstream.ErrorCode = 10009
	errInsufficientResources  jetstream.ErrorCode = 10023
	errInsufficientStorage    jetstream.ErrorCode = 10047
	errNotClustered           jetstream.ErrorCode = 10074
	errStoreFailed            jetstream.ErrorCode = 10077
	errStreamOffline          jetstream.ErrorCode = 10118
	errTooManyRequests        jetstream.ErrorCode = 10167
	errTooManyBatches         jetstream.ErrorCode = 10210
)

// tooLarge are the errors for messages that the server will never take.
var tooLarge = map[jetstream.ErrorCode]bool{errMessageTooLarge: true, errHeaderTooLarge: true}

// explain adds the way out to an error of a server that refuses, and says what is meant where nats.go does not.
func explain(err error) error {
	if errors.Is(err, nats.ErrReconnectBufExceeded) { // what nats.go says of anything that is to be sent meanwhile
		return fmt.Errorf("the connection is lost: %w", nats.ErrDisconnected)
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return err
	}
	switch {
	case isFull(err):
		return fmt.Errorf("%w: the server cannot store any more: drop old games, make room on its disk, or raise its limit", err)
	case api.ErrorCode == jetstream.JSErrCodeJetStreamNotEnabled, api.ErrorCode == jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fmt.Errorf("%w: start the server with JetStream; if it had it, its disk may be full; "+
			"if this is a worker, its account has to import what accounts.conf of docs/nats does", err)
	case api.ErrorCode == errNoPeers, api.ErrorCode == errNotClustered:
		return fmt.Errorf("%w: fewer servers can keep it than replicas are wanted: ask for fewer, or add servers", err)
	}
	return err
}

// isFull reports whether an error is that of a server that cannot store any more.
func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == errInsufficientResources ||
		api.ErrorCode == errInsufficientStorage || api.ErrorCode == errStoreFailed)
}
