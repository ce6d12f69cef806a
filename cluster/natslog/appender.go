package natslog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// AppenderConfig describes an Appender.
type AppenderConfig struct {
	Run    string // the run's name, see CheckRun
	Worker string // the worker's name, see CheckWorker
	// Salt is a secret of the worker, the same whenever it sends a game again: others who can play the worker's next game cannot take
	// the name by which the server recognises it.
	Salt string

	// Patience and Waiting are as in LogConfig.
	Patience time.Duration
	Waiting  func(error)
}

// Appender adds one worker's games to the log of a run, and can do nothing else: it makes no stream, reads no game, and notes no
// sequence number. Any number of them may be in use at the same time, in any number of processes. An Appender may be used by
// several goroutines at once.
//
// Whatever a server refuses may be put right there, so an Appender goes on trying when a Log gives up: it returns what would never
// pass, as a game that is too large, and what its context or its patience ends.
type Appender struct {
	worker string
	*publisher
}

// ErrNoLog is wrapped by the errors of those who only play where the run has not begun, or is not there for them.
var ErrNoLog = errors.New("the server has no log of this run's games")

// OpenAppender opens the log of a run, which must be there, for the games of a worker. The Appender does not close the connection.
func OpenAppender(ctx context.Context, conn *nats.Conn, cfg AppenderConfig) (*Appender, error) {
	subject, err := GameSubject(cfg.Run, cfg.Worker)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("cannot open the games of run %s: %w", cfg.Run, err)
	}
	c := newCaller(cfg.Patience, cfg.Waiting)
	c.stubborn = true
	a := &Appender{cfg.Worker, newPublisher(conn, js, cfg.Run, subject, c)}
	a.salt = cfg.Salt
	err = a.call(ctx, func(ctx context.Context) error {
		stream, err := js.Stream(ctx, a.stream)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return ErrNoLog
		}
		if err == nil {
			a.batches = stream.CachedInfo().Config.AllowAtomicPublish
		}
		return err
	})
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("cannot open the games of run %s: %w", cfg.Run, err)
	}
	return a, nil
}

// Append is that of replay.Log, for a game that the Appender's worker has finished.
func (a *Appender) Append(ctx context.Context, g *replay.Record) (sequence uint64, err error) {
	return a.append(ctx, a.worker, g)
}

// Close ends what is under way. That, and whatever comes after it, returns replay.ErrClosed.
func (a *Appender) Close() error {
	if !a.publisher.close() {
		return replay.ErrClosed
	}
	return nil
}
