package natslog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// Bucket holds the entries that the processes of a run share, each under a key, as JSON. It may be used by several goroutines
// at once.
type Bucket struct {
	conn *nats.Conn
	run  string
	kv   jetstream.KeyValue
	caller

	mu      sync.Mutex
	sole    bool
	written map[string]uint64   // revisions of the entries that Put has written
	tried   map[string][][]byte // what Put has tried to write since: it may be there though no answer came
}

func newBucket(conn *nats.Conn, run string, kv jetstream.KeyValue, c caller) *Bucket {
	return &Bucket{conn: conn, run: run, kv: kv, caller: c, written: map[string]uint64{}, tried: map[string][][]byte{}}
}

// ErrOvertaken is wrapped by the error of Put where another process writes the same entry.
var ErrOvertaken = errors.New("another process has written it meanwhile: only one may train the run")

// ErrNoEntry is the error of Get for a key that is not there.
var ErrNoEntry = errors.New("the server has no such entry")

func bucketName(run string) string { return "tengen-" + run }

// openBucket opens the run's key-value bucket, or makes it, so that whoever leads its servers answers alone: the others may lag
// behind, and what has risen would fall.
func openBucket(ctx context.Context, js jetstream.JetStream, run string, replicas int) (jetstream.KeyValue, error) {
	name := bucketName(run)
	stream, err := js.Stream(ctx, "KV_"+name)
	absent := errors.Is(err, jetstream.ErrStreamNotFound)
	if err != nil && !absent {
		return nil, err
	}
	if absent || replicas > 0 && stream.CachedInfo().Config.Replicas != replicas {
		bucket := jetstream.KeyValueConfig{Bucket: name, Replicas: max(replicas, 1)}
		if absent {
			_, err = js.CreateKeyValue(ctx, bucket)
		} else {
			_, err = js.UpdateKeyValue(ctx, bucket)
		}
		if err == nil || errors.Is(err, jetstream.ErrBucketExists) { // made by another process at the same time
			stream, err = js.Stream(ctx, "KV_"+name)
		}
		if err != nil {
			return nil, err
		}
	}
	if cfg := stream.CachedInfo().Config; cfg.AllowDirect {
		cfg.AllowDirect = false
		if _, err := js.UpdateStream(ctx, cfg); err != nil {
			return nil, err
		}
	}
	return js.KeyValue(ctx, name)
}

// checkReadable refuses a run that has no bucket, and one that the account of the connection does not reach.
func checkReadable(ctx context.Context, js jetstream.JetStream, run string) error {
	_, err := js.Stream(ctx, "KV_"+bucketName(run))
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, nats.ErrNoResponders) {
		return ErrNoLog
	}
	return err
}

// Get reads an entry. The error wraps ErrNoEntry if there is none, replay.ErrDamaged if it is no JSON of that kind.
func (b *Bucket) Get(ctx context.Context, key string, into any) error {
	return b.call(ctx, func(ctx context.Context) error {
		entry, err := b.kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return fmt.Errorf("%q: %w", key, ErrNoEntry)
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(entry.Value(), into); err != nil {
			return fmt.Errorf("the run's entry %q on the server: %w: %w", key, replay.ErrDamaged, err)
		}
		return nil
	})
}

// WriteAlone makes Put refuse to write over an entry that another process has written after it.
func (b *Bucket) WriteAlone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sole = true
}

// Put writes an entry, and tells those who watch it. After WriteAlone the error may wrap ErrOvertaken.
func (b *Bucket) Put(ctx context.Context, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.call(ctx, func(ctx context.Context) error {
		if err := b.write(ctx, key, text); err != nil {
			return err
		}
		return b.conn.Publish(changeSubject(b.run, key), nil)
	})
}

// write writes over the revision that is known, or over any. The caller holds the lock.
func (b *Bucket) write(ctx context.Context, key string, text []byte) error {
	if !b.sole {
		_, err := b.kv.Put(ctx, key, text)
		return err
	}
	if _, known := b.written[key]; !known {
		_, revision, err := b.read(ctx, key)
		if err != nil {
			return err
		}
		b.written[key] = revision
	}
	if !b.hasTried(key, text) {
		b.tried[key] = append(b.tried[key], text)
	}
	revision, err := b.kv.Update(ctx, key, text, b.written[key])
	if isConflict(err) {
		revision, err = b.afterLostAnswer(ctx, key, text)
	}
	if err == nil {
		b.written[key], b.tried[key] = revision, nil
	}
	return err
}

// afterLostAnswer returns the revision of text, which could not be written over the revision that is known: the answer to an attempt to
// write it, or to write something before it, may have been lost. Anything else is of another process.
func (b *Bucket) afterLostAnswer(ctx context.Context, key string, text []byte) (revision uint64, err error) {
	now, revision, err := b.read(ctx, key)
	switch {
	case err != nil, bytes.Equal(now, text):
		return revision, err
	case b.hasTried(key, now):
		return b.kv.Update(ctx, key, text, revision)
	}
	return 0, fmt.Errorf("the run's entry %q on the server: %w", key, ErrOvertaken)
}

// hasTried reports whether Put has tried to write something since it wrote an entry last.
func (b *Bucket) hasTried(key string, text []byte) bool {
	return slices.ContainsFunc(b.tried[key], func(tried []byte) bool { return bytes.Equal(tried, text) })
}

// read returns what an entry holds and its revision, 0 if there is none.
func (b *Bucket) read(ctx context.Context, key string) (text []byte, revision uint64, err error) {
	entry, err := b.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return entry.Value(), entry.Revision(), nil
}

// Watch returns a channel that receives after an entry has been written, and what ends that. Now and then a change is not told.
func (b *Bucket) Watch(key string) (changed <-chan struct{}, stop func(), err error) {
	bell := make(chan struct{}, 1)
	subscription, err := b.conn.Subscribe(changeSubject(b.run, key), func(*nats.Msg) {
		select {
		case bell <- struct{}{}:
		default: // it rings already
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return bell, func() { subscription.Unsubscribe() }, nil
}
