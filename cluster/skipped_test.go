package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster/natslog"
	"tengen/cluster/natslog/natstest"
	"tengen/internal/fulltest"
	"tengen/replay/logtest"
)

// connectFast starts a server that syncs nothing, for tests with very many games.
func connectFast(t *testing.T) *nats.Conn {
	t.Helper()
	s := natstest.Start(t, &server.Options{
		ServerName: "fast", JetStream: true, StoreDir: filepath.Join(t.TempDir(), "store"), DontListen: true, NoSigs: true, NoLog: true,
	})
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// publishMany puts messages into the log of a run as they are, many at once.
func publishMany(t *testing.T, conn *nats.Conn, n int, message func(i int) []byte) {
	t.Helper()
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(4000))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := js.PublishAsync("games.run", message(i), jetstream.WithStallWait(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	select {
	case <-js.PublishAsyncComplete():
	case <-ctx.Done():
		t.Fatal("the server does not take the games")
	}
}

// A run that has refused 200,000 games, and read 20,000 messages that are none, takes the others, goes on with the same after a
// restart, and says so in a few lines.
func TestManyRefused(t *testing.T) {
	fulltest.Only(t)
	const messages, games, every = 220_000, 10, 22_000
	conn := connectFast(t)
	cfg := CoordinatorConfig{MaxModelAge: 1, MaxBacklog: 1, Check: anyGame}
	c := startCoordinator(t, conn, cfg)
	var numbers []uint64
	publishMany(t, conn, messages, func(i int) []byte {
		g := logtest.Game(uint64(i), 1)
		switch {
		case i%every == every-1:
			g.Model = 5
			numbers = append(numbers, g.Number)
		case i < 200_000:
			g.Model = 1
		default:
			return fmt.Append(nil, "garbage ", i)
		}
		message, err := natslog.Encode("w", g)
		if err != nil {
			t.Fatal(err)
		}
		return message
	})
	first := c.next(t, 5, 0, games-1)
	wantNumbers(t, first.Games, numbers[:games-1]...)
	if len(first.Notes) > 1000 {
		t.Errorf("the notes take %d bytes", len(first.Notes))
	}
	last := c.next(t, 5, first.Cursor, 1)
	wantNumbers(t, last.Games, numbers[games-1])
	if len(c.reports) > 20 || !strings.Contains(strings.Join(c.reports, "\n"), "more like that: 19989; ") {
		t.Errorf("it reports\n%s", strings.Join(c.reports, "\n"))
	}
	resumed := startCoordinator(t, conn, cfg)
	before, err := resumed.Recent(t.Context(), first.Cursor, first.Notes, games)
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, append(before, resumed.next(t, 5, first.Cursor, 1).Games...), numbers...)
}
