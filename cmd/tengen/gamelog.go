package main

import (
	"context"
	"errors"
	"path/filepath"

	"tengen/cluster"
)

// gamesFolder is the folder of a run directory with the log of its games.
const gamesFolder = "games"

// embeddedRun is the name of the only run in a run directory's own server.
const embeddedRun = "run"

// gameLog is the log of a run's games on a server in this process.
type gameLog struct {
	*cluster.Log
	server *cluster.Server
}

// openLog opens the log of the run in a directory. report is told what the server finds damaged.
func openLog(ctx context.Context, dir string, report func(message string)) (l *gameLog, err error) {
	l = &gameLog{}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	l.server, err = cluster.StartServer(cluster.ServerConfig{Dir: filepath.Join(dir, gamesFolder), Report: report})
	if err != nil {
		return nil, err
	}
	conn, err := l.server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if l.Log, err = cluster.OpenLog(ctx, conn, cluster.LogConfig{Run: embeddedRun}); err != nil {
		return nil, err
	}
	return l, nil
}

// Close ends the log and the server.
func (l *gameLog) Close() error {
	var errs []error
	if l.Log != nil {
		errs = append(errs, l.Log.Close())
	}
	if l.server != nil {
		errs = append(errs, l.server.Close())
	}
	return errors.Join(errs...)
}
