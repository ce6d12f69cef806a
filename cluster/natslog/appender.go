package natslog

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
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

// ErrNoLog is wrapped by the error of OpenAppender where the run has no log yet.
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

var workerName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// CheckWorker refuses a name that a worker cannot have on a server.
func CheckWorker(worker string) error {
	if !workerName.MatchString(worker) {
		return fmt.Errorf("worker name %q: only letters, digits, ., - and _ are allowed, at least 1 and at most 64", worker)
	}
	return nil
}

// GameSubject is the subject of a worker's games, so that a server can allow each worker its own. A dot, which would end a part of
// the subject, is written as a tilde.
func GameSubject(run, worker string) (string, error) {
	if err := CheckRun(run); err != nil {
		return "", err
	}
	if err := CheckWorker(worker); err != nil {
		return "", err
	}
	return ownSubject(run) + "." + subjectToken(worker), nil
}

func subjectToken(worker string) string { return strings.ReplaceAll(worker, ".", "~") }

// subjectWorker is the worker whose own a subject is.
func subjectWorker(subject string) string {
	return strings.ReplaceAll(subject[strings.LastIndexByte(subject, '.')+1:], "~", ".")
}

// ownSubject is the subject of the games that a Log appends. Earlier versions used it for all games.
func ownSubject(run string) string { return "games." + run }

func streamName(run string) string { return "games-" + run }
