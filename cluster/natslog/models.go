package natslog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"tengen/internal/frame"
	"tengen/replay"
)

// Model describes a published model.
type Model struct {
	Name      string `json:"name"`
	Iteration uint64 `json:"iteration"` // that made it
	Size      int    `json:"size"`      // bytes
	SHA256    string `json:"sha256"`    // of its bytes, hexadecimal
}

// MaxModel is the size of the largest model that can be published, in bytes.
const MaxModel = 1 << 30

const (
	// chunkSize is the number of bytes of a model in a message. A second of a slow line holds two of them, so that games and pings
	// do not wait long behind one.
	chunkSize = 64 << 10
	// publishing is the number of chunks on their way to the server.
	publishing = 16
	// keepModels is the number of models kept: the newest, and some before it for those who are still fetching.
	keepModels = 4
	// chunkTimeout is for how long Publish waits before it sends a chunk again, at first.
	chunkTimeout = 30 * time.Second
)

// Models hands the models of a run from the one process that trains to those that play. A model lies in a stream in chunks, each
// with a subject of its own, "models.RUN.MODEL.CHUNK", and with a checksum. So one that was interrupted on its way, in either
// direction, goes on where it was, and who fetches needs to do nothing on the server but to ask for chunks. Models may be used
// by several goroutines at once.
type Models struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream // nil for those who only fetch
	run    string
	bucket *Bucket
	stall  time.Duration // minStall; less in tests
	caller

	mu     sync.Mutex
	recent []string // names of the models that were published by this process, the newest first
}

// OpenModels opens the models of a run. Replicas is the number of servers that keep each model, for the process that publishes,
// and 0 for those that fetch: the run must be there then, or the error wraps ErrNoLog. Patience is how long a call goes on trying, as in
// LogConfig.
func OpenModels(ctx context.Context, conn *nats.Conn, run string, replicas int, patience time.Duration) (*Models, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	m := &Models{conn: conn, run: run, stall: minStall, caller: newCaller(patience, nil)}
	err := m.call(ctx, func(ctx context.Context) (err error) {
		if m.js, err = jetstream.New(conn); err != nil {
			return err
		}
		if replicas == 0 {
			err = checkReadable(ctx, m.js, run)
		}
		if err != nil {
			return err
		}
		kv, err := openBucket(ctx, m.js, run, replicas)
		if err != nil {
			return err
		}
		m.bucket = newBucket(conn, run, kv, m.caller)
		if replicas > 0 {
			m.stream, err = openModelStream(ctx, m.js, run, replicas)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot open the models of run %s: %w", run, err)
	}
	return m, nil
}

// modelStream is the name of the stream of a run's models.
func modelStream(run string) string { return "models-" + run }

// openModelStream makes the place for models, and removes that of earlier versions, from which nobody can fetch any more.
func openModelStream(ctx context.Context, js jetstream.JetStream, run string, replicas int) (jetstream.Stream, error) {
	if err := js.DeleteObjectStore(ctx, "models-"+run); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, err
	}
	return js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              modelStream(run),
		Subjects:          []string{"models." + run + ".>"},
		Storage:           jetstream.FileStorage,
		Replicas:          replicas,
		MaxMsgsPerSubject: 1,
		Discard:           jetstream.DiscardNew,
		AllowDirect:       true, // any replica may answer: a chunk is the same everywhere
	})
}

// Bucket is the run's. It is closed with the models.
func (m *Models) Bucket() *Bucket { return m.bucket }

// Publish stores a model and removes old ones. Of a model that is there already it stores what is missing. It waits as long
// as there is progress.
func (m *Models) Publish(ctx context.Context, iteration uint64, model []byte) (Model, error) {
	sum := sha256.Sum256(model)
	d := Model{
		Iteration: iteration,
		Size:      len(model),
		SHA256:    hex.EncodeToString(sum[:]),
	}
	d.Name = fmt.Sprintf("%08d-%s", iteration, d.SHA256[:16])
	err := d.checkSize()
	if err == nil {
		err = m.store(ctx, d, model)
	}
	if err != nil {
		return Model{}, fmt.Errorf("cannot publish the model of iteration %d: %w", iteration, err)
	}
	return d, nil
}

// checkSize refuses a model that is too large, or a description that is wrong.
func (d Model) checkSize() error {
	if d.Size < 1 || d.Size > MaxModel {
		return fmt.Errorf("it has %d bytes, allowed are 1 to %d: train a smaller network", d.Size, MaxModel)
	}
	return nil
}

// chunks is the number of the model's chunks.
func (d Model) chunks() int { return (d.Size + chunkSize - 1) / chunkSize }

// span returns where chunk i begins and ends.
func (d Model) span(i int) (from, to int) { return i * chunkSize, min((i+1)*chunkSize, d.Size) }

// subject is that of a chunk of a model, or a pattern of several.
func (m *Models) subject(model, chunk string) string {
	return fmt.Sprintf("models.%s.%s.%s", m.run, model, chunk)
}

// store sends what the server does not have, and removes old models.
func (m *Models) store(ctx context.Context, d Model, model []byte) error {
	stored, err := m.list(ctx)
	if err != nil {
		return err
	}
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(publishing)
	for i := range d.chunks() {
		if chunk := strconv.Itoa(i); !stored[d.Name][chunk] {
			from, to := d.span(i)
			group.Go(func() error { return m.storeChunk(sending, m.subject(d.Name, chunk), model[from:to]) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, name := range m.old(d.Name, stored) {
		err := m.call(ctx, func(ctx context.Context) error {
			return m.stream.Purge(ctx, jetstream.WithPurgeSubject(m.subject(name, "*")))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Models) storeChunk(ctx context.Context, subject string, chunk []byte) error {
	sealed := frame.Seal(slices.Clone(chunk))
	timeout := chunkTimeout
	return m.call(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		timeout *= 2
		_, err := m.js.Publish(ctx, subject, sealed)
		return err
	})
}

// list returns which chunks of which models the server has.
func (m *Models) list(ctx context.Context) (stored map[string]map[string]bool, err error) {
	var info *jetstream.StreamInfo
	err = m.call(ctx, func(ctx context.Context) (err error) {
		info, err = m.stream.Info(ctx, jetstream.WithSubjectFilter(m.subject("*", "*")))
		return err
	})
	if err != nil {
		return nil, err
	}
	stored = map[string]map[string]bool{}
	for subject := range info.State.Subjects {
		part := strings.Split(subject, ".")
		name, chunk := part[2], part[3]
		if stored[name] == nil {
			stored[name] = map[string]bool{}
		}
		stored[name][chunk] = true
	}
	return stored, nil
}

// old returns which of the stored models are to go, when another one becomes the newest: all but those that were published last. Of
// those that other processes have published the ones of the highest iterations count as the last.
func (m *Models) old(newest string, stored map[string]map[string]bool) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recent = append([]string{newest}, slices.DeleteFunc(m.recent, func(name string) bool { return name == newest })...)
	m.recent = m.recent[:min(len(m.recent), keepModels)]
	var others []string
	for name := range stored {
		if !slices.Contains(m.recent, name) {
			others = append(others, name)
		}
	}
	slices.SortFunc(others, func(a, b string) int { return cmp.Compare(b, a) })
	return others[min(len(others), keepModels-len(m.recent)):]
}

// Close ends what is under way. That, and whatever comes after it, returns replay.ErrClosed.
func (m *Models) Close() error {
	if !m.end() {
		return replay.ErrClosed
	}
	return nil
}
