package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/net"
	"tengen/replay/gamesdb"
	"tengen/selfplay/cluster"
	"tengen/train"
	"tengen/train/checkpoint"
	"tengen/train/tensorboard"
)

// TrainConfig describes a run, or the continuation of one.
type TrainConfig struct {
	Config  Config
	Dir     string            // the run directory, made if absent
	Observe func(train.Event) // its calls do not overlap, and should return soon
	Warn    func(error)       // is told of damage and losses that the run can do without, by several goroutines at once
}

// Training is a run that is open: no other process can have it until Close. It is not safe for concurrent use, apart from
// Workers, Pool and Recorded.
type Training struct {
	Game       string
	Parameters int // of the network

	cfg     TrainConfig
	dir     *checkpoint.Dir
	log     *gamesdb.DB
	workers *distribution // nil for a run that plays by itself
	loop    *train.Loop

	curves *tensorboard.Recorder // nil without train.tensorboard
}

// Train opens a run, or continues one. It refuses a run that may not go on under the configuration, and changes nothing of it.
func Train(ctx context.Context, c TrainConfig) (t *Training, err error) {
	if err := c.Config.Validate(); err != nil {
		return nil, asInput(err)
	}
	e, err := Open(c.Config.Game)
	if err != nil {
		return nil, err
	}
	game := e.Info().Name
	c.Config.Game, c.Warn = game, silent(c.Warn)
	judge, err := newJudge(e, c.Config, c.Dir, c.Warn)
	if err != nil {
		return nil, err
	}
	t = &Training{Game: game, cfg: c}
	defer func() {
		if err != nil {
			t, err = nil, errors.Join(err, t.Close())
		}
	}()
	if err := CheckLayout(c.Dir); err != nil {
		return t, err
	}
	t.dir, err = checkpoint.Open(c.Dir, c.Config.YAML(), func(saved []byte) error { return compatible(saved, c.Config) })
	if err != nil {
		return t, err
	}
	newest, _ := t.dir.Newest()
	weights, err := initialWeights(e, c.Config, newest != nil)
	if err != nil {
		return t, err
	}
	if t.log, err = gamesdb.Open(ctx, c.Dir, c.Warn); err != nil {
		return t, err
	}
	t.Parameters = weights.Count()
	local := e.generator(c.Config, "")
	var player train.Player = local
	if c.Config.Cluster.Distributed() {
		if t.workers, err = distribute(ctx, e, c.Config, c.Dir, local, t.Parameters, c.Warn); err != nil {
			return t, err
		}
		player = t.workers
	}
	t.loop, err = train.New(ctx, train.Setup{
		Config:  c.Config.Train,
		Game:    game,
		Seed:    c.Config.Seed,
		Search:  judge.search,
		Weights: weights,
		Dir:     t.dir,
		Window:  e.window(c.Config.Replay),
		Games: train.NewJournal(train.JournalConfig{
			Log: t.log, Player: player, Seed: c.Config.Seed, Keep: c.Config.Replay.KeepGames,
			Model:  checkpoint.PlayedBy(c.Dir, c.Config.Train.GamesPerIteration, c.Config.Selfplay.Ahead),
			Report: c.Warn,
		}),
		Ahead:   c.Config.Selfplay.Ahead,
		Judge:   judge,
		Observe: t.observe,
		Warn:    c.Warn,
	})
	if err != nil {
		return t, err
	}
	t.openCurves()
	for _, why := range judge.missing() {
		c.Warn(why)
	}
	return t, nil
}

// initialWeights are those that a run begins with. One that has begun has its own, and needs to know the architecture alone.
func initialWeights(e Game, c Config, begun bool) (*net.Weights, error) {
	w := e.weights(c)
	if begun || c.Train.From == "" {
		return w, nil
	}
	m, err := OpenModel(c.Train.From)
	if err != nil {
		return nil, fmt.Errorf("train.from: %w", err)
	}
	if err := w.Take(m.Weights); err != nil {
		return nil, fmt.Errorf("train.from is %s, a network for %s that this run cannot begin with: %w: "+
			"give both runs the same net, where boards differ in size with net.policy_head %s and net.value_head %s, or leave train.from out",
			c.Train.From, m.Game, err, net.HeadConv, net.HeadPooled)
	}
	return w, nil
}

// Iteration is the last iteration that is committed, 0 at the start of a run.
func (t *Training) Iteration() int { return t.loop.Iteration() }

// Run trains until the iterations of the configuration are done. When ctx is cancelled or something fails it returns the
// error; the run goes on from the last committed iteration when it is trained again.
func (t *Training) Run(ctx context.Context) error {
	return t.loop.Run(ctx)
}

// Distributed reports whether workers may play for the run.
func (t *Training) Distributed() bool { return t.workers != nil }

// Workers says how the workers of the run are getting on; nil when it plays by itself. Safe for concurrent use.
func (t *Training) Workers() []cluster.WorkerStatus {
	if t.workers == nil {
		return nil
	}
	return t.workers.Workers()
}

// Pool says how far the games of the iteration are; nothing when the run plays by itself. Safe for concurrent use.
func (t *Training) Pool() cluster.Progress {
	if t.workers == nil {
		return cluster.Progress{}
	}
	return t.workers.Progress()
}

// Close ends what Train opened. It must not overlap with Run.
func (t *Training) Close() error {
	var errs []error
	if t.workers != nil {
		errs = append(errs, t.workers.Close())
	}
	if t.log != nil {
		errs = append(errs, t.log.Close())
	}
	t.closeCurves(nil)
	if t.dir != nil {
		t.dir.Close()
	}
	return errors.Join(errs...)
}

// freeKeys are the keys that may change while a run goes on, and those below them: they change its length, its speed and
// its measurements, not what is learned. (The decay of the learning rate stretches to the new length.)
var freeKeys = []string{
	"train.iterations", "train.evaluate_every", "train.keep", "train.tensorboard",
	"selfplay.workers", "selfplay.games_per_worker", "selfplay.cache_megabytes", "eval", "cluster", "replay.keep_games",
}

// compatible refuses to go on with a run under a configuration that would make another run of it.
func compatible(saved []byte, cfg Config) error {
	old, err := ParseConfig(saved)
	if err != nil {
		return fmt.Errorf("its own configuration cannot be read: %w", err)
	}
	return cfg.goesOnFrom(old)
}

// goesOnFrom is an error unless a run that began with old may go on with cfg.
func (c Config) goesOnFrom(old Config) error {
	here, there := c.differences(old)
	for i, now := range here {
		free := slices.ContainsFunc(freeKeys, func(k string) bool {
			return now.Key == k || strings.HasPrefix(now.Key, k+".")
		})
		if gate := c.Train.Gate.Games > 0; gate && (now.Key == "eval.simulations" || now.Key == "eval.opening_plies") {
			free = false // they are those of the gate as well
		}
		if !free {
			return fmt.Errorf("%s is %s there and %s here: leave it as it was, or choose another directory with --run",
				now.Key, there[i].Value, now.Value)
		}
	}
	return nil
}
