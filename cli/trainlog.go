package cli

import (
	"context"
	"log/slog"

	"tengen/selfplay/cluster"
	"tengen/train"
)

// trainLog logs a training: a record for each phase, and for each iteration with the fields of metrics.jsonl.
type trainLog struct {
	log     *slog.Logger
	workers func() []cluster.WorkerStatus // nil if no workers may join
	phase   train.Phase
}

// observe is run.TrainConfig.Observe.
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
