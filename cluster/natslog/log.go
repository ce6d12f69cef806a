package natslog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
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
	// Duplicates is for how long the server itself recognises a game that is sent again, which costs some hundred bytes of memory for
	// each game of that time. What comes later is found when it is read. 0 leaves an existing log as it is and means two minutes for a
	// new one.
	Duplicates time.Duration
	// Patience bounds the time for which a call goes on trying while the server does not answer, as after a crash, or when
	// its disk is full. 0 means a minute, a negative one that a call ends with its context only.
	Patience time.Duration
	// Waiting, if set, is told once when a call goes on trying for long, by several goroutines at once.
	Waiting func(error)
	// Report, if set, is told by Follow of games that the server has lost while the log was in use.
	Report func(error)
}

// Log is a replay.Log in a JetStream stream, which any number of processes may use at the same time. One that plays and no more uses
// an Appender instead.
//
// An entry is reported as replay.ErrMissing if the log should hold its sequence number and the server does not have it,
// as replay.ErrDamaged if its checksums do not match. To recognise duplicates, a Log reads its games once from the oldest
// on, whatever the sequence number it is first asked for, and remembers their names.
type Log struct {
	games     jetstream.Stream
	watermark *watermark
	index     *index
	marking   sync.WaitGroup
	report    func(error)
	*publisher
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
	l := &Log{report: cfg.Report, publisher: newPublisher(conn, js, cfg.Run, ownSubject(cfg.Run), newCaller(cfg.Patience, cfg.Waiting))}
	if l.report == nil {
		l.report = func(error) {}
	}
	err = l.call(ctx, func(ctx context.Context) error { return l.open(ctx, cfg) })
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("cannot open the games of run %s: %w", cfg.Run, err)
	}
	l.marking.Go(l.mark)
	return l, nil
}

func (l *Log) open(ctx context.Context, cfg LogConfig) error {
	bucket, err := openBucket(ctx, l.js, cfg.Run, cfg.Replicas)
	if err != nil {
		return err
	}
	l.watermark = newWatermark(bucket)
	should, err := l.watermark.read(ctx)
	if err != nil {
		return err
	}
	l.games, err = l.openStream(ctx, cfg, should.first)
	if err != nil {
		return err
	}
	l.batches = l.games.CachedInfo().Config.AllowAtomicPublish
	has := l.games.CachedInfo().State
	if should == (span{}) {
		should = span{first: max(has.FirstSeq, 1), last: has.LastSeq}
	}
	l.index = newIndex(should.first)
	if err := l.fill(ctx, has.LastSeq, should.last); err != nil {
		return err
	}
	l.watermark.note(max(has.LastSeq, should.last))
	return unlessFull(l.watermark.drop(ctx, should.first))
}

// unlessFull passes the error of a server over that has no room to note anything: it gets room by Retain, which notes it then.
func unlessFull(err error) error {
	if isFull(err) {
		return nil
	}
	return err
}

// openStream opens the stream or makes it; a new one begins with the sequence number first, 0 meaning 1. What is as it should be is
// left alone, because a server that is killed while it writes a stream's settings has to begin them anew.
func (l *Log) openStream(ctx context.Context, cfg LogConfig, first uint64) (jetstream.Stream, error) {
	has := jetstream.StreamConfig{
		Name:       l.stream,
		Storage:    jetstream.FileStorage,
		Replicas:   1,
		MaxBytes:   -1,
		Duplicates: 2 * time.Minute,
		FirstSeq:   first,
	}
	stream, err := l.js.Stream(ctx, l.stream)
	exists := err == nil
	if exists {
		has = stream.CachedInfo().Config
	} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, err
	}
	want := has
	want.Subjects = []string{l.subject, l.subject + "." + anyWorker} // its own, and one for each worker
	want.Discard = jetstream.DiscardNew
	want.AllowDirect = false       // a replica that lags behind must not make games look lost
	want.AllowAtomicPublish = true // passed over by servers that do not know it
	want.Replicas = cmp.Or(cfg.Replicas, has.Replicas)
	want.MaxBytes = cmp.Or(cfg.MaxBytes, has.MaxBytes)
	want.Duplicates = cmp.Or(cfg.Duplicates, has.Duplicates)
	if exists && reflect.DeepEqual(want, has) {
		return stream, nil
	}
	return l.js.CreateOrUpdateStream(ctx, want)
}

