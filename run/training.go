// Package run configures, trains, continues and verifies runs, serves their workers and reads their games. A run can be
// read while another process trains it. Package engine has the players, which need no run. An engine.InputError is a
// mistake in the request.
//
// A program of your own trains a registered game as "tengen train" does, and continues what was stopped:
//
//	cfg := run.DefaultConfig()
//	cfg.Game, cfg.Train.Iterations = "connect4", 20
//	training, err := run.Train(ctx, run.TrainConfig{Config: cfg, Dir: "checkpoints/mine"})
//	if err == nil {
//		err = errors.Join(training.Run(ctx), training.Close())
//	}
//
// After that, "net:checkpoints/mine:100" is a player for engine.Game.Player.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"tengen/engine"
	"tengen/internal/printable"
	"tengen/net"
	"tengen/replay/gamesdb"
	"tengen/selfplay"
	"tengen/selfplay/cluster"
	"tengen/selfplay/netplayer"
	"tengen/train"
	"tengen/train/checkpoint"
)

// TrainConfig configures a new or continued run.
type TrainConfig struct {
	Config  Config
	Dir     string            // created if absent
	Observe func(train.Event) // called by one goroutine at a time; should return soon
	Warn    func(error)       // non-fatal problems; called concurrently; may be nil
}

// Training is an open run. No other process can train it until Close. Only Workers, GamesProgress and Recorded are safe
// for concurrent use.
type Training struct {
	Game       string
	Parameters int      // network's
	Device     string   // that evaluates positions of self-play in place of the processor, or ""
	Changed    []string // settings that replace the run's earlier ones, such as "train.iterations 40 instead of 20"

	cfg     TrainConfig
	game    engine.Game
	local   *netplayer.Player
	dir     *checkpoint.Dir
	log     *gamesdb.DB
	workers *cluster.Coordinator // nil without workers
	server  *cluster.Server      // nil without workers, and if their server is external
	loop    *train.Loop

	warned sync.Once // of openings
}

// Train opens a new or existing run. It changes no file of a run that cannot continue with the
// configuration.
func Train(ctx context.Context, c TrainConfig) (t *Training, err error) {
	if err := c.Config.Validate(); err != nil {
		return nil, engine.InputError{Err: err}
	}
	e, err := engine.Open(c.Config.Game)
	if err != nil {
		return nil, err
	}
	c.Config.Game = e.Info().Name
	if c.Warn == nil {
		c.Warn = func(error) {}
	}
	arena, err := newArena(e, c.Config, c.Warn)
	if err != nil {
		return nil, err
	}
	if err := CheckMemory(c.Config); err != nil {
		return nil, err
	}
	device, err := c.Config.Compute.Open(c.Warn)
	if err != nil {
		return nil, err
	}
	if err := checkpoint.CheckVersion(c.Dir, selfplay.Semantics); err != nil {
		return nil, err
	}
	started := checkpoint.Started(c.Dir)
	weights, err := FirstWeights(e, c.Config, started)
	if err != nil {
		return nil, err
	}
	t = &Training{Game: c.Config.Game, cfg: c, game: e, local: e.SelfPlay(c.Config.Selfplay, c.Config.Search, c.Config.Seed)}
	t.playOn(device)
	defer func() {
		if err != nil {
			t, err = nil, errors.Join(err, t.Close())
		}
	}()
	t.dir, err = checkpoint.Open(c.Dir, c.Config.YAML(), func(saved []byte, newest *checkpoint.Checkpoint) (err error) {
		t.Changed, err = c.checkResume(saved, newest)
		return err
	})
	if err != nil {
		return t, err
	}
	if err := t.openLog(ctx); err != nil {
		return t, err
	}
	t.Parameters = weights.Count()
	var player selfplay.Player = t.local
	if c.Config.Cluster.Distributed() {
		if err = t.distribute(ctx); err != nil {
			return t, err
		}
		player = t.workers
	}
	if t.loop, err = t.newLoop(ctx, weights, player, arena); err != nil {
		return t, err
	}
	if err := t.log.AddOrigin(ctx, t.cfg.Config.immutableSettings()); err != nil { // a run without a checkpoint may take others
		return t, err
	}
	if device != nil {
		t.loop.Accelerate(device)
	}
	for _, why := range arena.missing() {
		c.Warn(why)
	}
	return t, nil
}

func (t *Training) playOn(d *net.Device) {
	if d != nil {
		t.local.Use(d)
		t.Device = fmt.Sprintf("%s, OpenCL driver %s", d.Name(), d.Driver())
	}
}

// Use lets devices play and learn, nil ones excepted. It must be called before Run.
func (t *Training) Use(plays, learns *net.Device) {
	t.playOn(plays)
	if learns != nil {
		t.loop.Accelerate(learns)
	}
}

