package natslog

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog/natstest"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

func TestLog(t *testing.T) {
	t.Parallel()
	logtest.Run(t, func(t *testing.T) replay.Log {
		return openLog(t, connect(t, startServer(t, ServerConfig{})), LogConfig{})
	})
}

func TestOpenLogErrors(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	for _, run := range []string{"", "a b", "a.b", ">", strings.Repeat("x", 101)} {
		_, err := OpenLog(t.Context(), conn, LogConfig{Run: run})
		wantError(t, err, "run name")
	}
	_, err := OpenLog(t.Context(), conn, LogConfig{Run: "run", Replicas: 3})
	wantError(t, err, "replicas")
}

// A log goes on where it stopped, and so does what it has dropped.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	s := startServer(t, ServerConfig{Dir: dir})
	l := openLog(t, connect(t, s), LogConfig{MaxBytes: 1 << 20})
	logtest.Fill(t, l, "w", 10)
	if err := l.Retain(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, connect(t, startServer(t, ServerConfig{Dir: dir})), LogConfig{Duplicates: 10 * time.Second})
	if entries := logtest.Entries(t, l, 0); len(entries) != 3 || entries[0].Sequence != 8 {
		t.Errorf("%+v, want 3 entries from 8 on", entries)
	}
	if got := l.games.CachedInfo().Config.MaxBytes; got != 1<<20 {
		t.Errorf("the bound on the size became %d", got)
	}
	if got := l.games.CachedInfo().Config.Duplicates; got != 10*time.Second {
		t.Errorf("the server recognises games for %v", got)
	}
	l = openLog(t, l.js.Conn(), LogConfig{})
	if got := l.games.CachedInfo().Config; got.MaxBytes != 1<<20 || got.Duplicates != 10*time.Second {
		t.Errorf("opened once more: %+v", got)
	}
	if sequence, err := l.Append(t.Context(), "w", logtest.Game(10, 5)); err != nil || sequence != 11 {
		t.Errorf("appended as %d, error %v", sequence, err)
	}
}

// What the server does not take for a duplicate is found when it is read; what is not a game, too; and what has been
// deleted behind the log's back is missing.
func TestReported(t *testing.T) {
	l := openLog(t, connect(t, startServer(t, ServerConfig{})), LogConfig{})
	logtest.Fill(t, l, "w", 4)
	again, err := Encode("w", logtest.Game(1, 5))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{again, []byte("garbage")} {
		if _, err := l.js.Publish(t.Context(), l.subject, data); err != nil { // without a message id
			t.Fatal(err)
		}
	}
	logtest.Fill(t, l, "v", 1)
	for _, sequence := range []uint64{1, 3} {
		if err := l.games.DeleteMsg(t.Context(), sequence); err != nil {
			t.Fatal(err)
		}
	}
	want := []error{replay.ErrMissing, nil, replay.ErrMissing, nil, replay.ErrDuplicate, replay.ErrDamaged, nil}
	for after := range want {
		fresh := openLog(t, l.js.Conn(), LogConfig{})
		entries := logtest.Entries(t, fresh, uint64(after))
		if len(entries) != len(want)-after {
			t.Fatalf("%d entries after %d", len(entries), after)
		}
		for i, e := range entries {
			if !errors.Is(e.Err, want[after+i]) || (e.Err == nil) != (e.Game != nil) || e.Sequence != uint64(after+i+1) {
				t.Errorf("after %d: %+v, want error %v", after, e, want[after+i])
			}
		}
	}
	if err := l.Retain(t.Context(), 6); err != nil { // games 2 and 4 have the sequence numbers 2 and 4, the last one 7
		t.Fatal(err)
	}
	if entries := logtest.Entries(t, l, 0); len(entries) != 4 || entries[0].Sequence != 4 {
		t.Errorf("kept %+v, want 4 entries from 4 on", entries)
	}
}

// Reading stops before a game that a later version of the program has written, however it is asked for. Such a game is neither
// damaged nor dropped.
func TestLogStopsAtALaterVersion(t *testing.T) {
	fulltest.Only(t)
	for name, data := range map[string][]byte{"message": later(t, 7, true, false), "record": later(t, 7, false, true)} {
		t.Run(name, func(t *testing.T) {
			l := openLog(t, connect(t, startServer(t, ServerConfig{})), LogConfig{})
			logtest.Fill(t, l, "w", 2)
			if _, err := l.js.Publish(t.Context(), l.subject, data); err != nil {
				t.Fatal(err)
			}
			logtest.Fill(t, l, "v", 2)
			for name, read := range map[string]func(l *Log, after uint64, yield func(replay.Entry) error) error{
				"Read": func(l *Log, after uint64, yield func(replay.Entry) error) error {
					return l.Read(t.Context(), after, yield)
				},
				"Follow": func(l *Log, after uint64, yield func(replay.Entry) error) error {
					return l.Follow(t.Context(), after, yield)
				},
				"Retain": func(l *Log, _ uint64, _ func(replay.Entry) error) error { return l.Retain(t.Context(), 5) },
			} {
				for after := range uint64(4) {
					var games []uint64
					err := read(openLog(t, l.js.Conn(), LogConfig{}), after, func(e replay.Entry) error {
						if e.Err != nil {
							t.Error(e.Err)
						}
						games = append(games, e.Sequence)
						return nil
					})
					if !errors.Is(err, replay.ErrVersion) {
						t.Errorf("%s after %d: %v", name, after, err)
					}
					wantError(t, err, "sequence number 3: ")
					if want := []uint64{1, 2}[min(after, 2):]; name != "Retain" && !slices.Equal(games, want) {
						t.Errorf("%s after %d: entries %v, want %v", name, after, games, want)
					}
				}
			}
			if info, err := l.games.Info(t.Context()); err != nil || info.State.Msgs != 5 {
				t.Errorf("the server has %+v, %v", info, err)
			}
		})
	}
}