// mostFilled is the number of placeholders that fill appends at most. A watermark that is farther ahead was not written by a log.
const mostFilled = 1_000_000

// fill appends placeholders after last until to, when the server has lost the end of the stream: no sequence number is
// given twice, and the loss stays on record.
func (l *Log) fill(ctx context.Context, last, to uint64) error {
	if to > last && to-last > mostFilled {
		return fmt.Errorf("the server has games up to sequence number %d, and its entry %q says that there were games up to %d: "+
			"so many cannot be filled in, at most %d; the entry is wrong, or the server is another one: restore it from a copy", last, watermarkKey, to, mostFilled)
	}
	for ; last < to; last++ {
		_, err := l.js.Publish(ctx, l.subject, nil, jetstream.WithExpectLastSequence(last))
		if isConflict(err) {
			info, err := l.games.Info(ctx) // another process has appended at the same time
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
	sequence, err = l.append(ctx, worker, g)
	l.watermark.note(sequence)
	return sequence, err
}

// AppendAgain tries once to add a game that the log has already, to find out whether the server takes games. Readers are told of a
// duplicate.
func (l *Log) AppendAgain(ctx context.Context, worker string, g *replay.Record) error {
	data, err := Encode(worker, g)
	if err != nil {
		return err
	}
	_, err = l.js.Publish(ctx, l.subject, data) // without a name by which the server would recognise it, and keep nothing
	return explain(err)
}

// markWait is for how long a game may be in the log before its sequence number is noted elsewhere.
const markWait = 100 * time.Millisecond

// mark keeps the watermark up until the log is closed.
func (l *Log) mark() {
	for {
		select {
		case <-l.closed.Done():
			return
		case <-l.watermark.behind:
		}
		select {
		case <-l.closed.Done():
			return
		case <-time.After(markWait):
		}
		l.Flush(context.Background()) // what fails is told by the Flush of those whom it concerns
	}
}

// Flush implements replay.Log. A server that is full comes to know by the next Retain.
func (l *Log) Flush(ctx context.Context) error {
	if err := unlessFull(l.call(ctx, l.watermark.catchUp)); err != nil {
		return fmt.Errorf("cannot note how far the log of games goes: %w", err)
	}
	return nil
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
	info, err := l.games.Info(ctx)
	if err != nil {
		return 0, err
	}
	should, err := l.watermark.read(ctx)
	return max(info.State.LastSeq, should.last), err
}

// mendEnd is Last, after the end of the log that the server should have and does not was filled with placeholders: else new games
// would get sequence numbers that readers have passed.
func (l *Log) mendEnd(ctx context.Context) (last uint64, err error) {
	var lost uint64 // the first that the server does not have
	err = l.call(ctx, func(ctx context.Context) error {
		should, err := l.watermark.read(ctx)
		if err != nil {
			return err
		}
		last = max(should.last, l.watermark.wanted.Load()) // before the server is asked, because it takes games all the while
		info, err := l.games.Info(ctx)
		if err != nil {
			return err
		}
		has := info.State.LastSeq
		if has >= last {
			last = has
			return nil
		}
		lost = cmp.Or(lost, has+1)
		return l.fill(ctx, has, last)
	})
	if err == nil && lost > 0 {
		l.report(fmt.Errorf("the server has lost the end of the log, the games with the sequence numbers from %d to %d: "+
			"those that were learned from are missing when the run goes on later", lost, last))
	}
	return last, err
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
	purge := func(ctx context.Context) error { return l.games.Purge(ctx, jetstream.WithPurgeSequence(first)) }
	// What is dropped is noted before, so that it does not count as lost. Only a server that is full makes room before.
	err = l.call(ctx, drop)
	full := isFull(err)
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

// lastMark is for how long Close tries to note the newest games.
const lastMark = time.Second

// Close implements replay.Log.
func (l *Log) Close() error {
	if !l.publisher.close() {
		return replay.ErrClosed
	}
	l.marking.Wait()
	if l.watermark != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastMark)
		defer cancel()
		l.watermark.catchUp(ctx) // if it fails, the log is as good as one whose process was killed
	}
	return nil
}
