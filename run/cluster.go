package run

import (
	"context"
	"net/netip"
	"net/url"
	"os"

	"github.com/nats-io/nats.go"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/net"
	"tengen/selfplay/cluster"
)

// The server's memory is limited to serverMemory and modelCopies times the model's size.
const (
	serverMemory = 64 << 20 // bytes for tasks and entries
	modelCopies  = 5
)

// distribute lets workers play, too: it makes a coordinator on an external server or on the run's own, which it starts.
func (t *Training) distribute(ctx context.Context) error {
	cfg, c := t.cfg.Config, t.cfg.Config.Cluster
	conn, err := t.connect(c)
	if err != nil {
		return err
	}
	config := cluster.CoordinatorConfig{
		Run: cluster.EmbeddedRun, Server: t.server, Check: t.game.Validate, Verify: c.Verify, Report: t.cfg.Warn,
		Settings: cluster.Settings{
			Version: engine.Version(), Game: t.Game, Seed: cfg.Seed, Shape: t.game.Shape(),
			Search: cfg.Search, Selfplay: cfg.Selfplay, Arithmetic: net.Arithmetic(),
		},
	}
	config.Settings.Selfplay.Workers = 0 // each machine has its own
	if c.Server != "" {
		config.Run = c.Run
	}
	if c.Local {
		config.Local = t.local
	}
	if c.Verify > 0 {
		verified := cfg.Selfplay
		verified.CacheMegabytes = 0 // that memory is for the run's own games
		config.Verifier = t.game.SelfPlay(verified, cfg.Search, cfg.Seed)
	}
	t.workers, err = cluster.NewCoordinator(ctx, conn, config)
	return err
}

func (t *Training) connect(c cluster.Config) (conn *nats.Conn, err error) {
	if c.Server != "" {
		return cluster.Dial(cluster.DialConfig{URL: c.Server, TokenFile: c.TokenFile, CA: c.CA, Patient: true, Report: t.cfg.Warn})
	}
	t.server, err = cluster.StartServer(cluster.ServerConfig{
		Dir: t.cfg.Dir, Listen: c.Listen, CertFile: c.CertFile, KeyFile: c.KeyFile,
		MaxMemory: serverMemory + modelCopies*4*int64(t.Parameters), Report: t.cfg.Warn,
	})
	if err != nil {
		return nil, err
	}
	return t.server.Connect()
}

// JoinInfo describes how workers join a run.
type JoinInfo struct {
	Server  string // URL
	Run     string // name on an external server, "" on the run's own
	Add     string // arguments of the program that make a token; "" for an external server
	Command string // arguments that start a worker
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
		i.Server = t.server.URL()
		i.Add = "workers add " + printable.Word(t.cfg.Dir) + " NAME"
		i.Command = workerCommand(reachable(i.Server), cfg.CertFile)
	}
	return i, true
}

func workerCommand(server, ca string) string {
	command := "worker --server " + server + " --token-file token"
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
