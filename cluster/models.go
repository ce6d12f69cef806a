package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// Model describes a published model.
type Model struct {
	Name      string            `json:"name"`
	Iteration uint64            `json:"iteration"` // that made it
	Size      int               `json:"size"`      // bytes
	SHA256    string            `json:"sha256"`    // of its bytes, hexadecimal
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// is reports whether d describes the model with these bytes.
func (d Model) is(iteration uint64, model []byte) bool {
	sum := sha256.Sum256(model)
	return d.Iteration == iteration && d.SHA256 == hex.EncodeToString(sum[:])
}

// ErrNoModel is the error of Newest before the first Publish.
var ErrNoModel = errors.New("no model has been published yet")

// keepModels is the number of models kept: the newest, and some before it for those who are still fetching.
const keepModels = 4

// newestKey is where the bucket names the newest model.
const newestKey = "model"

// Models hands the models of a run from the one process that trains to those that play. The bytes lie in an object store;
// an entry of a key-value bucket names the newest, and is written last: so what it names is complete. Models may be used
// by several goroutines at once.
type Models struct {
	objects jetstream.ObjectStore
	bucket  jetstream.KeyValue
	caller
}

// OpenModels opens the models of a run, or makes the place for them. Replicas is the number of servers that keep each
// model, 0 as in LogConfig.
func OpenModels(ctx context.Context, conn *nats.Conn, run string, replicas int) (*Models, error) {
	if !runName.MatchString(run) {
		return nil, fmt.Errorf("run name %q: only letters, digits, - and _ are allowed, at most 100", run)
	}
	m := &Models{caller: newCaller(0)}
	err := m.call(ctx, func(ctx context.Context) error {
		js, err := jetstream.New(conn)
		if err != nil {
			return err
		}
		if m.bucket, err = openBucket(ctx, js, run, replicas); err != nil {
			return err
		}
		m.objects, err = openObjects(ctx, js, run, replicas)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot open the models of run %s: %w", run, err)
	}
	return m, nil
}

// openBucket opens the run's key-value bucket, or makes it.
func openBucket(ctx context.Context, js jetstream.JetStream, run string, replicas int) (jetstream.KeyValue, error) {
	name := "tengen-" + run
	bucket, err := js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) || err == nil && replicas > 0 {
		return js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: max(replicas, 1)})
	}
	return bucket, err
}

func openObjects(ctx context.Context, js jetstream.JetStream, run string, replicas int) (jetstream.ObjectStore, error) {
	name := "models-" + run
	objects, err := js.ObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) || err == nil && replicas > 0 {
		return js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Replicas: max(replicas, 1)})
	}
	return objects, err
}

// Publish stores a model, makes it the newest, and removes old ones. A model that is published last is the newest, even
// if its iteration is not above that of the one before, as after going back to an earlier checkpoint.
func (m *Models) Publish(ctx context.Context, iteration uint64, model []byte, metadata map[string]string) (Model, error) {
	sum := sha256.Sum256(model)
	d := Model{
		Iteration: iteration,
		Size:      len(model),
		SHA256:    hex.EncodeToString(sum[:]),
		Metadata:  metadata,
	}
	d.Name = fmt.Sprintf("%08d-%s", iteration, d.SHA256[:16])
	entry, err := json.Marshal(d)
	if err != nil {
		return Model{}, err
	}
	err = m.call(ctx, func(ctx context.Context) error {
		if _, err := m.objects.PutBytes(ctx, d.Name, model); err != nil {
			return err
		}
		if _, err := m.bucket.Put(ctx, newestKey, entry); err != nil {
			return err
		}
		return m.removeOld(ctx, d.Name)
	})
	if err != nil {
		return Model{}, fmt.Errorf("cannot publish the model of iteration %d: %w", iteration, err)
	}
	return d, nil
}

// removeOld keeps the newest and those that were stored last.
func (m *Models) removeOld(ctx context.Context, newest string) error {
	objects, err := m.objects.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil
	}
	if err != nil {
		return err
	}
	objects = slices.DeleteFunc(objects, func(o *jetstream.ObjectInfo) bool { return o.Name == newest })
	slices.SortFunc(objects, func(a, b *jetstream.ObjectInfo) int {
		if c := b.ModTime.Compare(a.ModTime); c != 0 {
			return c
		}
		return strings.Compare(b.Name, a.Name)
	})
	for _, o := range objects[min(keepModels-1, len(objects)):] {
		if err := m.objects.Delete(ctx, o.Name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
			return err
		}
	}
	return nil
}

// Newest describes the newest model. The error is ErrNoModel if there is none.
func (m *Models) Newest(ctx context.Context) (d Model, err error) {
	err = m.call(ctx, func(ctx context.Context) error {
		entry, err := m.bucket.Get(ctx, newestKey)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return ErrNoModel
		}
		if err != nil {
			return err
		}
		d, err = decodeModel(entry.Value())
		return err
	})
	return d, err
}

// Fetch returns a model's bytes, which have been checked against their digest.
func (m *Models) Fetch(ctx context.Context, d Model) (model []byte, err error) {
	err = m.call(ctx, func(ctx context.Context) (err error) {
		model, err = m.objects.GetBytes(ctx, d.Name)
		return err
	})
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("model %s is not there (any more): fetch the newest", d.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot fetch model %s: %w", d.Name, err)
	}
	if sum := sha256.Sum256(model); hex.EncodeToString(sum[:]) != d.SHA256 {
		return nil, fmt.Errorf("model %s is damaged: its bytes do not match their digest; publish it again", d.Name)
	}
	return model, nil
}

// Watch calls yield with the newest model, if there is one, and with each that becomes the newest; it may pass over one
// that is replaced at once. It returns only with an error.
func (m *Models) Watch(ctx context.Context, yield func(Model) error) error {
	ctx, free := m.bind(ctx)
	defer free()
	var watcher jetstream.KeyWatcher
	err := m.call(ctx, func(context.Context) (err error) {
		watcher, err = m.bucket.Watch(ctx, newestKey) // lasts as long as its context
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot watch for models: %w", err)
	}
	defer watcher.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case entry, more := <-watcher.Updates():
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case !more:
				return errors.New("cannot watch for models: the connection is closed")
			case entry == nil: // all that was there before has come
				continue
			}
			d, err := decodeModel(entry.Value())
			if err != nil {
				return err
			}
			if err := yield(d); err != nil {
				return err
			}
		}
	}
}

// Close ends what is under way. That, and whatever comes after it, returns replay.ErrClosed.
func (m *Models) Close() error {
	if !m.end() {
		return replay.ErrClosed
	}
	return nil
}

func decodeModel(entry []byte) (d Model, err error) {
	if err := json.Unmarshal(entry, &d); err != nil {
		return Model{}, fmt.Errorf("the newest model's entry is damaged: %w: publish the model again", err)
	}
	return d, nil
}
