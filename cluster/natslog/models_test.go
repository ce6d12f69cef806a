package natslog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/frame"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/internal/slowlink"
)

// openModels opens the models of a run that has begun.
func openModels(t *testing.T, conn *nats.Conn, replicas int) *Models {
	t.Helper()
	js, err := jetstream.New(conn)
	if err == nil {
		_, err = openBucket(t.Context(), js, "run", replicas)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := OpenModels(t.Context(), conn, "run", replicas, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// weights are bytes like those of a model: none of them can be guessed.
func weights(seed uint64, size int) []byte {
	r := random.New(seed, random.Test)
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// checkFetch fetches a model.
func checkFetch(t *testing.T, m *Models, d Model, want []byte) {
	t.Helper()
	var got bytes.Buffer
	err := m.Fetch(t.Context(), d, &got, func(err error) { t.Log(err) })
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("model %s: fetched %d bytes, %v; want %d", d.Name, got.Len(), err, len(want))
	}
}

// What is published can be fetched, until it is one of the old.
func TestModels(t *testing.T) {
	s := startServer(t, ServerConfig{})
	trainer, worker := openModels(t, connect(t, s), 1), openModels(t, connect(t, s), 0)
	var published []Model
	for i, size := range []int{1, chunkSize - 1, chunkSize, chunkSize + 1, 10*chunkSize + 5, 300_000, 7} {
		content := weights(uint64(i), size)
		d, err := trainer.Publish(t.Context(), uint64(i), content)
		if err != nil {
			t.Fatal(err)
		}
		published = append(published, d)
		checkFetch(t, worker, d, content)
	}
	for i, d := range published {
		var got bytes.Buffer
		err := worker.Fetch(t.Context(), d, &got, func(error) {})
		if i < len(published)-keepModels {
			if !errors.Is(err, ErrModelGone) {
				t.Errorf("model %d, which is old: %v", i, err)
			}
		} else if err != nil {
			t.Errorf("model %d: %v", i, err)
		}
	}
}

// Of a model that was half published only the rest is sent, and of one that is there nothing.
func TestPublishAgain(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	m := openModels(t, conn, 1)
	content := weights(1, 10*chunkSize)
	sent := countMessages(t, conn, "models.run.>")
	publish := func() (d Model, chunks int) {
		before := sent()
		d, err := m.Publish(t.Context(), 5, content)
		if err != nil {
			t.Fatal(err)
		}
		return d, sent() - before
	}
	d, first := publish()
	for _, lost := range []int{3, 9} {
		if err := m.stream.DeleteMsg(t.Context(), uint64(lost)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Fetch(t.Context(), d, new(bytes.Buffer), func(error) {}); !errors.Is(err, ErrModelGone) {
		t.Errorf("two chunks are lost: %v", err)
	}
	_, second := publish()
	_, third := publish()
	if first != 10 || second != 2 || third != 0 {
		t.Errorf("sent %d chunks, then %d, then %d; want 10, 2 and 0", first, second, third)
	}
	checkFetch(t, m, d, content)
}

// After going back to an earlier checkpoint, the models that are published are the newest, whatever their iterations.
func TestModelsGoBack(t *testing.T) {
	s := startServer(t, ServerConfig{})
	before, after := openModels(t, connect(t, s), 1), openModels(t, connect(t, s), 1)
	for i := range uint64(6) {
		if _, err := before.Publish(t.Context(), 10+i, weights(i, 10)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint64(6) {
		content := weights(i, 20)
		d, err := after.Publish(t.Context(), i%3, content)
		if err != nil {
			t.Fatal(err)
		}
		checkFetch(t, after, d, content)
	}
	stored, err := after.list(t.Context())
	if err != nil || len(stored) != keepModels {
		t.Fatalf("models stored: %v, %v", stored, err)
	}
	for name := range stored {
		if name >= "00000010" {
			t.Errorf("model %s of the time before is kept", name)
		}
	}
}

// The place where earlier versions kept models is cleared.
func TestModelsOfEarlierVersions(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	js := openModels(t, conn, 0).js
	old := "OBJ_models-run"
	if _, err := js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "models-run"}); err != nil {
		t.Fatal(err)
	}
	openModels(t, conn, 0)
	if _, err := js.Stream(t.Context(), old); err != nil {
		t.Errorf("one that only fetches has changed something: %v", err)
	}
	openModels(t, conn, 1)
	if _, err := js.Stream(t.Context(), old); err == nil {
		t.Error("the old place is there still")
	}
}

// Sizes beyond the limit are refused before anything is asked for or kept.
func TestModelSize(t *testing.T) {
	m := openModels(t, connect(t, startServer(t, ServerConfig{})), 1)
	for _, size := range []int{-1, 0, MaxModel + 1, 1 << 62} {
		err := m.Fetch(t.Context(), Model{Name: "huge", Size: size}, new(bytes.Buffer), func(error) {})
		wantError(t, err, fmt.Sprintf("it has %d bytes", size))
	}
	_, err := m.Publish(t.Context(), 1, nil)
	wantError(t, err, "it has 0 bytes")
}

// A chunk that is damaged on the server's side is never handed on. When it is whole again, the rest comes, and only that.
func TestDamagedChunk(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, ServerConfig{}))
	m := openModels(t, conn, 1)
	content := weights(1, 8*chunkSize)
	d, err := m.Publish(t.Context(), 1, content)
	if err != nil {
		t.Fatal(err)
	}
	bad := m.subject(d.Name, "5")
	whole, err := m.stream.GetLastMsgForSubject(t.Context(), bad)
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(whole.Data)
	broken[77] ^= 1
	if _, err := m.js.Publish(t.Context(), bad, broken); err != nil {
		t.Fatal(err)
	}
	asked := countMessages(t, conn, "$JS.API.DIRECT.GET.models-run.>")
	var got bytes.Buffer
	failures := 0
	err = m.Fetch(t.Context(), d, &got, func(err error) {
		wantError(t, err, "chunk 5 is damaged")
		if failures++; failures == 2 {
			if _, err := m.js.Publish(t.Context(), bad, whole.Data); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || !bytes.Equal(got.Bytes(), content) || failures != 2 {
		t.Errorf("%d bytes after %d failures, %v", got.Len(), failures, err)
	}
	if n := asked(); n != 8+2 {
		t.Errorf("chunks were asked for %d times, want each once and the damaged one again: 10", n)
	}
}

// A download that takes longer than any call may take arrives, through a line that is cut again and again, and next to nothing
// comes twice.
func TestFetchOverSlowLink(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	link := &slowlink.Proxy{Target: slowlink.To(strings.TrimPrefix(s.URL(), "nats://")), Rate: 500_000, Delay: 50 * time.Millisecond}
	if err := link.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	trainer := openModels(t, connect(t, s), 1)
	worker, err := OpenModels(t.Context(), dialWorker(t, "nats://"+link.Addr(), "w-ABCDEFGH"), "run", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { worker.Close() })
	content := weights(1, 3_000_000) // 6 seconds
	d, err := trainer.Publish(t.Context(), 1, content)
	if err != nil {
		t.Fatal(err)
	}
	got := &cutter{link: link, cuts: []int{500_000, 2_000_000}}
	_, before := link.Passed()
	begin := time.Now()
	err = worker.Fetch(t.Context(), d, got, func(err error) { t.Log(err) })
	if err != nil || !bytes.Equal(got.Bytes(), content) {
		t.Errorf("%d of %d bytes, %v", got.Len(), len(content), err)
	}
	_, after := link.Passed()
	took, passed := time.Since(begin), after-before
	t.Logf("%d bytes in %v with %d cuts, %d passed", len(content), took, 2, passed)
	if most := int64(len(content)) * 5 / 4; passed > most {
		t.Errorf("%d bytes have passed for %d, want at most %d", passed, len(content), most)
	}
}

// cutter cuts a line when so many bytes have arrived.
type cutter struct {
	bytes.Buffer
	link *slowlink.Proxy
	cuts []int
}

func (c *cutter) Write(b []byte) (int, error) {
	n, err := c.Buffer.Write(b)
	if len(c.cuts) > 0 && c.Len() >= c.cuts[0] {
		c.cuts = c.cuts[1:]
		c.link.Cut()
	}
	return n, err
}

// A server that is silent for long is asked again, ever more seldom, and answers that come late or twice do no harm.
func TestFetchStalls(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, ServerConfig{}))
	content := weights(1, 3*chunkSize)
	var requests []*nats.Msg
	const silent = 2 // requests
	sub, err := conn.Subscribe("$JS.API.DIRECT.GET.models-run.models.run.m.*", func(msg *nats.Msg) {
		if requests = append(requests, msg); len(requests) <= silent+2 { // two for the first window, then one each time
			return
		}
		for _, r := range requests {
			i := int(r.Subject[len(r.Subject)-1] - '0')
			from, to := i*chunkSize, (i+1)*chunkSize
			for range 2 {
				r.Respond(frame.Seal(bytes.Clone(content[from:to])))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	m := openModels(t, conn, 0)
	m.stall = time.Millisecond
	stalls := 0
	var got bytes.Buffer
	err = m.Fetch(t.Context(), Model{Name: "m", Size: len(content)}, &got, func(err error) {
		wantError(t, err, "nothing came for")
		stalls++
	})
	if err != nil || !bytes.Equal(got.Bytes(), content) || stalls < silent {
		t.Errorf("%d bytes after %d stalls, %v", got.Len(), stalls, err)
	}
	f := &fetch{m: &Models{stall: minStall}}
	var patience []time.Duration
	for _, f.slowest = range []time.Duration{0, 20 * time.Second} {
		for _, f.stalls = range []int{0, 1, 99} {
			patience = append(patience, f.patience())
		}
	}
	if got := fmt.Sprint(patience); got != "[30s 1m0s 16m0s 1m20s 2m40s 42m40s]" {
		t.Errorf("the times for which nothing may come are %s", got)
	}
}

// Where many requests reach nobody, as while a server starts, that is one failure, and the fetch goes on as soon as somebody is there.
func TestFetchUnheard(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, ServerConfig{}))
	const chunks, away = 150, 70
	content := weights(1, chunks*chunkSize)
	answer := func() *nats.Subscription {
		sub, err := conn.Subscribe("$JS.API.DIRECT.GET.models-run.models.run.m.*", func(msg *nats.Msg) {
			i, err := strconv.Atoi(msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:])
			if err != nil {
				t.Error(err)
			}
			msg.Respond(frame.Seal(bytes.Clone(content[i*chunkSize : (i+1)*chunkSize])))
		})
		if err != nil {
			t.Fatal(err)
		}
		return sub
	}
	answering := answer()
	got := &watchedPartial{written: func(bytes int) {
		if bytes == away*chunkSize {
			answering.Unsubscribe()
		}
	}}
	failures := 0
	err := openModels(t, conn, 0).Fetch(t.Context(), Model{Name: "m", Size: len(content)}, got, func(err error) {
		wantError(t, err, nats.ErrNoResponders.Error())
		if failures++; failures == 1 {
			answering = answer()
		}
	})
	answering.Unsubscribe()
	if err != nil || !bytes.Equal(got.Bytes(), content) || failures != 1 {
		t.Errorf("%d of %d bytes after %d failures, %v", got.Len(), len(content), failures, err)
	}
}

// watchedPartial tells how many bytes it has.
type watchedPartial struct {
	bytes.Buffer
	written func(bytes int)
}

func (p *watchedPartial) Write(b []byte) (int, error) {
	defer func() { p.written(p.Len()) }()
	return p.Buffer.Write(b)
}

// A fetch ends with its context, also while nothing comes.
func TestFetchEnds(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, ServerConfig{}))
	m := openModels(t, conn, 0) // nobody has made a place for models: no answer
	ctx, cancel := context.WithCancelCause(t.Context())
	replaced := errors.New("it has been replaced")
	err := m.Fetch(ctx, Model{Name: "m", Size: 10}, new(bytes.Buffer), func(err error) {
		wantError(t, err, nats.ErrNoResponders.Error())
		cancel(replaced)
	})
	if !errors.Is(err, replaced) {
		t.Errorf("error %v", err)
	}
}

// Where what arrives cannot be kept, a fetch ends and says why.
func TestFetchCannotKeep(t *testing.T) {
	m := openModels(t, connect(t, startServer(t, ServerConfig{})), 1)
	d, err := m.Publish(t.Context(), 1, weights(1, 3*chunkSize))
	if err != nil {
		t.Fatal(err)
	}
	err = m.Fetch(t.Context(), d, new(fullPartial), func(err error) { t.Errorf("trying again: %v", err) })
	wantError(t, err, "no space left")
}

// fullPartial has room for nothing.
type fullPartial struct{ bytes.Buffer }

func (*fullPartial) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Pauses grow, differ, and stay within a bound.
func TestPause(t *testing.T) {
	longest := time.Duration(0)
	for failures := range 1000 {
		p := Pause(failures)
		if p < 0 || p > maxPause {
			t.Fatalf("after %d failures: %v", failures, p)
		}
		longest = max(longest, p)
	}
	if longest < maxPause/2 {
		t.Errorf("the longest of many pauses is %v", longest)
	}
}
