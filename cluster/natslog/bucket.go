package natslog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// Bucket holds the entries that the processes of a run share, each under a key, as JSON. It may be used by several goroutines
// at once.
type Bucket struct {
	kv jetstream.KeyValue
	caller
}

// ErrNoEntry is the error of Get for a key that is not there.
var ErrNoEntry = errors.New("the server has no such entry")

// openBucket opens the run's key-value bucket, or makes it.
func openBucket(ctx context.Context, js jetstream.JetStream, run string, replicas int) (jetstream.KeyValue, error) {
	name := "tengen-" + run
	bucket, err := js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) || err == nil && replicas > 0 {
		return js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: max(replicas, 1)})
	}
	return bucket, err
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

// Put writes an entry.
func (b *Bucket) Put(ctx context.Context, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.call(ctx, func(ctx context.Context) error {
		_, err := b.kv.Put(ctx, key, text)
		return err
	})
}

// Watch returns a watcher that tells of every change of an entry, without its value, until ctx ends or it is stopped.
func (b *Bucket) Watch(ctx context.Context, key string) (watcher jetstream.KeyWatcher, err error) {
	err = b.call(ctx, func(context.Context) (err error) {
		watcher, err = b.kv.Watch(ctx, key, jetstream.MetaOnly()) // lasts as long as its context
		return err
	})
	return watcher, err
}
