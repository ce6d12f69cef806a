package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"tengen/engine"
	"tengen/internal/gpu"
	"tengen/internal/printable"
	"tengen/run"
	"tengen/selfplay/cluster"
)

func newWorker() *cobra.Command {
	var opt run.WorkerConfig
	var every time.Duration
	cmd := &cobra.Command{
		Use:         "worker",
		Short:       "Play games for a run on another machine",
		Annotations: map[string]string{waits: "--drain"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case opt.Server.URL == "":
				return usageErrorf("--server is missing: `tengen train --listen` prints it")
			case opt.Server.TokenFile == "":
				return usageErrorf("--token-file is missing: `tengen workers add` makes a token, on the machine that trains")
			case opt.Workers < 0 || opt.Workers > 1024:
				return usageErrorf("--workers is %d, but must be 0 to 1024", opt.Workers)
			case opt.Device == "auto":
				return usageErrorf("--device is auto, but a worker does not measure: choose cpu or gpu")
			case gpu.CheckName(opt.Device) != nil:
				return usageErrorf("--device %v", gpu.CheckName(opt.Device))
			case opt.Drain < 0:
				return usageErrorf("--drain is %v, but must be 0s or more", opt.Drain)
			case every <= 0:
				return usageErrorf("--every is %v, but must be above 0", every)
			}
			err := error(cluster.ErrChanged)
			for errors.Is(err, cluster.ErrChanged) { // as when the trainer continues with another selfplay.cache_megabytes
				err = work(cmd, opt, every)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.Server.URL, "server", "", "`URL` of the run's server")
	flags.StringVar(&opt.Server.TokenFile, "token-file", "", "`file` with the token of this worker")
	flags.StringVar(&opt.Server.CA, "ca", "", "PEM `file` of the server's certificate authority")
	flags.StringVar(&opt.Run, "run", cluster.EmbeddedRun, "`name` of the run, if the server has several")
	flags.IntVar(&opt.Workers, "workers", 0, "playing goroutines; 0: one per core, two with a device")
	flags.StringVar(&opt.Device, "device", "cpu", "what evaluates positions, as compute.device: cpu, gpu or gpu:1; a program for\nLinux needs -tags gpu")
	flags.DurationVar(&opt.Drain, "drain", 20*time.Second, "time to finish and send the games under way after Ctrl-C; 0s: lose them")
	flags.BoolVar(&opt.Wait, "wait", false, "when the run has ended, wait until it continues")
	flags.DurationVar(&every, "every", 10*time.Second, "time between progress lines")
	jsonFlag(cmd, "print progress as JSON objects")
	logFlag(cmd)
	return cmd
}

// work plays until the run has ended, an interrupt, or cluster.ErrChanged. After an interrupt, it finishes and sends the
// games under way, for at most opt.Drain.
func work(cmd *cobra.Command, opt run.WorkerConfig, every time.Duration) error {
	ctx := cmd.Context()
	notices := newNotices(cmd)
	opt.Warn = notices.warn
	w, err := run.NewWorker(ctx, opt)
	if err != nil && ctx.Err() != nil {
		return nil
	} else if err != nil {
		return err
	}
	defer w.Close()
	if wantsJSON(cmd) {
		notices.out = io.Discard // only reports are printed
	}
	settings, name := w.Settings(), w.Progress().Worker
	notices.tell(fmt.Sprintf("playing %s, seed %d, as %s", shown(settings.Game), settings.Seed, shown(name)),
		"run joined", "version", engine.Version(), "game", settings.Game, "seed", settings.Seed, "worker", name)
	reporting, stop := context.WithCancel(ctx)
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		reportWork(reporting, w.Worker, every, func(r workReport) {
			if notices.log != nil {
				notices.log.LogAttrs(ctx, slog.LevelInfo, "progress", jsonAttrs(r)...)
			} else {
				printLine(cmd, r, r.text())
			}
		})
		if ctx.Err() != nil && opt.Drain > 0 {
			notices.tell(fmt.Sprintf("finishing and sending the games under way, for %v at most; press Ctrl-C again to stop at once", opt.Drain),
				"stopping", "drain", opt.Drain)
		}
	}()
	err = w.Run(ctx)
	stop()
	<-reported
	why := "stopped"
	if errors.Is(err, cluster.ErrEnded) {
		why = "the run has ended"
	} else if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	games := w.Progress().Games
	notices.tell(fmt.Sprintf("%s after %s", why, printable.Plural(int(games), "game")), why, "games", games)
	return nil
}

func reportWork(ctx context.Context, w *cluster.Worker, every time.Duration, report func(workReport)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	last, then := w.Progress(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			p := w.Progress()
			report(newWorkReport(p, last, now.Sub(then)))
			last, then = p, now
		}
	}
}

// workReport is the status of a worker.
type workReport struct {
	Worker         string  `json:"worker"`
	State          string  `json:"state"`            // playing, waiting or disconnected
	Model          uint64  `json:"model"`            // iteration
	Games          int64   `json:"games"`            // received by the run
	GamesPerSecond float64 `json:"games_per_second"` // since the last report
	// FetchedPercent is a model download's progress, or nil.
	FetchedPercent *int `json:"fetched_percent,omitempty"`
}

// newWorkReport returns the report of progress p. since is the time between last and p.
func newWorkReport(p, last cluster.WorkerProgress, since time.Duration) workReport {
	r := workReport{
		Worker: p.Worker, State: "playing", Model: p.Model, Games: p.Games,
		GamesPerSecond: float64(p.Games-last.Games) / since.Seconds(),
	}
	switch {
	case !p.Connected:
		r.State = "disconnected"
	case !p.Playing:
		r.State = "waiting"
	}
	if p.Fetching {
		r.FetchedPercent = &p.Fetched
	}
	return r
}

// text returns the report as one line.
func (r workReport) text() string {
	text := fmt.Sprintf("%-12s  model %d  %d games  %.2f games/s", r.State, r.Model, r.Games, r.GamesPerSecond)
	if r.FetchedPercent != nil {
		text += fmt.Sprintf("  fetching a model: %d %%", *r.FetchedPercent)
	}
	return text
}
