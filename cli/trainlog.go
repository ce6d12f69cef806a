package cli

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"tengen/run"
	"tengen/selfplay/cluster"
	"tengen/train"
)

// trainLog logs a training run: a record for each phase, and for each iteration with the fields of metrics.jsonl.
type trainLog struct {
	log     *slog.Logger
	cfg     run.Config
	phase   train.Phase
	workers func() []cluster.WorkerStatus // nil if there are none
}

func (l *trainLog) begin(t *run.Training, dir string, cfg run.Config) {
	l.cfg = cfg
	if t.Distributed() {
		l.workers = t.Workers
	}
	l.log.Info("run opened", "version", run.Version(), "run", dir, "game", t.Game, "network", l.cfg.Network(), "parameters", t.Parameters,
		"device", cmp.Or(t.Device, "cpu"), "seed", l.cfg.Seed, "iteration", t.Iteration(), "iterations", l.cfg.Train.Iterations)
}

func (l *trainLog) device(text string) { l.log.Info("device measured", "result", text) }

func (l *trainLog) expect(left time.Duration, iterations int) {
	l.log.Info("forecast", "seconds", left.Round(time.Second).Seconds(), "iterations", iterations)
}

func (l *trainLog) showJoin(i run.JoinInfo) {
	l.log.Info("workers may join", "server", i.Server, "run", i.Run, "add", i.Add, "command", i.Command)
}

func (l *trainLog) watch(page string) { l.log.Info("pages are served", "address", page) }

func (l *trainLog) observe(e train.Event) {
	if e.Phase == l.phase {
		return
	}
	l.phase = e.Phase
	if e.Phase != train.PhaseDone {
		l.log.Info("phase", "phase", e.Phase, "iteration", e.Iteration, "iterations", e.Iterations)
		return
	}
	attrs := jsonAttrs(e.Metrics)
	if l.workers != nil {
		attrs = append(attrs, slog.Any("workers", l.workers()))
	}
	l.log.LogAttrs(context.Background(), slog.LevelInfo, "iteration", attrs...)
}

func (l *trainLog) warn(err error) { l.log.Warn(oneLine(err.Error())) }

func (l *trainLog) end(t *run.Training, dir string, interrupted bool) {
	l.log.Info("run closed", "run", dir, "iteration", t.Iteration(), "iterations", l.cfg.Train.Iterations, "interrupted", interrupted)
}
