package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/engine"
	"tengen/net"
	"tengen/selfplay/cluster"
	"tengen/selfplay/netplayer"
)

// WorkerConfig configures a worker for a remote run.
type WorkerConfig struct {
	Server  cluster.DialConfig
	Run     string        // cluster.EmbeddedRun for a run's own server
	Workers int           // goroutines; 0: one per core, two per core with a device
	Device  string        // as compute.device; "": cpu
	Drain   time.Duration // see cluster.WorkerConfig
	Wait    bool          // see cluster.WorkerConfig
	Warn    func(error)   // called concurrently
}

// Worker is a worker and its device.
type Worker struct {
	*cluster.Worker
	device *net.Device // nil: this processor
}

// Close closes the connection and frees the device's memory. It must not be called during Run.
func (w *Worker) Close() {
	w.Worker.Close()
	w.device.Close()
}

// NewWorker joins a run. If the server does not answer or the run has not begun, it warns once and retries until ctx
// ends.
func NewWorker(ctx context.Context, c WorkerConfig) (*Worker, error) {
	device, err := net.OpenDevice(cmp.Or(c.Device, "cpu"), c.Warn)
	if err != nil {
		return nil, err
	}
	for waiting := false; ; waiting = true {
		w, err := join(ctx, c, device)
		if err == nil {
			return &Worker{w, device}, nil
		}
		if !errors.Is(err, nats.ErrNoServers) && !errors.Is(err, cluster.ErrNoRun) {
			device.Close()
			return nil, err
		}
		if !waiting {
			c.Warn(fmt.Errorf("waiting for the run to begin: %w", err))
		}
		select {
		case <-ctx.Done():
			device.Close()
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func join(ctx context.Context, c WorkerConfig, device *net.Device) (*cluster.Worker, error) {
	name, err := cluster.TokenName(c.Server.TokenFile)
	if err != nil {
		return nil, err
	}
	c.Server.Report = c.Warn
	conn, err := cluster.Dial(c.Server)
	if err != nil {
		return nil, err
	}
	return cluster.Join(ctx, conn, cluster.WorkerConfig{
		Run: c.Run, Version: engine.Version(), Name: name, Drain: c.Drain, Wait: c.Wait, Report: c.Warn,
		Open: func(s cluster.Settings) (cluster.Player, error) {
			e, err := engine.OpenRecorded(s.Game)
			if err != nil {
				return nil, err
			}
			return playerFor(e, s, c.Workers, device)
		},
	})
}

// playerFor returns a player of the trainer's games.
func playerFor(e engine.Game, s cluster.Settings, workers int, device *net.Device) (p *netplayer.Player, err error) {
	if shape := e.Shape(); s.Shape != shape {
		return p, fmt.Errorf("the run's networks are for %v, but %s has %v here: use the trainer's version of the program", s.Shape, s.Game, shape)
	}
	s.Selfplay.Workers = workers
	if err := cmp.Or(s.Search.Validate(), s.Selfplay.Validate()); err != nil {
		return p, err
	}
	p = e.SelfPlay(s.Selfplay, s.Search, s.Seed)
	p.Use(device)
	return p, nil
}
