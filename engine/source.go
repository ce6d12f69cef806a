package engine

import (
	"context"
	"errors"
	"path/filepath"

	"tengen/cluster"
	"tengen/cluster/access"
	"tengen/net"
	"tengen/replay"
	"tengen/train"
	"tengen/train/rundir"
)

// source is where the games of a run come from.
type source interface {
	train.GameSource
	run(ctx context.Context, loop *train.Loop) error
	Close() error
}

// journal is the source of a run that plays its games itself.
type journal struct{ *train.Journal }

func (journal) run(ctx context.Context, loop *train.Loop) error { return loop.Run(ctx) }

// Close has nothing to do.
func (journal) Close() error { return nil }

// runIDFile is the file of a run directory with a text that tells the run from all others, as soon as it has had workers.
const runIDFile = "run-id"

// source is a coordination if workers may join or, as their games are in the log, ever could; else it is a journal.
func (e typed[S]) source(ctx context.Context, cfg Config, dir string, log *gameLog, w *net.Weights, warn func(error)) (source, error) {
	if cfg.Cluster.Distributed() || fileExists(filepath.Join(dir, runIDFile)) {
		c, err := e.coordinate(ctx, cfg, dir, log, w, warn)
		if err != nil {
			return nil, err // and no source that is a nil *coordination
		}
		return c, nil
	}
	return journal{train.NewJournal(log, e.newGenerator(cfg, w), cfg.Seed, func(e replay.Entry) { warn(e.Err) })}, nil
}

// coordination is the part of a run that has workers.
type coordination struct {
	*cluster.Coordinator
	local *cluster.Worker // nil if this process does not play
}

// coordinate makes a run's games come from workers. warn is told of games that are refused or lost.
func (e typed[S]) coordinate(
	ctx context.Context, cfg Config, dir string, log *gameLog, w *net.Weights, warn func(error),
) (c *coordination, err error) {
	id, err := Secret(filepath.Join(dir, runIDFile))
	if err != nil {
		return nil, err
	}
	verify, err := e.verification(cfg, dir)
	if err != nil {
		return nil, err
	}
	c = &coordination{}
	c.Coordinator, err = cluster.NewCoordinator(ctx, log.conn, log.Log, cluster.CoordinatorConfig{
		Run: log.run, Replicas: cfg.Cluster.Replicas,
		Settings: cluster.Settings{
			Version: Version(), Run: id, Game: e.game.Name(), Seed: cfg.Seed,
			Shape: net.ShapeOf(e.game), Search: cfg.Search, Selfplay: cfg.Selfplay,
		},
		MaxModelAge: cfg.Cluster.MaxModelAge, MaxBacklog: cfg.Cluster.MaxBacklog, Elsewhere: !cfg.Cluster.Local, Alone: true,
		Check: e.validate, Room: room(dir, w.Count(), log.server), Verify: verify, Report: warn,
	})
	if err != nil {
		return nil, err
	}
	if !cfg.Cluster.Local {
		return c, nil
	}
	c.local, err = cluster.NewWorker(ctx, log.conn, cluster.WorkerConfig{
		Run: log.run, Version: Version(), Spool: filepath.Join(dir, "worker"), Host: access.Local,
		Open: func(s cluster.Settings, seed uint64) (cluster.Player, error) {
			return e.player(s, seed, cfg.Selfplay.Workers)
		},
		Report: warn,
	})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.Trust(c.local.Name(), c.local.Instance())
	return c, nil
}

// verifySecretFile is the file of a run directory with what decides which games of workers are played again.
const verifySecretFile = "verify-secret"

// verification says how the run in a directory verifies the games of workers elsewhere.
func (e typed[S]) verification(cfg Config, dir string) (v cluster.VerifyConfig, err error) {
	v = cluster.VerifyConfig{Share: cfg.Cluster.Verify, Caught: caughtList(dir), Gated: cfg.Cluster.Server == ""}
	if v.Share == 0 {
		return v, nil
	}
	v.Open = func(s cluster.Settings, set string) (cluster.Replayer, error) {
		return e.replayer(set, s, cfg.Selfplay.Workers)
	}
	v.Weights = func(model uint64) (*net.Weights, error) {
		m, err := net.LoadModel(filepath.Join(dir, rundir.ModelName(int(model))))
		if err == nil {
			err = m.Check(e.game.Name(), net.ShapeOf(e.game))
		}
		if err != nil {
			return nil, err
		}
		return m.Weights, nil
	}
	v.Secret, err = Secret(filepath.Join(dir, verifySecretFile))
	return v, err
}

// run trains while the local worker plays.
func (c *coordination) run(ctx context.Context, loop *train.Loop) error {
	if c.local == nil {
		return loop.Run(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop(c.local.Run(ctx))
	}()
	err := loop.Run(ctx)
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause // of the worker, if it failed first
	}
	stop(nil)
	<-stopped
	return err
}

// Close ends both parts.
func (c *coordination) Close() error {
	var errs []error
	if c.local != nil {
		errs = append(errs, c.local.Close())
	}
	return errors.Join(append(errs, c.Coordinator.Close())...)
}