// A reader that follows outlives its server.
func TestFollowOverRestart(t *testing.T) {
	t.Parallel()
	dir, host, port := t.TempDir(), natstest.Loopback(), server.RANDOM_PORT
	start := func() *server.Server {
		return natstest.Start(t, &server.Options{JetStream: true, StoreDir: dir, NoSigs: true, Host: host, Port: port})
	}
	s := start()
	port = s.Addr().(*net.TCPAddr).Port
	conn, err := Dial(t.Context(), ClientConfig{URL: s.ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	l := openLog(t, conn, LogConfig{})
	logtest.Fill(t, l, "w", 2)
	stop := errors.New("stop")
	next := uint64(0)
	err = l.Follow(t.Context(), 0, func(e replay.Entry) error {
		if e.Err != nil || e.Game.Number != next {
			t.Errorf("%+v, want game %d", e, next)
		}
		if next++; next == 2 {
			s.Shutdown()
			s.WaitForShutdown()
			start()
		}
		if next >= 2 && next < 4 {
			_, err := l.Append(t.Context(), "w", logtest.Game(next, 5))
			return err
		}
		if next == 4 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("Follow: %v", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	l := openLog(b, connect(b, startServer(b, ServerConfig{})), LogConfig{})
	number := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Append(b.Context(), "w", logtest.Game(number, 25)); err != nil {
			b.Fatal(err)
		}
		number++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

// A server that loses the end of the log under its reader gives no sequence number twice.
func TestEndIsLostUnderReader(t *testing.T) {
	const games, left = 10, 6
	reported := make(chan error, 9)
	l := openLog(t, connect(t, startServer(t, ServerConfig{})), LogConfig{Report: func(err error) { reported <- err }})
	logtest.Fill(t, l, "w", games)
	loseEnd := func() {
		if err := l.js.DeleteStream(t.Context(), l.stream); err != nil {
			t.Error(err)
		}
		if _, err := l.js.CreateStream(t.Context(), l.games.CachedInfo().Config); err != nil {
			t.Error(err)
		}
		logtest.Fill(t, l, "w", left)
	}
	stop := errors.New("stop")
	var appending sync.WaitGroup
	err := l.Follow(t.Context(), 0, func(e replay.Entry) error {
		switch e.Sequence {
		case games:
			loseEnd()
			appending.Go(func() {
				wantError(t, <-reported, "the sequence numbers from 7 to 10")
				if sequence, err := l.Append(t.Context(), "w", logtest.Game(games, 5)); err != nil || sequence != games+1 {
					t.Errorf("the next game has sequence number %d, error %v", sequence, err)
				}
			})
		case games + 1:
			if e.Err != nil || e.Game.Number != games {
				t.Errorf("%+v, want game %d", e, games)
			}
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	appending.Wait()
	for i, e := range logtest.Entries(t, openLog(t, l.js.Conn(), LogConfig{}), 0) {
		if lost := i >= left && i < games; lost != errors.Is(e.Err, replay.ErrMissing) || !lost && e.Err != nil {
			t.Errorf("entry %d: %v", e.Sequence, e.Err)
		}
	}
}

// BenchmarkAppendMany has as many games under way as a run does that plays small ones by itself.
func BenchmarkAppendMany(b *testing.B) {
	l := openLog(b, connect(b, startServer(b, ServerConfig{})), LogConfig{})
	var number atomic.Uint64
	var appending sync.WaitGroup
	b.ResetTimer()
	for range 256 {
		appending.Go(func() {
			for n := number.Add(1); n <= uint64(b.N); n = number.Add(1) {
				if _, err := l.Append(b.Context(), "w", logtest.Game(n, 7)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	appending.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

func BenchmarkRead(b *testing.B) {
	const games = 20_000
	conn := connect(b, startServer(b, ServerConfig{}))
	l := openLog(b, conn, LogConfig{})
	for i := range games { // without waiting for each
		data, err := Encode("w", logtest.Game(uint64(i), 25))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.js.PublishAsync(l.subject, data, jetstream.WithStallWait(time.Minute)); err != nil {
			b.Fatal(err)
		}
	}
	<-l.js.PublishAsyncComplete()
	b.ReportAllocs()
	for b.Loop() {
		if n := len(logtest.Entries(b, l, 0)); n != games {
			b.Fatalf("%d games", n)
		}
	}
	b.ReportMetric(games*float64(b.N)/b.Elapsed().Seconds(), "games/s")
}
