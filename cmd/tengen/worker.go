package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tengen/cluster"
	"tengen/cluster/natslog"
)

type workerOptions struct {
	client  natslog.ClientConfig
	run     string
	spool   string
	workers int
	every   time.Duration
	json    bool
}

func newWorker() *cobra.Command {
	var opt workerOptions
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Play games for a run on another machine",
		Long: "worker plays games of self-play for a run that `tengen train --listen` leads, always with its newest model.\n" +
			"Finished games wait in the spool directory until the run has them: a lost connection or a killed worker loses none.\n" +
			"Ctrl-C stops it.",
		Example: "  tengen worker --server nats://trainer:4222 --token-file token",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case opt.client.URL == "":
				return usageError{fmt.Errorf("--server is missing: `tengen train --listen` prints it")}
			case opt.workers < 0 || opt.workers > 1024:
				return usageError{fmt.Errorf("--workers is %d, allowed are 0 to 1024", opt.workers)}
			case opt.every <= 0:
				return usageError{fmt.Errorf("--every is %v, it must be above 0", opt.every)}
			}
			return work(cmd.Context(), cmd, opt)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.client.URL, "server", "", "`URL` of the run's server")
	flags.StringVar(&opt.client.TokenFile, "token-file", "", "`file` with the token of the run")
	flags.StringVar(&opt.client.Credentials, "credentials", "", "NATS .creds `file`, for a server that asks for one")
	flags.StringVar(&opt.client.CA, "ca", "", "PEM `file` of the authority of the server's certificate")
	flags.StringVar(&opt.run, "run", embeddedRun, "`name` of the run on a server that has several")
	flags.StringVar(&opt.spool, "spool", "tengen-worker", "`directory` for this worker's name and its unsent games")
	flags.IntVar(&opt.workers, "workers", 0, "goroutines that play; 0: one per core")
	flags.DurationVar(&opt.every, "every", 10*time.Second, "time between two lines of progress")
	flags.BoolVar(&opt.json, "json", false, "print progress as JSON objects")
	return cmd
}

// work plays until ctx is cancelled.
func work(ctx context.Context, cmd *cobra.Command, opt workerOptions) error {
	warn := func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "tengen: warning:", oneLine(err.Error())) }
	opt.client.Name = "tengen worker"
	opt.client.OnDisconnect = func(err error) {
		if err != nil {
			warn(fmt.Errorf("the connection is lost (%w): playing on", err))
		}
	}
	opt.client.OnReconnect = func(url string) { warn(fmt.Errorf("connected again to %s", url)) }
	conn, err := natslog.Dial(ctx, opt.client)
	if err != nil {
		return err
	}
	defer conn.Close()
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	w, err := cluster.NewWorker(ctx, conn, cluster.WorkerConfig{
		Run: opt.run, Version: version(), Spool: opt.spool, Host: host, Report: warn,
		Open: func(s cluster.Settings, seed uint64) (cluster.Player, error) {
			p, err := openGame(s.Game)
			if err != nil {
				return nil, err
			}
			return p.player(s, seed, opt.workers)
		},
	})
	if err != nil {
		return err
	}
	defer w.Close()
	out := cmd.OutOrStdout()
	if !opt.json {
		fmt.Fprintf(out, "playing %s, seed %d, as %s\n", w.Settings().Game, w.Settings().Seed, w.Name())
	}
	reporting, stop := context.WithCancel(ctx)
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		reportWork(reporting, out, w, opt)
	}()
	err = w.Run(ctx)
	stop()
	<-reported
	if ctx.Err() == nil {
		return err
	}
	if p := w.Progress(); !opt.json {
		fmt.Fprintf(out, "stopped after %s; unsent and safe in %s: %d\n", count(int(p.Games), "game"), opt.spool, p.Unsent)
	}
	return nil
}

// workReport is a line of progress with --json.
type workReport struct {
	Worker         string  `json:"worker"`
	State          string  `json:"state"`            // playing, paused or disconnected
	Model          uint64  `json:"model"`            // that plays, by the iteration that made it
	Games          int64   `json:"games"`            // finished by this process
	GamesPerSecond float64 `json:"games_per_second"` // since the line before
	Unsent         int64   `json:"unsent"`           // games in the spool
}

// reportWork prints a line of progress from time to time.
func reportWork(ctx context.Context, out io.Writer, w *cluster.Worker, opt workerOptions) {
	ticker := time.NewTicker(opt.every)
	defer ticker.Stop()
	last, games := time.Now(), int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			p := w.Progress()
			r := workReport{
				Worker: p.Worker, State: "playing", Model: p.Model, Games: p.Games, Unsent: p.Unsent,
				GamesPerSecond: float64(p.Games-games) / now.Sub(last).Seconds(),
			}
			switch last, games = now, p.Games; {
			case !p.Connected:
				r.State = "disconnected"
			case p.Paused:
				r.State = "paused"
			}
			r.print(out, opt.json)
		}
	}
}

func (r workReport) print(out io.Writer, asJSON bool) {
	if asJSON {
		json.NewEncoder(out).Encode(r)
		return
	}
	fmt.Fprintf(out, "%-12s  model %d  %d games  %.2f games/s  %d unsent\n", r.State, r.Model, r.Games, r.GamesPerSecond, r.Unsent)
}
