package natslog

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func openKV(t *testing.T) jetstream.KeyValue {
	t.Helper()
	js, err := jetstream.New(connect(t, startServer(t, ServerConfig{})))
	if err != nil {
		t.Fatal(err)
	}
	kv, err := openBucket(t.Context(), js, "run", 0)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// busyKV is a bucket in which somebody else writes before every update and put, as many times as are left.
type busyKV struct {
	jetstream.KeyValue
	other *watermark
	left  int
}

func (kv *busyKV) disturb(ctx context.Context) {
	if kv.left--; kv.left >= 0 {
		kv.other.note(kv.other.wanted.Load() + 1)
		kv.other.catchUp(ctx)
	}
}

func (kv *busyKV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	kv.disturb(ctx)
	return kv.KeyValue.Update(ctx, key, value, revision)
}

func (kv *busyKV) Put(ctx context.Context, key string, value []byte) (uint64, error) {
	kv.disturb(ctx)
	return kv.KeyValue.Put(ctx, key, value)
}

// However busy the bucket is, the watermark does not fall.
func TestWatermarkNeverFalls(t *testing.T) {
	kv := openKV(t)
	const conflicts = 60
	other := newWatermark(kv)
	busy := newWatermark(&busyKV{KeyValue: kv, other: other, left: conflicts})
	busy.note(3)
	if err := busy.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := other.read(t.Context()); err != nil || got.last < other.wanted.Load() {
		t.Errorf("the watermark fell to %v from %d, error %v", got, other.wanted.Load(), err)
	}
}

// Many writers come to the end together, at the highest number.
func TestWatermarkOfMany(t *testing.T) {
	t.Parallel()
	kv := openKV(t)
	const writers, rounds = 20, 10
	var writing sync.WaitGroup
	for writer := range writers {
		writing.Go(func() {
			w := newWatermark(kv)
			for round := range rounds {
				w.note(uint64(round*writers + writer + 1))
				if err := w.catchUp(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	if got, err := newWatermark(kv).read(t.Context()); err != nil || got != (span{1, writers * rounds}) {
		t.Errorf("the watermark is %v, error %v", got, err)
	}
}

// unreadableKV is a bucket whose server knows of an entry that it cannot read.
type unreadableKV struct {
	jetstream.KeyValue
	revision uint64
}

func (kv *unreadableKV) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	return nil, jetstream.ErrKeyNotFound
}

func (kv *unreadableKV) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if revision != kv.revision {
		return 0, &jetstream.APIError{
			ErrorCode: jetstream.JSErrCodeStreamWrongLastSequence, Description: fmt.Sprintf("wrong last sequence: %d", kv.revision),
		}
	}
	kv.revision++
	return kv.revision, nil
}

// A damaged entry is replaced, and nothing but that entry.
func TestWatermarkOverDamage(t *testing.T) {
	kv := &unreadableKV{revision: 17} // without a Put
	w := newWatermark(kv)
	w.note(5)
	if err := w.catchUp(t.Context()); err != nil || kv.revision != 18 || w.known != (span{1, 5}) {
		t.Errorf("error %v, revision %d, watermark %v", err, kv.revision, w.known)
	}
}

// What the run's processes share is read from the server that leads, also in a run of an earlier version.
func TestBucketIsReadFromTheLeader(t *testing.T) {
	js, err := jetstream.New(connect(t, startServer(t, ServerConfig{})))
	if err != nil {
		t.Fatal(err)
	}
	for run, prepare := range map[string]func(bucket string) error{
		"new": func(string) error { return nil },
		"old": func(bucket string) error {
			_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucket})
			return err
		},
	} {
		if err := prepare("tengen-" + run); err != nil {
			t.Fatal(err)
		}
		for _, replicas := range []int{0, 1} {
			if _, err := openBucket(t.Context(), js, run, replicas); err != nil {
				t.Fatal(err)
			}
			stream, err := js.Stream(t.Context(), "KV_tengen-"+run)
			if err != nil {
				t.Fatal(err)
			}
			if stream.CachedInfo().Config.AllowDirect {
				t.Errorf("%s bucket, opened with %d replicas: any server answers", run, replicas)
			}
		}
	}
}
