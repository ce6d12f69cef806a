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

// LogConfig describes the log of a run's games.
type LogConfig struct {
	Run string // the run's name: letters, digits, - and _

	// Replicas is the number of servers that keep each game, 1 to 5. 0 leaves an existing log as it is and means 1 for a
	// new one.
	Replicas int
	// MaxBytes bounds the log's size on disk: a full log refuses games until Retain has made room. 0 leaves an existing log
	// as it is and means no bound for a new one; -1 means no bound.
	MaxBytes int64
	// Patience bounds the time for which a call goes on trying while the server does not answer, as after a crash, or when
	// its disk is full. 0 means a minute, a negative one that a call ends with its context only.
	Patience time.Duration
	// Waiting, if set, is told once when a call goes on trying for long, by several goroutines at once.
	Waiting func(error)
}

// duplicateWindow is for how long the server itself recognises a game that is sent again.
const duplicateWindow = 2 * time.Minute

// ackTimeout is for how long Append waits before it sends a game again, which does no harm.
const ackTimeout = time.Second

// Log is a replay.Log in a JetStream stream, which any number of processes may use at the same time.
//
// An entry is reported as replay.ErrMissing if the log should hold its sequence number and the server does not have it,
// as replay.ErrDamaged if its checksums do not match. To recognise duplicates, a Log reads its games once from the oldest
// on, whatever the sequence number it is first asked for, and remembers their names.
type Log struct {
	js        jetstream.JetStream
	stream    jetstream.Stream
	subject   string
	watermark *watermark
	index     *index
	caller
}

var _ replay.Log = (*Log)(nil)

// OpenLog opens the log of a run, or makes it. The log does not close the connection.
func OpenLog(ctx context.Context, conn *nats.Conn, cfg LogConfig) (*Log, error) {
	if err := CheckRun(cfg.Run); err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("cannot open the games of run %s: %w", cfg.Run, err)
	}
	l := &Log{js: js, subject: "games." + cfg.Run, caller: newCaller(cfg.Patience, cfg.Waiting)}
	err = l.call(ctx, func(ctx context.Context) error { return l.open(ctx, cfg) })
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("cannot open the games of run %s: %w", cfg.Run, err)
	}
	return l, nil
}

func (l *Log) open(ctx context.Context, cfg LogConfig) error {
	bucket, err := openBucket(ctx, l.js, cfg.Run, cfg.Replicas)
	if err != nil {
		return err
	}
	l.watermark = &watermark{bucket: bucket}
	should, err := l.watermark.read(ctx)
	if err != nil {
		return err
	}
	l.stream, err = l.openStream(ctx, cfg, should.first)
	if err != nil {
		return err
	}
	has := l.stream.CachedInfo().State
	if should == (span{}) {
		should = span{first: max(has.FirstSeq, 1), last: has.LastSeq}
	}
	l.index = &index{first: should.first, seen: map[gameID]uint64{}}
	if err := l.fill(ctx, has.LastSeq, should.last); err != nil {
		return err
	}
	return l.watermark.drop(ctx, should.first)
}

// openStream opens the stream or makes it; a new one begins with the sequence number first, 0 meaning 1.
func (l *Log) openStream(ctx context.Context, cfg LogConfig, first uint64) (jetstream.Stream, error) {
	name := "games-" + cfg.Run
	want := jetstream.StreamConfig{
		Name:        name,
		Subjects:    []string{l.subject},
		Storage:     jetstream.FileStorage,
		Replicas:    1,
		MaxBytes:    -1,
		Discard:     jetstream.DiscardNew,
		Duplicates:  duplicateWindow,
		AllowDirect: false, // a replica that lags behind must not make games look lost
		FirstSeq:    first,
	}
	stream, err := l.js.Stream(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
	case err != nil:
		return nil, err
	default:
		has := stream.CachedInfo().Config
		want.Replicas, want.MaxBytes, want.FirstSeq = has.Replicas, has.MaxBytes, has.FirstSeq
	}
	if cfg.Replicas != 0 {
		want.Replicas = cfg.Replicas
	}
	if cfg.MaxBytes != 0 {
		want.MaxBytes = cfg.MaxBytes
	}
	return l.js.CreateOrUpdateStream(ctx, want)
}

