package natslog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/replay"
)

// Model describes a published model.
type Model struct {
	Name      string `json:"name"`
	Iteration uint64 `json:"iteration"` // that made it
	Size      int    `json:"size"`      // bytes
	SHA256    string `json:"sha256"`    // of its bytes, hexadecimal
}

// Is reports whether d describes the model of an iteration with these bytes.
func (d Model) Is(iteration uint64, model []byte) bool {
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
// an entry of the run's bucket names the newest, and is written last: so what it names is complete. Models may be used by
// several goroutines at once.
type Models struct {
	objects jetstream.ObjectStore
	bucket  *Bucket
	caller
}

// OpenModels opens the models of a run, or makes the place for them. Replicas is the number of servers that keep each
// model, and patience how long a call goes on trying: both as in LogConfig.
func OpenModels(ctx context.Context, conn *nats.Conn, run string, replicas int, patience time.Duration) (*Models, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	m := &Models{caller: newCaller(patience, nil)}
	err := m.call(ctx, func(ctx context.Context) error {
		js, err := jetstream.New(conn)
		if err != nil {
			return err
		}
		kv, err := openBucket(ctx, js, run, replicas)
		if err != nil {
			return err
		}
		m.bucket = &Bucket{kv, m.caller}
		m.objects, err = openObjects(ctx, js, run, replicas)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot open the models of run %s: %w", run, err)
	}
	return m, nil
}

// Bucket is the run's. It is closed with the models.
func (m *Models) Bucket() *Bucket { return m.bucket }

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
func (m *Models) Publish(ctx context.Context, iteration uint64, model []byte) (Model, error) {
	sum := sha256.Sum256(model)
	d := Model{
		Iteration: iteration,
		Size:      len(model),
		SHA256:    hex.EncodeToString(sum[:]),
	}
	d.Name = fmt.Sprintf("%08d-%s", iteration, d.SHA256[:16])
	err := m.call(ctx, func(ctx context.Context) error {
		_, err := m.objects.PutBytes(ctx, d.Name, model)
		return err
	})
	if err == nil {
		err = m.bucket.Put(ctx, newestKey, d)
	}
	if err == nil {
		err = m.call(ctx, func(ctx context.Context) error { return m.removeOld(ctx, d.Name) })
	}
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
	err = m.bucket.Get(ctx, newestKey, &d)
	switch {
	case errors.Is(err, ErrNoEntry):
		return Model{}, ErrNoModel
	case errors.Is(err, replay.ErrDamaged):
		return Model{}, fmt.Errorf("%w: publish the model again", err)
	}
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

// Close ends what is under way. That, and whatever comes after it, returns replay.ErrClosed.
func (m *Models) Close() error {
	if !m.end() {
		return replay.ErrClosed
	}
	return nil
}
