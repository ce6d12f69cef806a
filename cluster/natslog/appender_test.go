package natslog

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

func openAppender(t testing.TB, conn *nats.Conn, worker string) *Appender {
	t.Helper()
	a, err := OpenAppender(t.Context(), conn, AppenderConfig{Run: "run", Worker: worker})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// marksWritten is how often the watermark was written.
func marksWritten(t *testing.T, conn *nats.Conn) uint64 {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.KeyValue(t.Context(), "tengen-run")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := bucket.Get(t.Context(), watermarkKey)
	if err != nil {
		t.Fatal(err)
	}
	return entry.Revision()
}

// Workers add games, each under its own name, and write nothing else.
func TestAppender(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	l := openLog(t, conn, LogConfig{})
	if err := l.Close(); err != nil { // nobody keeps the watermark up
		t.Fatal(err)
	}
	before := marksWritten(t, conn)
	workers := []string{"a", "host.example.org-1", "host_example_org-1", strings.Repeat("x", 64)}
	for i, worker := range workers {
		a := openAppender(t, conn, worker)
		for range 2 {
			if sequence, err := a.Append(t.Context(), logtest.Game(7, 5)); err != nil || sequence != uint64(i+1) {
				t.Errorf("worker %q: sequence number %d, error %v; want %d", worker, sequence, err, i+1)
			}
		}
	}
	if after := marksWritten(t, conn); after != before {
		t.Errorf("the watermark was written %d times", after-before)
	}
	for i, e := range logtest.Entries(t, openLog(t, conn, LogConfig{}), 0) {
		if e.Err != nil || e.Worker != workers[i] || !reflect.DeepEqual(e.Game, logtest.Game(7, 5)) {
			t.Errorf("%+v, want game 7 of worker %q", e, workers[i])
		}
	}
}

func TestOpenAppenderErrors(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	_, err := OpenAppender(t.Context(), conn, AppenderConfig{Run: "run", Worker: "w"})
	if !errors.Is(err, ErrNoLog) {
		t.Errorf("error %v, want that there is no log", err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Stream(t.Context(), streamName("run")); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("the stream: %v, want that nothing was made", err)
	}
	openLog(t, conn, LogConfig{})
	_, err = OpenAppender(t.Context(), conn, AppenderConfig{Run: "a.b", Worker: "w"})
	wantError(t, err, "run name")
	for _, worker := range []string{"", "a b", "a~b", "*", ">", "é", strings.Repeat("x", 65)} {
		_, err := OpenAppender(t.Context(), conn, AppenderConfig{Run: "run", Worker: worker})
		wantError(t, err, "worker name")
	}
	a := openAppender(t, conn, "w")
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	_, err = a.Append(t.Context(), logtest.Game(1, 5))
	for _, err := range []error{err, a.Close()} {
		if !errors.Is(err, replay.ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
}

// A message under the subject of one worker that names another is damaged, for every reader.
func TestForgedWorker(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{})
	forged, err := Encode("victim", logtest.Game(1, 5))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.js.Publish(t.Context(), "games.run.thief", forged); err != nil {
		t.Fatal(err)
	}
	entries := logtest.Entries(t, l, 0)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, e := range append(entries, filesOf(t, dir, 0)...) {
		if !errors.Is(e.Err, replay.ErrDamaged) || e.Game != nil {
			t.Errorf("%+v, want that it is damaged", e)
		}
		wantError(t, e.Err, `worker thief has sent it: this game is damaged: it names worker "victim"`)
	}
}

// Workers have subjects of their own, which tell who they are.
func TestSubjects(t *testing.T) {
	for worker, part := range map[string]string{
		"gpu-1-ABCDEFGH": "gpu-1.ABCDEFGH", "host.lan-ABCDEFGH": "host~lan.ABCDEFGH", "a-b.c": "a.b~c", "w": "w", "-w": "-w", "w-": "w-", "-": "-",
	} {
		games, err := GameSubject("run", worker)
		if err != nil || games != "games.run."+part {
			t.Errorf("the games of %s are under %s, %v", worker, games, err)
		}
		if asks := LeaseSubject("run", worker); asks != "lease.run."+part || LeaseWorker(asks) != worker {
			t.Errorf("%s asks on %s, which is heard of %s", worker, asks, LeaseWorker(asks))
		}
	}
}

// A log of an earlier version, which knew one subject only, or one part for each worker, goes on with workers.
func TestLogWithOneSubject(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: streamName("run"), Subjects: []string{"games.run", "games.run.*"}})
	if err != nil {
		t.Fatal(err)
	}
	old, err := Encode("host-1", logtest.Game(0, 5))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "games.run", old); err != nil {
		t.Fatal(err)
	}
	if old, err = Encode("host-1", logtest.Game(1, 5)); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "games.run.host-1", old); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, conn, LogConfig{})
	if sequence, err := openAppender(t, conn, "host-1").Append(t.Context(), logtest.Game(2, 5)); err != nil || sequence != 3 {
		t.Errorf("sequence number %d, error %v", sequence, err)
	}
	for i, e := range logtest.Entries(t, l, 0) {
		if e.Err != nil || e.Worker != "host-1" || e.Game.Number != uint64(i) {
			t.Errorf("%+v, want game %d", e, i)
		}
	}
}

// Many games cost a few writes of the watermark, and nobody has to ask for them.
func TestWatermarkFollows(t *testing.T) {
	fulltest.Only(t)
	conn := connect(t, startServer(t, ServerConfig{}))
	l := openLog(t, conn, LogConfig{})
	begin, before := time.Now(), marksWritten(t, conn)
	const games = 200
	logtest.Fill(t, l, "w", games)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := l.watermark.read(t.Context()); err != nil || got != (span{1, games}) {
		t.Errorf("the watermark is %v, %v after a flush", got, err)
	}
	written, took := marksWritten(t, conn)-before, time.Since(begin)
	if most := 2 + uint64(took/markWait); written > most { // one of the flush, and one that was due
		t.Errorf("the watermark was written %d times for %d games in %v, want %d times at most", written, games, took, most)
	}
	a := openAppender(t, conn, "other")
	for number := range uint64(3) {
		if _, err := a.Append(t.Context(), logtest.Game(number, 5)); err != nil {
			t.Fatal(err)
		}
	}
	logtest.Entries(t, l, games) // games of others are noted when they are read
	watcher, err := l.watermark.bucket.Watch(t.Context(), watermarkKey)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	for entry := range watcher.Updates() {
		if entry != nil && string(entry.Value()) == string(span{1, games + 3}.encode()) {
			return
		}
	}
	t.Error(fmt.Errorf("the watermark stays behind: %w", conn.LastError()))
}
