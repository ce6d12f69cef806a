package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"path/filepath"

	"tengen/engine"
	"tengen/eval"
	"tengen/eval/grade"
	"tengen/internal/atomicfile"
	"tengen/internal/printable"
	"tengen/players"
	"tengen/run"
	"tengen/train"
	"tengen/train/checkpoint"
)

type runner struct {
	options
	log *log.Logger
}

func (r *runner) try(ctx context.Context, t *table, v variant, seed uint64) error {
	name := trialName(v.Name, seed)
	cfg, err := t.config(v, seed)
	if err != nil {
		return err
	}
	e, err := engine.Open(cfg.Game)
	if err != nil {
		return err
	}
	rec, err := r.open(name, v, seed, cfg)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return r.train(ctx, cfg, name, rec) },
		func() error { return r.exams(ctx, e, name, rec) },
		func() error { return r.matchBase(ctx, e, name, seed, rec) },
	} {
		if err := step(); err != nil {
			return err
		}
		if err := r.save(name, rec); err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(r.results, 0o644, []byte(r.tables(t))); err != nil {
			return err
		}
	}
	return nil
}

// open returns a trial's record. A new one plans as many iterations as the variant's trial with the first seed, or the
// base's trial with this seed, had.
func (r *runner) open(name string, v variant, seed uint64, cfg run.Config) (*record, error) {
	budget := r.budget.Seconds()
	rec, err := r.load(name)
	if err != nil {
		return nil, err
	}
	if rec != nil {
		return rec, rec.check(cfg, budget)
	}
	rec = &record{Config: string(cfg.YAML()), Budget: budget, Attempts: []int{cfg.Train.Iterations}}
	for _, like := range []string{trialName(v.Name, r.seeds[0]), trialName(base.Name, seed)} {
		other, err := r.load(like)
		if err == nil && other != nil && other.Spent != nil && other.Budget == budget {
			rec.Attempts[0] = other.Spent.Iterations
			break
		}
	}
	return rec, r.save(name, rec)
}

// train makes a run that uses the budget. If the planned number of iterations was far off, it makes another from the
// start, so that the learning rate falls over the whole run.
func (r *runner) train(ctx context.Context, cfg run.Config, name string, rec *record) error {
	for rec.Spent == nil {
		cfg.Train.Iterations = rec.iterations()
		r.log.Printf("%s: training, about %s", name, printable.Plural(cfg.Train.Iterations, "iteration"))
		again := len(rec.Attempts) < maxAttempts
		all, err := r.attempt(ctx, cfg, r.runDir(name, rec), again)
		if err != nil {
			return err
		}
		if next := better(all, cfg.Train.Iterations, rec.Budget); again && next != cfg.Train.Iterations {
			rec.Attempts = append(rec.Attempts, next)
			if err := r.save(name, rec); err != nil {
				return err
			}
			continue
		}
		_, cpu := checkpoint.Spent(all)
		if cpu <= 0 {
			return errors.New("this system does not report the processor time of a run")
		}
		last := all[len(all)-1]
		rec.Spent = &spent{Iterations: len(all), CPUSeconds: cpu, Games: last.Games, Positions: last.Positions}
		r.log.Printf("%s: %d games in %.0f processor seconds, %+.1f %% off the budget", name, last.Games, cpu, 100*(cpu/rec.Budget-1))
	}
	return nil
}

// attempt starts or continues a run up to the iteration that ends nearest to the budget, be it before or after the last
// planned one. With mayGiveUp, it stops once there is a better plan.
func (r *runner) attempt(ctx context.Context, cfg run.Config, dir string, mayGiveUp bool) ([]checkpoint.Metrics, error) {
	plan, budget := cfg.Train.Iterations, r.budget.Seconds()
	enough := func(all []checkpoint.Metrics) bool {
		return len(all) > 0 && (left(all, budget) <= 0 || mayGiveUp && better(all, plan, budget) != plan)
	}
	for {
		all, err := r.advance(ctx, cfg, dir, enough)
		if err != nil || enough(all) {
			return all, err
		}
		cfg.Train.Iterations = len(all) + left(all, budget)
	}
}