// fill appends placeholders after last until to, when the server has lost the end of the stream: no sequence number is
// given twice, and the loss stays on record.
func (l *Log) fill(ctx context.Context, last, to uint64) error {
	for ; last < to; last++ {
		_, err := l.js.Publish(ctx, l.subject, nil, jetstream.WithExpectLastSequence(last))
		if isConflict(err) {
			info, err := l.stream.Info(ctx) // another process has appended at the same time
			if err != nil {
				return err
			}
			last = max(last, info.State.LastSeq) - 1
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Append implements replay.Log. See the package comment for what its success promises. It tries again for as long as the
// server does not answer; a refusal, for want of room for instance, is returned.
func (l *Log) Append(ctx context.Context, worker string, g *replay.Record) (sequence uint64, err error) {
	data, err := Encode(worker, g)
	if err != nil {
		return 0, err
	}
	id := fmt.Sprintf("%x-%s", worker, g.ID())
	err = l.call(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, ackTimeout)
		defer cancel()
		// The header is made anew for each attempt.
		message := &nats.Msg{Subject: l.subject, Data: data, Header: nats.Header{jetstream.MsgIDHeader: {id}}}
		ack, err := l.js.PublishMsg(ctx, message)
		if err != nil {
			return err
		}
		sequence = ack.Sequence
		return l.watermark.cover(ctx, sequence)
	})
	if err != nil {
		return 0, fmt.Errorf("game %d of worker %q is not in the log: %w", g.Number, worker, err)
	}
	return sequence, nil
}

// Last implements replay.Log.
func (l *Log) Last(ctx context.Context) (last uint64, err error) {
	err = l.call(ctx, func(ctx context.Context) error {
		last, err = l.last(ctx)
		return err
	})
	return last, err
}

func (l *Log) last(ctx context.Context) (uint64, error) {
	info, err := l.stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	should, err := l.watermark.read(ctx)
	return max(info.State.LastSeq, should.last), err
}

// Retain implements replay.Log. It reads what the Log has not read yet.
func (l *Log) Retain(ctx context.Context, positions int) error {
	_, err := l.RetainCounted(ctx, positions, func(uint64) bool { return true })
	return err
}

// RetainCounted is Retain where the positions of some sequence numbers do not count. It returns the sequence number of the
// oldest entry that is kept.
func (l *Log) RetainCounted(ctx context.Context, positions int, counts func(sequence uint64) bool) (oldest uint64, err error) {
	if err := l.Read(ctx, l.index.next()-1, func(replay.Entry) error { return nil }); err != nil {
		return 0, err
	}
	first, old := l.index.cut(positions, counts)
	if !old {
		return first, nil
	}
	drop := func(ctx context.Context) error { return l.watermark.drop(ctx, first) }
	purge := func(ctx context.Context) error { return l.stream.Purge(ctx, jetstream.WithPurgeSequence(first)) }
	// What is dropped is noted before, so that it does not count as lost. Only a server that is full makes room before.
	err = l.call(ctx, drop)
	full := IsFull(err)
	if err == nil || full {
		err = l.call(ctx, purge)
	}
	if err == nil && full {
		err = l.call(ctx, drop)
	}
	if err != nil {
		return 0, fmt.Errorf("cannot drop old games: %w", err)
	}
	l.index.trim(first)
	return first, nil
}

// Patience is as in LogConfig.
func (l *Log) Patience() time.Duration { return l.patience }

// Close implements replay.Log.
func (l *Log) Close() error {
	if !l.end() {
		return replay.ErrClosed
	}
	return nil
}
