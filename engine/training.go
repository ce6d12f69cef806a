package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/cluster"
	"tengen/cluster/natslog"
	"tengen/net"
	"tengen/replay"
	"tengen/train"
	"tengen/train/curves"
	"tengen/train/rundir"
)

// TrainConfig describes a run, or the continuation of one.
type TrainConfig struct {
	Config  Config
	Dir     string            // the run directory, made if absent
	Observe func(train.Event) // its calls do not overlap, and should return soon
	Warn    func(error)       // is told of damage and losses that the run can do without, by several goroutines at once
}

// Training is a run that is open: no other process can have it until Close. It is not safe for concurrent use, apart from
// Workers, Refused, Verified and Recorded.
type Training struct {
	Game       string
	Parameters int // of the network

	cfg   TrainConfig
	dir   *rundir.Dir
	log   *gameLog
	games source
	loop  *train.Loop

	curves *curves.Recorder // nil without train.tensorboard
}

// Train implements Engine. A run that may not go on under the configuration is refused, and nothing of it is changed.
func (e typed[S]) Train(ctx context.Context, c TrainConfig) (t *Training, err error) {
	if err := c.Config.Validate(); err != nil {
		return nil, asInput(err)
	}
	if g, err := Open(c.Config.Game); err != nil || g.Info().Name != e.game.Name() {
		return nil, inputErrorf("the configuration is for %s, not for %s", c.Config.Game, e.game.Name())
	}
	c.Config.Game, c.Warn = e.game.Name(), silent(c.Warn)
	judge, err := e.newJudge(c.Config, c.Dir, c.Warn)
	if err != nil {
		return nil, err
	}
	t = &Training{Game: e.game.Name(), cfg: c}
	defer func() {
		if err != nil {
			t, err = nil, errors.Join(err, t.Close())
		}
	}()
	t.dir, err = rundir.Open(c.Dir, c.Config.YAML(), func(saved []byte) error { return compatible(saved, c.Config) })
	if err != nil {
		return t, err
	}
	newest, _ := t.dir.Newest()
	weights, err := e.initialWeights(c.Config, newest != nil)
	if err != nil {
		return t, err
	}
	t.log, err = openGameLog(ctx, c.Dir, c.Config.Cluster, true, func(message string) { c.Warn(errors.New(message)) })
	if err != nil {
		return t, err
	}
	search, err := json.Marshal(c.Config.Search)
	if err != nil {
		return t, err
	}
	t.Parameters = weights.Count()
	if t.games, err = e.source(ctx, c.Config, c.Dir, t.log, weights, c.Warn); err != nil {
		return t, err
	}
	t.loop, err = train.New(ctx, train.Setup{
		Config:  c.Config.Train,
		Game:    e.game.Name(),
		Seed:    c.Config.Seed,
		Search:  search,
		Weights: weights,
		Dir:     t.dir,
		Window:  replay.NewWindow(e.game, c.Config.Replay, e.perfect()),
		Games:   sparing{t.games, filepath.Join(c.Dir, gamesFolder)},
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
func (e typed[S]) initialWeights(c Config, begun bool) (*net.Weights, error) {
	w := net.NewWeights(net.Suited(c.Net, e.game), net.ShapeOf(e.game), c.Seed)
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
	return t.log.whileLeading(ctx, func(ctx context.Context) error { return t.games.run(ctx, t.loop) })
}

// Distributed reports whether workers may play for the run.
func (t *Training) Distributed() bool {
	_, ok := t.games.(*coordination)
	return ok
}

// Workers says how the workers of the run are getting on; nil when it plays by itself. Safe for concurrent use.
func (t *Training) Workers() []cluster.WorkerStatus {
	if c, ok := t.games.(*coordination); ok {
		return c.Workers()
	}
	return nil
}

// Refused is the number of games that this process did not take from workers; 0 when it plays by itself. Safe for concurrent use.
func (t *Training) Refused() uint64 {
	if c, ok := t.games.(*coordination); ok {
		return c.Refused()
	}
	return 0
}

// Verified is what came of playing games of workers again; nothing when the run plays by itself. Safe for concurrent use.
func (t *Training) Verified() train.Verified {
	if c, ok := t.games.(*coordination); ok {
		return c.Verified()
	}
	return train.Verified{}
}

// Close ends what Train opened. It must not overlap with Run.
func (t *Training) Close() error {
	var errs []error
	if t.games != nil {
		errs = append(errs, t.games.Close())
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

// Invitation is what a person needs to let workers join the run.
type Invitation struct {
	Server  string // URL
	Run     string // name on a server that has several, "" on the run's own
	Token   string // file with the token of all workers, "" if each has its own or none is needed
	Command string // that a worker types
}

// Invitation says how workers join; ok is false when they cannot.
func (t *Training) Invitation() (i Invitation, ok bool) {
	cfg := t.cfg.Config.Cluster
	if !t.Distributed() {
		return i, false
	}
	i = Invitation{Command: "tengen worker --server "}
	switch {
	case cfg.Server != "":
		i.Server, i.Run = cfg.Server, t.log.run
		i.Command += i.Server + " --run " + i.Run
		if own, err := (natslog.ClientConfig{TokenFile: cfg.TokenFile}).User(); err == nil && own != "" {
			i.Command += " --token-file token" // its own: this one's may do more
		} else {
			i.Token = cfg.TokenFile
		}
		if cfg.Credentials != "" {
			i.Command += " --credentials " + cfg.Credentials
		}
	case cfg.Listen != "":
		i.Server, i.Token = t.log.server.URL(), tokenFile(t.cfg.Dir, cfg)
		i.Command += reachable(i.Server)
	default:
		return i, false
	}
	if i.Token != "" {
		i.Command += " --token-file " + i.Token
	}
	ca := cfg.CA
	if cfg.CertFile != "" {
		ca = cfg.CertFile
	}
	if ca != "" {
		i.Command += " --ca " + ca
	}
	return i, true
}

// reachable is a server's URL with the name of this machine in the place of an address that means all of them.
func reachable(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	address, err := netip.ParseAddr(u.Hostname())
	if name, unknown := os.Hostname(); err == nil && unknown == nil && address.IsUnspecified() {
		u.Host = name + ":" + u.Port()
	}
	return u.String()
}

// freeKeys are the keys that may change while a run goes on, and those below them: they change its length, its speed and
// its measurements, not what is learned. (The decay of the learning rate stretches to the new length. The workers of a cluster
// do change what is learned; a server that does not have the run's games is found out when it goes on.)
var freeKeys = []string{
	"train.iterations", "train.evaluate_every", "train.keep", "train.tensorboard",
	"selfplay.workers", "selfplay.games_per_worker", "selfplay.cache_megabytes", "eval", "cluster",
}

// compatible refuses to go on with a run under a configuration that would make another run of it.
func compatible(saved []byte, cfg Config) error {
	old, err := ParseRunConfig(saved)
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