func (t *Training) newLoop(ctx context.Context, weights *net.Weights, player selfplay.Player, a *arena) (*train.Loop, error) {
	c := t.cfg.Config
	var banned func() []string
	if t.workers != nil {
		banned = t.workers.Banned
	}
	return train.New(ctx, train.Setup{
		Config:   c.Train,
		Game:     t.Game,
		Seed:     c.Seed,
		Settings: c.immutableSettings(), Semantics: selfplay.Semantics,
		Search:  a.search,
		Weights: weights,
		Dir:     t.dir,
		Window:  t.game.Window(c.Replay),
		Log:     t.log, Player: player, Banned: banned, KeepGames: c.Replay.KeepGames,
		Ahead:   c.Selfplay.Ahead,
		Arena:   a,
		Observe: t.observe,
		Warn:    t.cfg.Warn,
	})
}

// FirstWeights returns the weights that a run begins with. A started run needs only their architecture.
func FirstWeights(e engine.Game, c Config, started bool) (*net.Weights, error) {
	w := e.Weights(c.Net, c.Seed)
	if started || c.Train.From == "" {
		return w, nil
	}
	m, _, err := engine.OpenModel(strings.TrimPrefix(c.Train.From, "net:")) // as in SPECs
	if err != nil {
		return nil, fmt.Errorf("train.from: %w", err)
	}
	if err := w.Take(m.Weights); err != nil {
		return nil, fmt.Errorf("this run cannot start from train.from %s, a network for %s: %w: "+
			"give both runs the same net settings (boards of different sizes need net.policy_head %s and net.value_head %s), or leave train.from out",
			c.Train.From, m.Game, err, net.HeadConv, net.HeadPooled)
	}
	return w, nil
}

// openLog opens the database of games. Games and models must be the run's own. A run without a checkpoint must have
// none.
func (t *Training) openLog(ctx context.Context) (err error) {
	dir := t.cfg.Dir
	if t.log, err = gamesdb.Open(ctx, dir, t.cfg.Warn); err != nil {
		return err
	}
	t.dir.Watch(gamesdb.FileName)
	newest, _ := t.dir.Newest()
	if newest == nil {
		_, end, err := t.log.Span(ctx)
		if err != nil {
			return err
		}
		if end > 0 {
			return fmt.Errorf("%s holds %s but no checkpoint: restore the run from a copy, or start a new one in another directory",
				dir, printable.Plural(int(end), "game"))
		}
	}
	known := newest.KnownModels(dir)
	if err := cmp.Or(t.log.CheckOrigin(ctx, t.cfg.Config.immutableSettings()), t.log.CheckOrigin(ctx, known)); err != nil {
		return err
	}
	stored, err := t.log.Origin(ctx)
	if err != nil {
		return err
	}
	isNew := len(stored) == 0
	maps.Copy(stored, known)
	if err := checkpoint.CheckModels(dir, stored); err != nil || !isNew {
		return err
	}
	return t.log.AddOrigin(ctx, known)
}

func (t *Training) observe(e train.Event) {
	if e.Phase == train.PhaseDone {
		t.warnOfOpenings(e.Metrics)
	}
	if t.cfg.Observe != nil {
		t.cfg.Observe(e)
	}
}

// warnOfOpenings warns once if openings leave less than half of the games to learn from. Their lengths are set in
// plies, which suit the default game and may be too many for a short one. Few games say little.
func (t *Training) warnOfOpenings(m *checkpoint.Metrics) {
	if m.OpeningShare <= 0.5 || t.cfg.Config.Train.GamesPerIteration < 50 {
		return
	}
	t.warned.Do(func() {
		t.cfg.Warn(fmt.Errorf("%.0f %% of the moves of iteration %d were drawn in openings, so the model does not learn them: "+
			"games last %.1f moves, so lower selfplay.opening_plies and selfplay.openings.deep_plies",
			100*m.OpeningShare, m.Iteration, m.GameLength))
	})
}

// Iteration returns the last committed iteration, 0 at the start.
func (t *Training) Iteration() int { return t.loop.Iteration() }

// Run trains until the configured iterations are done, ctx ends or an error occurs. When they are done, workers end.
func (t *Training) Run(ctx context.Context) error {
	err := t.loop.Run(ctx)
	if err == nil && t.workers != nil {
		t.workers.Finish(ctx)
	}
	return err
}

// Distributed reports whether workers may play for the run.
func (t *Training) Distributed() bool { return t.workers != nil }

// Workers returns the state of the run's workers.
func (t *Training) Workers() []cluster.WorkerStatus {
	if t.workers == nil {
		return nil
	}
	return t.workers.Workers()
}

// GamesProgress returns the progress of the iteration's games, zero without workers.
func (t *Training) GamesProgress() cluster.Progress {
	if t.workers == nil {
		return cluster.Progress{}
	}
	return t.workers.Progress()
}

// Close closes the run. It must not be called during Run.
func (t *Training) Close() error {
	var errs []error
	if t.workers != nil {
		t.workers.Close()
	}
	if t.server != nil {
		errs = append(errs, t.server.Close())
	}
	if t.log != nil {
		errs = append(errs, t.log.Close())
	}
	if t.loop != nil {
		t.loop.Close()
	}
	t.local.Close()
	if t.dir != nil {
		t.dir.Close()
	}
	return errors.Join(errs...)
}