// advance starts or continues a run until its last iteration or until it is enough.
func (r *runner) advance(
	ctx context.Context, cfg run.Config, dir string, enough func([]checkpoint.Metrics) bool,
) (all []checkpoint.Metrics, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopped := errors.New("the run is long enough")
	judge := func() {
		if enough(all) {
			cancel(stopped)
		}
	}
	t, err := run.Train(ctx, run.TrainConfig{
		Config: cfg,
		Dir:    dir,
		Observe: func(event train.Event) {
			if event.Phase == train.PhaseDone {
				all = append(all, *event.Metrics)
				judge()
			}
		},
		Warn: func(err error) { r.log.Printf("warning: %v", err) },
	})
	if err != nil {
		return nil, err
	}
	if all, err = checkpoint.ReadMetrics(dir); err == nil {
		judge()
		err = t.Run(ctx)
	}
	if context.Cause(ctx) == stopped {
		err = nil
	}
	return all, errors.Join(err, t.Close())
}

// exams runs Connect Four's exam with and without search.
func (r *runner) exams(ctx context.Context, e engine.Game, name string, rec *record) error {
	if e.Info().Name != "connect4" {
		return nil
	}
	for _, n := range r.simulations {
		if rec.marksOf(r.bookExam, n) != nil {
			continue
		}
		r.log.Printf("%s: exam with %d simulations", name, n)
		c := engine.DefaultProblems()
		c.Positions = "dev"
		if r.bookExam > 0 {
			c.Positions = fmt.Sprintf("book:%d", r.bookExam)
		}
		exam, err := e.Problems(ctx, c, nil)
		if err != nil {
			return err
		}
		player, err := e.Player(r.player(name, rec, n), engine.PlayerOptions{})
		if err != nil {
			return err
		}
		report, err := e.Grade(ctx, grade.Config{Seed: c.Sample.Seed, Workers: c.Sample.Workers}, player, exam, nil)
		if err != nil {
			return err
		}
		for i, simulations := range []int{n, 0} { // with and without search
			m := marks{BookExam: r.bookExam, Simulations: simulations}
			for _, part := range report.Parts {
				blunders := report.Players[i].Parts[part].Blunders()
				m.Cells = append(m.Cells, cell{part, blunders.Count, blunders.Of})
			}
			if rec.marksOf(r.bookExam, simulations) == nil {
				rec.Exams = append(rec.Exams, m)
			}
		}
		if err := r.save(name, rec); err != nil {
			return err
		}
	}
	return nil
}

// matchBase plays a match against the base of the same seed. Without an SPRT, it continues the recorded match.
func (r *runner) matchBase(ctx context.Context, e engine.Game, name string, seed uint64, rec *record) error {
	opponent := trialName(base.Name, seed)
	if name == opponent || r.match.Games == 0 {
		return nil
	}
	if rec.Match == nil || rec.Match.Question != r.match {
		rec.Match = &matchResult{Question: r.match}
	}
	tally := &rec.Match.Tally
	if tally.Games() == r.match.Games || rec.Match.Verdict != "" {
		return nil
	}
	against, err := r.load(opponent)
	if err != nil {
		return err
	}
	if against == nil || against.Spent == nil {
		return fmt.Errorf("no match: %s has not been trained", opponent)
	}
	r.log.Printf("%s: match against %s", name, opponent)
	player, err := e.Player(r.player(name, rec, r.match.Simulations), engine.PlayerOptions{})
	if err != nil {
		return err
	}
	other, err := e.Player(r.player(opponent, against, r.match.Simulations), engine.PlayerOptions{})
	if err != nil {
		return err
	}
	m := engine.MatchConfig{MatchConfig: eval.Default()}
	m.OpeningPlies, m.Seed, m.SPRT = r.match.OpeningPlies, seed, r.sprt
	m.Games, m.GamesFile = r.match.Games, filepath.Join(r.runDir(name, rec), "match.jsonl")
	played, err := e.Match(ctx, m, player, other, nil)
	if err != nil {
		return err
	}
	*tally = played.Total()
	if r.match.SPRT != "" {
		rec.Match.Verdict = r.sprt.Verdict(played.Pairs)
	}
	return r.save(name, rec)
}

func (r *runner) player(name string, rec *record, simulations int) players.Spec {
	return players.Spec{Kind: players.KindNet, Path: r.runDir(name, rec), Limit: simulations}
}

func (r *runner) tables(t *table) string {
	var rows []row
	for _, v := range t.all() {
		for _, seed := range r.seeds {
			rec, err := r.load(trialName(v.Name, seed))
			if err != nil {
				r.log.Print(err)
			} else if rec != nil && rec.Spent != nil {
				rows = append(rows, row{v, seed, rec})
			}
		}
	}
	return writeTables(r.options, rows)
}
