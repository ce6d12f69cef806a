package engine

import (
	"fmt"
	"net"
	"path/filepath"
	"time"

	"tengen/cluster/access"
	"tengen/cluster/natslog"
)

// workerList is the file of a run directory with the workers that have a token of their own.
func workerList(dir string) access.List { return access.List(filepath.Join(dir, "workers.json")) }

// caughtList is the file of a run directory with the workers that are kept out for what they have sent.
func caughtList(dir string) access.CaughtFile {
	return access.CaughtFile(filepath.Join(dir, "caught.jsonl"))
}

// Credential is what a worker needs to join a run under a name of its own.
type Credential struct {
	Token   string // content of its token file; the run keeps only a hash of it
	Command string // that it types, with the token in the file "token"
}

// AddWorker gives a worker a token of its own for the run in a directory, which another process may train. A worker that was
// revoked may be added anew.
func AddWorker(dir, name string) (c Credential, err error) {
	if err := access.CheckName(name); err != nil {
		return c, asInput(err)
	}
	cfg, err := ownServer(dir)
	if err != nil {
		return c, err
	}
	c.Command = "tengen worker --server " + guessAddress(cfg.Cluster.Listen) + " --token-file token"
	if cfg.Cluster.CertFile != "" {
		c.Command += " --ca " + cfg.Cluster.CertFile
	}
	c.Token, err = workerList(dir).Add(name, time.Now())
	return c, err
}

// ownServer is the configuration of the run in a directory, which must have a server of its own.
func ownServer(dir string) (Config, error) {
	cfg, _, err := ReadConfig(dir)
	if err == nil && cfg.Cluster.Server != "" {
		err = fmt.Errorf("the games of %s are on %s, whose files say who may play: change workers.conf there, as docs/workers.md says of three servers",
			dir, cfg.Cluster.Server)
	}
	return cfg, err
}

// guessAddress is the URL of a server that listens at an address, as far as that says.
func guessAddress(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" {
		return "URL"
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return reachable("nats://" + net.JoinHostPort(host, port))
}

// RevokeWorker keeps a worker out of the run in a directory, which another process may train; it is cut off within seconds. The name
// is one that was added, or one as the log of games has it; own says whether the worker has a token of its own.
func RevokeWorker(dir, name string) (own bool, err error) {
	if err := natslog.CheckWorker(name); err != nil {
		return false, asInput(err)
	}
	if _, err := ownServer(dir); err != nil {
		return false, err
	}
	return workerList(dir).Revoke(name, time.Now())
}

// ListWorkers lists the workers of the run in a directory that were added or revoked.
func ListWorkers(dir string) ([]access.Worker, error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return nil, err
	}
	return workerList(dir).Workers()
}
