package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/bench"
	"tengen/doors/metrics"
	"tengen/doors/web"
	"tengen/doors/web/runs"
	"tengen/engine"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

func newTrain() *cobra.Command {
	var c trainCommand
	cmd := &cobra.Command{
		Use:         "train",
		Short:       "Train a player, or continue a run",
		Annotations: map[string]string{stopsWith: "stopped: the same command continues after the last iteration"},
		RunE:        func(cmd *cobra.Command, _ []string) error { return c.Run(cmd.Context()) },
	}
	cmd.Flags().StringVar(&c.listen, "listen", "", "`address`, host:port, for workers on other machines (cluster.listen)")
	cmd.Flags().StringVar(&c.pages, "http", "", "`address`, host:port, of pages that show the run, see tengen serve")
	cmd.Flags().DurationVar(&c.wanted, "for", 0, "approximate duration of a new run, such as 20m or 8h; sets train.iterations and, for a short run, train.games_per_iteration and selfplay.grow_iterations")
	logFlag(cmd)
	c.flags.register(cmd, defaultConfigFile)
	cmd.Flags().StringVar(&c.dir, "run", "", "run `directory` (default checkpoints/ and the name of the configuration file or game)")
	complete(cmd, "run", func(string) []string { return engine.RunsHere() })
	return cmd
}

// trainCommand is the command train, from its flags to its end.
type trainCommand struct {
	flags  configFlags
	listen string
	pages  string        // where they are served, or ""
	dir    string        // once configured, the run's directory
	wanted time.Duration // --for; 0 if the iterations are set

	cfg  run.Config
	stop context.CancelFunc // ends the training
	notices
	progress  *progress
	observe   func(train.Event) // progress's or the log's
	live      *runs.Live
	feed      metrics.Feed
	plan      bench.Plan
	training  *run.Training // nil before it is open
	from      int           // its iteration then
	stopPages func() error  // nil unless they are served
}

// Run trains until the run is done or ctx ends.
func (c *trainCommand) Run(ctx context.Context) (err error) {
	ctx, c.stop = context.WithCancel(ctx)
	defer c.stop()
	c.notices = newNotices(c.flags.cmd)
	c.progress = newProgress(c.out)
	defer func() { err = errors.Join(err, c.Close()) }()
	for _, step := range []func(context.Context) error{c.configure, c.fit, c.open, c.choose, c.serve, c.train} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close ends what the steps have begun: the pages before the run that they show.
func (c *trainCommand) Close() (err error) {
	if c.stopPages != nil {
		err = c.stopPages()
	}
	if c.training != nil {
		err = errors.Join(err, c.training.Close())
	}
	return err
}

// configure finds the run's directory, which is named after the configuration file or the game without --run, and puts
// the given values over the settings in its run.yaml, or over the defaults. If --run names a run, config.yaml is not
// read.
func (c *trainCommand) configure(context.Context) error {
	if _, _, err := net.SplitHostPort(c.pages); c.pages != "" && err != nil {
		return usageErrorf("--http %q: write host:port, such as 127.0.0.1:7070", c.pages)
	}
	if c.listen != "" {
		c.flags.set = append(c.flags.set, "cluster.listen="+c.listen)
	}
	fallback := defaultConfigFile
	if c.dir != "" && checkpoint.IsRun(c.dir) {
		fallback = ""
	}
	given, err := c.flags.given(fallback)
	if err != nil {
		return err
	}
	c.cfg = run.DefaultConfig().With(given)
	if c.dir == "" {
		e, err := engine.Open(c.cfg.Game)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(c.flags.file), filepath.Ext(c.flags.file))
		if c.flags.file == "" || name == "config" {
			name = strings.NewReplacer(":", "-", ",", "x").Replace(e.Info().Name)
		}
		c.dir = filepath.Join("checkpoints", name)
	}
	if checkpoint.IsRun(c.dir) {
		saved, _, err := run.ReadConfig(c.dir)
		c.cfg = saved.With(given)
		return err
	}
	return nil
}

