package run

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"tengen/replay/gamesdb"
	"tengen/selfplay/cluster"
	"tengen/train/checkpoint"
)

// Credential is what a worker needs to join a run.
type Credential struct {
	Token   string // content of the token file; the run stores only a public key
	Command string // command for the worker, with the token in the file "token"
}

// AddWorker makes a token for a worker of the run in a directory. Another process may be training the run.
func AddWorker(dir, name string) (c Credential, err error) {
	if err := cluster.CheckWorker(name); err != nil {
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
	token, err := cluster.AddWorker(dir, name)
	c.Token = string(token)
	return c, err
}

// ownServer returns the configuration of the run in a directory. It returns an error if the run uses an external
// server.
func ownServer(dir string) (Config, error) {
	cfg, _, err := ReadConfig(dir)
	if err == nil && cfg.Cluster.Server != "" {
		err = errors.New("the workers of " + dir + " join at " + cfg.Cluster.Server + ", whose configuration says who may play: change it there")
	}
	return cfg, err
}

// guessAddress returns the URL of a server with the given listen address, or "URL" if the port is unknown.
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

// RevokeWorker revokes a worker's token. A training process disconnects the worker within seconds.
func RevokeWorker(dir, name string) error {
	if err := cluster.CheckWorker(name); err != nil {
		return asInput(err)
	}
	if _, err := ownServer(dir); err != nil {
		return err
	}
	return cluster.RevokeWorker(dir, name, cluster.Ban{})
}

// ListedWorker is a worker with a token, and the games that the run has stored from it.
type ListedWorker struct {
	cluster.WorkerKey
	gamesdb.WorkerGames
}

// ListWorkers returns the workers of the run in a directory. Another process may be training it.
func ListWorkers(ctx context.Context, dir string) ([]ListedWorker, error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return nil, err
	}
	workers, err := cluster.ListWorkers(dir)
	list := []ListedWorker{} // [] in JSON, not null
	if err != nil || len(workers) == 0 {
		return list, err
	}
	games, err := storedGames(ctx, dir)
	for _, w := range workers {
		list = append(list, ListedWorker{w, games[w.Name]})
	}
	return list, err
}

// storedGames returns the games stored by worker, or nil before the run begins.
func storedGames(ctx context.Context, dir string) (map[string]gamesdb.WorkerGames, error) {
	if _, err := os.Lstat(filepath.Join(dir, gamesdb.FileName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r, err := gamesdb.OpenReader(ctx, dir, filepath.Join(dir, checkpoint.LockFile))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Workers(ctx)
}
