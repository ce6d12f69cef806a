package run

import (
	"context"
	"net/netip"
	"net/url"
	"os"

	"github.com/nats-io/nats.go"

	"tengen/internal/printable"
	"tengen/net"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
)

// distribution manages a run's remote workers.
type distribution struct {
	*cluster.Coordinator
	server *cluster.Server // nil for an external server
}

// The server's memory is limited to serverMemory and modelCopies times the model's size.
const (
	serverMemory = 64 << 20 // bytes for tasks and entries
	modelCopies  = 5
)

// distribute makes a coordinator on the run's own server or an external one. The caller must close d even after an
// error.
func distribute(ctx context.Context, e Game, cfg Config, dir string, local selfplay.Player, parameters int, warn func(error)) (d *distribution, err error) {
	d = &distribution{}
	c := cfg.Cluster
	conn, err := d.connect(ctx, c, dir, parameters, warn)
	if err != nil {
		return d, err
	}
	run := cluster.EmbeddedRun
	if c.Server != "" {
		run = c.Run
	}
	settings := cluster.Settings{
		Version: Version(), Game: e.Info().Name, Seed: cfg.Seed, Shape: e.shape(),
		Search: cfg.Search, Selfplay: cfg.Selfplay, Arithmetic: net.Arithmetic(),
	}
	config := cluster.CoordinatorConfig{
		Run: run, Settings: settings, Server: d.server, Check: e.validate, Verify: c.Verify, Report: warn,
	}
	if c.Local {
		config.Local = local
	}
	if c.Verify > 0 {
		config.Verifier = e.SelfPlay(cfg)
	}
	d.Coordinator, err = cluster.NewCoordinator(ctx, conn, config)
	return d, err
}

// connect connects to the external server, or to the run's own, which it starts.
func (d *distribution) connect(ctx context.Context, c cluster.Config, dir string, parameters int, warn func(error)) (conn *nats.Conn, err error) {
	if c.Server != "" {
		return cluster.Dial(ctx, cluster.DialConfig{URL: c.Server, TokenFile: c.TokenFile, CA: c.CA, Patient: true, Report: warn})
	}
	d.server, err = cluster.StartServer(cluster.ServerConfig{
		Dir: dir, Listen: c.Listen, CertFile: c.CertFile, KeyFile: c.KeyFile, MaxMemory: serverMemory + modelCopies*4*int64(parameters),
		Report: warn,
	})
	if err != nil {
		return nil, err
	}
	return d.server.Connect()
}

// Close closes the coordinator and the server.
func (d *distribution) Close() error {
	if d.Coordinator != nil {
		d.Coordinator.Close()
	}
	if d.server != nil {
		return d.server.Close()
	}
	return nil
}

// JoinInfo describes how workers join a run.
type JoinInfo struct {
	Server  string // URL
	Run     string // name on an external server, "" on the run's own
	Add     string // command that makes a token; "" for an external server
	Command string // starts a worker
}

// JoinInfo returns how workers join; ok is false if the run takes none.
func (t *Training) JoinInfo() (i JoinInfo, ok bool) {
	if t.workers == nil {
		return i, false
	}
	cfg := t.cfg.Config.Cluster
	if cfg.Server != "" {
		i.Server, i.Run = cfg.Server, cfg.Run
		i.Command = workerCommand(i.Server+" --run "+i.Run, cfg.CA)
	} else {
		i.Server = t.workers.server.URL()
		i.Add = "tengen workers add " + printable.Word(t.cfg.Dir) + " NAME"
		i.Command = workerCommand(reachable(i.Server), cfg.CertFile)
	}
	return i, true
}

func workerCommand(server, ca string) string {
	command := "tengen worker --server " + server + " --token-file token"
	if ca != "" {
		command += " --ca " + printable.Word(ca)
	}
	return command
}

// reachable replaces an unspecified address, such as 0.0.0.0, by this machine's name.
func reachable(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil && address.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			u.Host = name + ":" + u.Port()
		}
	}
	return u.String()
}
