package natslog

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Leadership is the right of one process to train a run on a server that others reach as well. It stands in the run's bucket, and
// is renewed for as long as the process is there. Who finds it held waits whether it is renewed: then the run is refused; if not,
// it is taken over after the term. That is counted on the own clock from what was seen there, so clocks may differ.
type Leadership struct {
	kv   jetstream.KeyValue
	term time.Duration
	end  context.CancelCauseFunc // of what may only be done while leading
	stop context.CancelFunc      // of the renewal
	done sync.WaitGroup

	me       leader
	revision uint64 // of me in the bucket
}

// leader is the entry of a Leadership.
type leader struct {
	Session string    `json:"session"` // of the process
	Host    string    `json:"host"`
	Lock    string    `json:"lock,omitempty"` // the file that it has locked, among all files of all machines; "" if that is not known
	Dir     string    `json:"dir"`            // of the run
	Process int       `json:"process"`
	Since   time.Time `json:"since"` // by its own clock, for people
	Beat    uint64    `json:"beat"`  // renewals
	Left    bool      `json:"left,omitempty"`
}

const (
	leaderKey = "leader"
	// LeaderTerm is for how long a leadership holds that is not renewed.
	LeaderTerm = 30 * time.Second
	// beatsPerTerm is how often it is renewed in that time.
	beatsPerTerm = 6
)

// ErrLed is wrapped by the error of Lead where another process trains the run, and by the cause of the context of one that has lost
// it.
var ErrLed = errors.New("another process trains the run")

// Lead takes the leadership of a run for the process that holds the lock of the run directory dir. The context that it returns ends,
// with the reason as its cause, when the leadership is lost: nothing more may be written then. waiting is told if Lead has to wait
// whether another process is still there. Release gives it back. Replicas is as in LogConfig.
func Lead(
	ctx context.Context, conn *nats.Conn, run, dir string, replicas int, term time.Duration, waiting func(error),
) (*Leadership, context.Context, error) {
	fail := func(err error) (*Leadership, context.Context, error) {
		return nil, nil, fmt.Errorf("cannot train run %s: %w", run, err)
	}
	if err := CheckRun(run); err != nil {
		return fail(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return fail(err)
	}
	l := &Leadership{term: term}
	if l.me, err = whoIs(dir); err != nil {
		return fail(err)
	}
	calls := newCaller(-1, waiting)
	err = calls.call(ctx, func(ctx context.Context) (err error) {
		l.kv, err = openBucket(ctx, js, run, replicas)
		return err
	})
	if err == nil {
		err = l.take(ctx, calls, waiting)
	}
	if err != nil {
		return fail(err)
	}
	leading, end := context.WithCancelCause(ctx)
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.end, l.stop = end, stop
	l.done.Go(func() { l.renew(renewing) })
	return l, leading, nil
}

func whoIs(dir string) (leader, error) {
	host, err := os.Hostname()
	if err != nil {
		return leader{}, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return leader{}, err
	}
	return leader{
		Session: rand.Text(), Host: host, Lock: fileIdentity(filepath.Join(dir, lockFile)), Dir: dir, Process: os.Getpid(),
		Since: time.Now().UTC().Truncate(time.Second),
	}, nil
}

// take waits until nobody else leads.
func (l *Leadership) take(ctx context.Context, calls caller, waiting func(error)) error {
	var seen uint64 // the revision that is being waited for
	var since time.Time
	for {
		var before leader
		asked := time.Now()
		err := calls.call(ctx, func(ctx context.Context) (err error) {
			before, l.revision, err = l.read(ctx)
			return err
		})
		if err != nil {
			return err
		}
		if time.Since(asked) > l.term/beatsPerTerm { // the server was away, for whoever leads as well
			since = time.Now()
		}
		free := l.revision == 0 || before.Left || before.diedBefore(l.me) || seen == l.revision && time.Since(since) > l.term
		switch {
		case free:
			if err := calls.call(ctx, l.write); !isConflict(err) {
				return err
			}
			continue // somebody was faster
		case seen == 0:
			seen, since = l.revision, time.Now()
			waiting(fmt.Errorf("%s has trained the run: waiting %v, whether it still does", before, l.term))
		case seen != l.revision:
			return fmt.Errorf("%w: %s: stop it, or give this run another name, cluster.run", ErrLed, before)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(l.term / (2 * beatsPerTerm)):
		}
	}
}

// diedBefore reports whether a leader cannot be there any more when another has the lock of the same file. Names say nothing about
// that: containers of one machine may have the same host name, and each a directory of its own under the same path.
func (l leader) diedBefore(other leader) bool { return l.Lock != "" && l.Lock == other.Lock }

// String describes a leader for people.
func (l leader) String() string {
	if l.Host == "" {
		return "a process that does not say which"
	}
	return fmt.Sprintf("process %d on %.100q in %.200q, since %s", l.Process, l.Host, l.Dir, l.Since.Format(time.DateTime))
}

// read returns the leader and its revision, 0 if there is none. An entry that is damaged is a leader without a name.
func (l *Leadership) read(ctx context.Context) (now leader, revision uint64, err error) {
	entry, err := l.kv.Get(ctx, leaderKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return leader{}, 0, nil
	}
	if err != nil {
		return leader{}, 0, err
	}
	if json.Unmarshal(entry.Value(), &now) != nil {
		now = leader{}
	}
	return now, entry.Revision(), nil
}

// write writes the own entry over the revision that is known.
func (l *Leadership) write(ctx context.Context) error {
	l.me.Beat++
	text, err := json.Marshal(l.me)
	if err != nil {
		return err
	}
	for {
		revision, err := l.kv.Update(ctx, leaderKey, text, l.revision)
		if err == nil {
			l.revision = revision
			return nil
		}
		if !isConflict(err) {
			return err
		}
		now, at, reading := l.read(ctx)
		if reading != nil {
			return reading
		}
		if now.Session != l.me.Session {
			return err
		}
		l.revision = at // of an own write whose answer was lost
	}
}

// renew keeps the leadership until ctx ends or it is lost. While the server is away nobody can take it, so that is waited for.
func (l *Leadership) renew(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(l.term / beatsPerTerm):
		}
		calling, cancel := context.WithTimeout(ctx, l.term)
		err := l.write(calling)
		if isConflict(err) {
			now, _, reading := l.read(calling)
			if reading != nil {
				now = leader{}
			}
			l.end(fmt.Errorf("%w by now, %s: this one has been away for more than %v, and ends before it writes anything more", ErrLed, now, l.term))
			cancel()
			return
		}
		cancel()
	}
}

// Release gives the leadership back, so that nobody has to wait for its end. It must be called once, when everything is written.
func (l *Leadership) Release() {
	l.stop()
	l.done.Wait()
	l.end(nil)
	l.me.Left = true
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	l.write(ctx) // if it fails, whoever comes next waits
}
