package engine

import (
	"context"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"

	"tengen/cluster"
	"tengen/cluster/natslog"
)

// WorkerConfig describes a worker for a run somewhere else.
type WorkerConfig struct {
	Server  natslog.ClientConfig
	Run     string // its name on the server, EmbeddedRun on a run's own
	Spool   string // directory for the worker's name and its unsent games
	Workers int    // goroutines that play, 0 for one per core
	Warn    func(error)
}

// Worker plays games for a run.
type Worker struct {
	*cluster.Worker
	conn *nats.Conn
}

// NewWorker joins a run. It waits for a run that is not there yet, until ctx ends.
func NewWorker(ctx context.Context, c WorkerConfig) (*Worker, error) {
	client := c.Server
	client.Name = "tengen worker"
	client.OnDisconnect = func(err error) {
		if err != nil {
			c.Warn(fmt.Errorf("the connection is lost (%w): playing on", err))
		}
	}
	client.OnReconnect = func(url string) { c.Warn(fmt.Errorf("connected again to %s", url)) }
	conn, err := natslog.Dial(ctx, client)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	w, err := cluster.NewWorker(ctx, conn, cluster.WorkerConfig{
		Run: c.Run, Version: Version(), Spool: c.Spool, Host: host, Report: c.Warn,
		Open: func(s cluster.Settings, seed uint64) (cluster.Player, error) {
			e, err := Open(s.Game)
			if err != nil {
				return nil, err
			}
			return e.player(s, seed, c.Workers)
		},
	})
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Worker{w, conn}, nil
}

// Close ends the worker and its connection.
func (w *Worker) Close() error {
	err := w.Worker.Close()
	w.conn.Close()
	return err
}
