package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
)

type workerOptions struct {
	engine.WorkerConfig
	every time.Duration
	json  bool
}

func newWorker() *cobra.Command {
	var opt workerOptions
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Play games for a run on another machine",
		Long: "worker plays games of self-play for a run that `tengen train --listen` leads, always with its newest model.\n" +
			"It waits for a run that has not begun. Finished games wait in the spool directory until the run has them: a lost\n" +
			"connection or a killed worker loses none. Ctrl-C stops it.",
		Example: "  tengen worker --server nats://trainer:4222 --token-file token",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case opt.Server.URL == "":
				return usageErrorf("--server is missing: `tengen train --listen` prints it")
			case opt.Workers < 0 || opt.Workers > 1024:
				return usageErrorf("--workers is %d, allowed are 0 to 1024", opt.Workers)
			case opt.every <= 0:
				return usageErrorf("--every is %v, it must be above 0", opt.every)
			}
			return work(cmd.Context(), cmd, opt)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.Server.URL, "server", "", "`URL` of the run's server")
	flags.StringVar(&opt.Server.TokenFile, "token-file", "", "`file` with the token of the run")
	flags.StringVar(&opt.Server.Credentials, "credentials", "", "NATS .creds `file`, for a server that asks for one")
	flags.StringVar(&opt.Server.CA, "ca", "", "PEM `file` of the authority of the server's certificate")
	flags.StringVar(&opt.Run, "run", engine.EmbeddedRun, "`name` of the run on a server that has several")
	flags.StringVar(&opt.Spool, "spool", "tengen-worker", "`directory` for this worker's name and its unsent games")
	flags.IntVar(&opt.Workers, "workers", 0, "goroutines that play; 0: one per core")
	flags.DurationVar(&opt.every, "every", 10*time.Second, "time between two lines of progress")
	flags.BoolVar(&opt.json, "json", false, "print progress as JSON objects")
	return cmd
}

// work plays until ctx is cancelled.
func work(ctx context.Context, cmd *cobra.Command, opt workerOptions) error {
	warn := warner(cmd)
	opt.Warn = func(err error) { warn(err.Error()) }
	w, err := engine.NewWorker(ctx, opt.WorkerConfig)
	if w == nil && ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
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
	closing := w.Close()
	if ctx.Err() == nil {
		return errors.Join(err, closing)
	}
	if p := w.Progress(); !opt.json {
		fmt.Fprintf(out, "stopped after %s; unsent and safe in %s: %d\n", engine.Plural(int(p.Games), "game"), opt.Spool, p.Unsent)
	}
	return closing
}

// reportWork prints a line of progress from time to time.
func reportWork(ctx context.Context, out io.Writer, w *engine.Worker, opt workerOptions) {
	ticker := time.NewTicker(opt.every)
	defer ticker.Stop()
	last, then := w.Progress(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			p := w.Progress()
			r := engine.NewWorkReport(p, last, now.Sub(then))
			last, then = p, now
			if opt.json {
				json.NewEncoder(out).Encode(r)
			} else {
				fmt.Fprintln(out, r.Text())
			}
		}
	}
}
