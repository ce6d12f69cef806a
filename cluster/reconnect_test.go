package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tengen/cluster/natslog"
	"tengen/internal/fulltest"
	tnet "tengen/net"
	"tengen/replay"
)

// proxy passes connections on to a server that may change. Its port stays taken while there is none, so that nobody else can
// have it in between.
type proxy struct {
	net.Listener
	server atomic.Pointer[natslog.Server]
}

func (p *proxy) url() string { return "nats://" + p.Addr().String() }

func startProxy(t *testing.T, s *natslog.Server) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l}
	p.server.Store(s)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { p.pass(client) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.server.Load().Close()
		wait.Wait()
	})
	return p
}

// pass passes on what both sides say until one of them hangs up.
func (p *proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", strings.TrimPrefix(p.server.Load().URL(), "nats://"))
	if err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(server, client)
		server.Close()
	}()
	io.Copy(client, server)
	client.Close()
	server.Close()
	<-done
}

// A worker whose server is stopped and started again, at the same address as far as it can tell, loses nothing, and nothing
// comes twice.
func TestWorkerReconnects(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, natslog.ServerConfig{Dir: dir, Listen: "127.0.0.1:0", Admit: admit})
	p := startProxy(t, s)
	cfg := CoordinatorConfig{MaxModelAge: 9, MaxBacklog: 5}
	c := startCoordinator(t, connect(t, s), cfg)
	r := &recorder{finished: map[string]bool{}}
	playing := workerConfig(t.TempDir())
	playing.Open = func(s Settings, seed uint64) (Player, error) {
		player, err := openPlayer(s, seed)
		r.Player = player
		return r, err
	}
	w, err := NewWorker(t.Context(), dial(t, p.url(), playing), playing)
	if err != nil {
		t.Fatal(err)
	}
	r.worker = w.Name()
	stop := run(t, w)
	cursor := uint64(0)
	for model := range uint64(3) {
		h := c.next(t, model, cursor, 30)
		cursor = h.Cursor
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = startServer(t, natslog.ServerConfig{Dir: dir, Listen: "127.0.0.1:0", Admit: admit})
		p.server.Store(s)
		c = startCoordinator(t, connect(t, s), cfg)
	}
	c.next(t, 3, cursor, 200) // more than could be waiting: the worker plays on
	stop()
	for _, number := range unsent(t, w.spool.dir) {
		delete(r.finished, gameName(w.Name(), number))
	}
	checkOnce(t, c.log, r.finished)
}

// recorder notes the games that a worker has finished.
type recorder struct {
	Player
	worker   string
	mu       sync.Mutex
	finished map[string]bool
}

func (r *recorder) Play(
	ctx context.Context, model uint64, w *tnet.Weights, next func() (uint64, bool), finished func(*replay.Record) error,
) (replay.Stats, error) {
	return r.Player.Play(ctx, model, w, next, func(g *replay.Record) error {
		err := finished(g)
		if err == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.finished[gameName(r.worker, g.Number)] = true
		}
		return err
	})
}

// gameName tells the games of all workers apart.
func gameName(worker string, number uint64) string { return fmt.Sprint(worker, " ", number) }

// unsent lists the games in a spool's folder.
func unsent(t *testing.T, dir string) (numbers []uint64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "????????????.game"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range unpack(content) {
			_, g, err := natslog.Decode(content[at.offset : at.offset+at.length])
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, g.Number)
		}
	}
	return numbers
}
