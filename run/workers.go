package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"tengen/engine"
	"tengen/replay/gamesdb"
	"tengen/selfplay/cluster"
)

// Credential lets a worker join a run.
type Credential struct {
	Token   string // content of a token file
	Command string // arguments of the program for the worker, with the token in the file "token"
}

// AddWorker makes a token for a worker. The run stores only a public key.
func AddWorker(dir, name string) (c Credential, err error) {
	cfg, err := ownServer(dir, name)
	if err != nil {
		return c, err
	}
	c.Command = workerCommand(guessAddress(cfg.Cluster.Listen), cfg.Cluster.CertFile)
	token, err := cluster.AddWorker(dir, name)
	c.Token = string(token)
	return c, err
}

// ownServer checks a worker's name and returns the run's configuration. It fails for a run with an external server.
func ownServer(dir, worker string) (Config, error) {
	if err := cluster.CheckWorker(worker); err != nil {
		return Config{}, engine.InputError{Err: err}
	}
	cfg, _, err := ReadConfig(dir)
	if err == nil && cfg.Cluster.Server != "" {
		err = fmt.Errorf("the workers of %s join at %s: add and revoke them there", dir, cfg.Cluster.Server)
	}
	return cfg, err
}

// guessAddress returns the URL for a listen address, or "URL" if the port is unknown.
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

// RevokeWorker revokes a worker's token. The trainer disconnects the worker within a second.
func RevokeWorker(dir, name string) error {
	if _, err := ownServer(dir, name); err != nil {
		return err
	}
	return cluster.RevokeWorker(dir, name, cluster.Ban{})
}

// ListedWorker is a worker with a token and its games.
type ListedWorker struct {
	cluster.WorkerKey
	gamesdb.WorkerGames
}

// ListWorkers returns a run's workers, without their games if only these cannot be read.
func ListWorkers(ctx context.Context, dir string) ([]ListedWorker, error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return nil, err
	}
	workers, err := cluster.ListWorkers(dir)
	list := []ListedWorker{} // not null in JSON
	if err != nil || len(workers) == 0 {
		return list, err
	}
	var games map[string]gamesdb.WorkerGames // nil before the run begins
	r, err := gamesdb.OpenReader(ctx, dir, lockFile(dir))
	if err == nil {
		defer r.Close()
		games, err = r.Workers(ctx)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, w := range workers {
		list = append(list, ListedWorker{w, games[w.Name]})
	}
	return list, err
}
