package run

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"sync"

	"github.com/nats-io/nats.go"

	"tengen/net"
	"tengen/selfplay/cluster"
)

// distribution is the part of a run that manages remote workers.
type distribution struct {
	*cluster.Pool
	server *cluster.Server // nil if the server is external
	conn   *nats.Conn

	mu     sync.Mutex
	caught []string // since the last call to Caught
}

// Memory limits of the run's own server: a base for tasks and entries, and the number of models that fit in addition.
const (
	serverMemory = 64 << 20
	modelCopies  = 5
)

func (d *distribution) catch(workers ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.caught = append(d.caught, workers...)
}

// Caught returns the workers banned for false games since the last call.
func (d *distribution) Caught() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	caught := d.caught
	d.caught = nil
	return caught
}

// distribute starts the run's server, or connects to the configured one, and opens it to workers. local also plays
// games, in this process, if cluster.local is set.
func distribute(ctx context.Context, e Game, cfg Config, dir string, local cluster.Player, parameters int, warn func(error)) (d *distribution, err error) {
	d = &distribution{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	c := cfg.Cluster
	run := cluster.EmbeddedRun
	if c.Server != "" {
		run = c.Run
		d.conn, err = cluster.Dial(ctx, cluster.DialConfig{URL: c.Server, TokenFile: c.TokenFile, CA: c.CA, Patient: true, Report: warn})
	} else {
		d.server, err = cluster.StartServer(cluster.ServerConfig{
			Dir: dir, Listen: c.Listen, CertFile: c.CertFile, KeyFile: c.KeyFile, MaxMemory: serverMemory + modelCopies*4*int64(parameters),
			Report: warn,
		})
		if err == nil {
			d.conn, err = d.server.Connect(ctx)
		}
		if err == nil { // an earlier process may have stopped before it replaced their games
			d.caught, err = cluster.FalseWorkers(dir)
		}
	}
	if err != nil {
		return d, err
	}
	settings := cluster.Settings{
		Version: Version(), Run: run, Game: e.Info().Name, Seed: cfg.Seed, Shape: e.shape(),
		Search: cfg.Search, Selfplay: cfg.Selfplay, Arithmetic: net.Arithmetic(),
	}
	pool := cluster.PoolConfig{
		Run: run, Settings: settings, Alone: d.server != nil, Mixed: c.Mixed, Check: e.validate, Verify: c.Verify, Report: warn,
		Revoke: func(worker string, why cluster.Ban) error {
			if why.FalseGames {
				d.catch(worker)
			}
			if d.server == nil {
				return fmt.Errorf("worker %s is on a server elsewhere: take its account away there", worker)
			}
			return cluster.RevokeWorker(dir, worker, why)
		},
	}
	if c.Local {
		pool.Local = local
	}
	if c.Verify > 0 {
		pool.Replay = e.generator(cfg, "")
	}
	d.Pool, err = cluster.NewPool(ctx, d.conn, pool)
	return d, err
}

// Close closes the pool, the connection and the server.
func (d *distribution) Close() error {
	var errs []error
	if d.Pool != nil {
		errs = append(errs, d.Pool.Close())
	}
	if d.conn != nil {
		d.conn.Close()
	}
	if d.server != nil {
		errs = append(errs, d.server.Close())
	}
	return errors.Join(errs...)
}

// Invitation tells users how to let workers join the run.
type Invitation struct {
	Server  string // URL
	Run     string // name on an external server, "" on the run's own
	Add     string // command that makes a worker's token, "" for an external server
	Command string // command for the worker
}

// Invitation returns how workers join. ok is false if the run takes none.
func (t *Training) Invitation() (i Invitation, ok bool) {
	if t.workers == nil {
		return i, false
	}
	cfg := t.cfg.Config.Cluster
	ca := cfg.CA
	if cfg.Server != "" {
		i.Server, i.Run = cfg.Server, cfg.Run
		i.Command = "tengen worker --server " + i.Server + " --run " + i.Run + " --token-file token"
	} else {
		i.Server, ca = t.workers.server.URL(), cfg.CertFile
		i.Add = "tengen workers add " + t.cfg.Dir + " NAME"
		i.Command = "tengen worker --server " + reachable(i.Server) + " --token-file token"
	}
	if ca != "" {
		i.Command += " --ca " + ca
	}
	return i, true
}

// reachable returns a server's URL with this machine's name in place of an unspecified address.
func reachable(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	address, err := netip.ParseAddr(u.Hostname())
	if name, unknown := os.Hostname(); err == nil && unknown == nil && address.IsUnspecified() {
		u.Host = name + ":" + u.Port()
	}
	return u.String()
}