// fit lets a new run with --for take that long: it forecasts the run, with the devices that it chooses for it, and sets
// the number of iterations and, unless given, of their games, and when searches have their full length.
func (c *trainCommand) fit(ctx context.Context) (err error) {
	if !c.flags.cmd.Flags().Changed("for") || checkpoint.IsRun(c.dir) {
		c.wanted = 0
		return nil
	}
	if err := c.cfg.Validate(); err != nil { // otherwise run.Train does it
		return engine.InputError{Err: err}
	}
	const iterations, games, grow = "train.iterations", "train.games_per_iteration", "selfplay.grow_iterations"
	set := func(key string) bool {
		named := func(s string) bool { return strings.HasPrefix(strings.ToLower(s), key+"=") }
		return slices.ContainsFunc(c.flags.set, named) || os.Getenv(variable(key)) != ""
	}
	switch {
	case c.wanted <= 0:
		return usageErrorf("--for is %v, but must be above 0", c.wanted)
	case set(iterations):
		return usageErrorf("--for chooses %s, which is set to %d: leave one of them out", iterations, c.cfg.Train.Iterations)
	case c.cfg.Cluster.Distributed():
		return usageErrorf("--for measures only this machine, but cluster.listen adds workers: set %s instead", iterations)
	}
	c.plan, err = bench.NewPlan(ctx, c.cfg, nil, func(bench.Forecast) time.Duration { return c.wanted }, forecastTime, c.warn)
	if err != nil {
		return err
	}
	c.plan.Halfway = !set(grow)
	if !set(games) {
		c.plan.Forecast = c.plan.Within(c.wanted)
	}
	chosen := &c.cfg.Train
	chosen.Iterations, chosen.GamesPerIteration = c.plan.Iterations(c.wanted), c.plan.Games
	text := fmt.Sprintf("--for %v is --set %s=%d --set %s=%d", c.wanted, iterations, chosen.Iterations, games, chosen.GamesPerIteration)
	if n := c.plan.GrowIterations(chosen.Iterations); n != c.cfg.Selfplay.GrowIterations {
		c.cfg.Selfplay.GrowIterations = n
		text += fmt.Sprintf(" --set %s=%d", grow, n)
	}
	c.tell(text+" here", "length chosen", "iterations", chosen.Iterations, "games_per_iteration", chosen.GamesPerIteration,
		"grow_iterations", c.cfg.Selfplay.GrowIterations)
	return nil
}

// forecastTime is how long the measurements of a forecast take.
var forecastTime = time.Second

// open opens the run, which no other process can train until Close, and says what it is.
func (c *trainCommand) open(ctx context.Context) (err error) {
	c.live = runs.NewLive(c.dir)
	c.live.Stop = c.stop
	c.training, err = run.Train(ctx, run.TrainConfig{
		Config: c.cfg,
		Dir:    c.dir,
		Observe: func(e train.Event) {
			c.observe(e)
			c.live.Observe(e)
			c.feed.Observe(e)
		},
		Warn: c.warn,
	})
	if err != nil {
		return err
	}
	t := c.training
	c.from = t.Iteration()
	c.tell(c.beginning(), "run opened", "version", engine.Version(), "run", c.dir, "game", t.Game, "network", c.cfg.Network(),
		"parameters", t.Parameters, "device", cmp.Or(t.Device, "cpu"), "seed", c.cfg.Seed, "iteration", c.from,
		"iterations", c.cfg.Train.Iterations)
	p := c.progress
	p.start, p.pace.First, p.batch = time.Now(), c.from, c.cfg.Train.BatchSize
	if t.Distributed() {
		p.workers, p.gamesProgress = t.Workers, t.GamesProgress
	}
	if c.observe = p.observe; c.log != nil {
		c.observe = trainLog(c.log, p.workers)
	}
	return nil
}

func (c *trainCommand) warn(err error) {
	c.progress.live.Clear()
	c.notices.warn(err)
	c.feed.Warn(err)
}

// choose lets the devices of the plan play and learn, and says how long the rest of the run takes and how workers join
// it. Without a plan, it makes one. A rest that cannot be forecast is trained all the same.
func (c *trainCommand) choose(ctx context.Context) (err error) {
	from, to := c.from, c.cfg.Train.Iterations
	if c.wanted == 0 && from < to {
		past, err := checkpoint.ReadMetrics(c.dir)
		if err == nil {
			c.plan, err = bench.NewPlan(ctx, c.cfg, past, func(f bench.Forecast) time.Duration { return f.Left(from, to) }, forecastTime, c.warn)
		}
		if err != nil && ctx.Err() == nil {
			c.warn(err)
		}
	}
	c.training.Use(c.plan.Plays, c.plan.Learns)
	if c.plan.Text != "" {
		c.tell(c.plan.Text, "device measured", "result", c.plan.Text)
	}
	if left := c.plan.Left(from, to); left > 0 && !c.training.Distributed() {
		c.tell(forecastText(left, c.plan.Evaluating(from, to), to-from), "forecast", "seconds", left.Round(time.Second).Seconds(), "iterations", to-from)
	}
	if i, ok := c.training.JoinInfo(); ok {
		c.tell(joinText(i), "workers may join", "server", i.Server, "run", i.Run, "add", i.Add, "command", i.Command)
	}
	return nil
}

// serve serves the pages of the run.
func (c *trainCommand) serve(context.Context) error {
	if c.pages == "" {
		return nil
	}
	options := web.Default()
	options.Warn, options.Mount = c.warn, watch(&c.feed)
	c.feed.Device = c.training.Device
	if c.training.Distributed() {
		c.feed.Workers, c.feed.GamesProgress = c.training.Workers, c.training.GamesProgress
	}
	page, stop, err := web.ServeTraining(c.pages, c.live, c.training, options)
	if err == nil {
		c.stopPages = stop
		c.tell("watch it at "+page, "pages are served", "address", page)
	}
	return err
}

// train trains until the run is done or stopped, which is no error.
func (c *trainCommand) train(ctx context.Context) error {
	err := c.training.Run(ctx)
	interrupted := ctx.Err() != nil
	c.progress.live.Clear()
	c.tell(c.ending(interrupted), "run closed", "run", c.dir, "iteration", c.training.Iteration(),
		"iterations", c.cfg.Train.Iterations, "interrupted", interrupted)
	if interrupted && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
