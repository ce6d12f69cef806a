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
	Token   string // content of its token file; the run keeps only a public key
	Command string // that it types, with the token in the file "token"
}

// AddWorker gives a worker a token for the run in a directory, which another process may train.
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

// ownServer is the configuration of the run in a directory, which must not use a server elsewhere.
func ownServer(dir string) (Config, error) {
	cfg, _, err := ReadConfig(dir)
	if err == nil && cfg.Cluster.Server != "" {
		err = errors.New("the workers of " + dir + " join at " + cfg.Cluster.Server + ", whose configuration says who may play: change it there")
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

// RevokeWorker takes a worker's token away. A process that trains the run cuts it off within seconds.
func RevokeWorker(dir, name string) error {
	if err := cluster.CheckWorker(name); err != nil {
		return asInput(err)
	}
	if _, err := ownServer(dir); err != nil {
		return err
	}
	return cluster.RevokeWorker(dir, name, cluster.Ban{})
}

// ListedWorker is a worker that was given a token, and what the run has stored of it.
type ListedWorker struct {
	cluster.WorkerKey
	gamesdb.WorkerGames
}

// ListWorkers lists the workers of the run in a directory, which another process may train.
func ListWorkers(ctx context.Context, dir string) ([]ListedWorker, error) {
	if _, _, err := ReadConfig(dir); err != nil {
		return nil, err
	}
	workers, err := cluster.ListWorkers(dir)
	list := []ListedWorker{} // [] in JSON where there is none
	if err != nil || len(workers) == 0 {
		return list, err
	}
	games, err := storedGames(ctx, dir)
	for _, w := range workers {
		list = append(list, ListedWorker{w, games[w.Name]})
	}
	return list, err
}

// storedGames is what a run has stored of its workers, nil before it begins.
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
