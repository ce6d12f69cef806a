package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
	"tengen/internal/childtest"
	"tengen/internal/fulltest"
	"tengen/replay"
)

// playUntilKilled is a worker in a process of its own.
func playUntilKilled() error {
	ctx := context.Background()
	cfg := workerConfig(os.Getenv("TENGEN_DIR"))
	conn, err := dialWorker(ctx, os.Getenv("TENGEN_URL"), cfg)
	for deadline := time.Now().Add(time.Minute); errors.Is(err, nats.ErrAuthorization) && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // until the server has noticed that the one before, of the same name, is gone
		conn, err = dialWorker(ctx, os.Getenv("TENGEN_URL"), cfg)
	}
	if err != nil {
		return err
	}
	w, err := NewWorker(ctx, conn, cfg)
	if err != nil {
		return err
	}
	fmt.Println(w.Name())
	return w.Run(ctx)
}

// Workers that are killed lose no game that they had finished, and use no number twice.
func TestKilledWorker(t *testing.T) {
	fulltest.Only(t)
	t.Parallel()
	s := startServer(t, natslog.ServerConfig{Listen: "127.0.0.1:0", Admit: admit})
	c := startCoordinator(t, connect(t, s), CoordinatorConfig{MaxModelAge: 9, MaxBacklog: 1})
	dir := t.TempDir()
	wanted := map[string]bool{}
	cursor := uint64(0)
	for model := range uint64(rounds(4, 40)) {
		p := childtest.Start(t, "TENGEN_CHILD=worker", "TENGEN_DIR="+dir, "TENGEN_URL="+s.URL())
		if !p.Out.Scan() {
			p.End()
			t.Fatal(&p.Stderr)
		}
		name := p.Out.Text()
		cursor = c.next(t, model, cursor, 20).Cursor
		p.End()
		for _, number := range unsent(t, dir) {
			wanted[gameName(name, number)] = true
		}
	}
	t.Logf("%d games were unsent at a kill", len(wanted))
	_, stop := startWorker(t, connect(t, s), workerConfig(dir)) // it sends what the others have left
	left := maps.Clone(wanted)
	err := c.log.Follow(t.Context(), 0, func(e replay.Entry) error {
		if e.Game != nil {
			delete(left, gameName(e.Worker, e.Game.Number))
		}
		if len(left) == 0 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Error(err)
	}
	stop()
	checkOnce(t, c.log, wanted)
}
