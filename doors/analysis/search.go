package analysis

import (
	"context"
	"errors"

	"tengen/engine"
	"tengen/players"
)

// newThinker makes a thinker that reports as often as it can. partial selects the reports to send.
func (s *server) newThinker() (engine.Thinker, error) {
	o := players.Default()
	o.Threads, o.Seed, o.Interval = s.config.Threads, s.config.Seed, 0
	o.MaxNodes = players.Nodes(players.TreeMegabytes, s.engine.Info().Actions)
	return s.engine.Think(s.player, o)
}

func (s *server) work() {
	for {
		q, ctx, ok := s.queue.next()
		if !ok {
			return
		}
		err := s.search(ctx, q)
		if errors.Is(err, context.Canceled) { // an external engine, whose search gives nothing before its end
			s.answers.send(Unsearched{ID: q.id, NoResults: true})
		} else if err != nil {
			s.answers.send(Failure{q.id, err.Error()})
		}
		s.queue.done(q)
	}
}

// search answers a question with an idle or new thinker.
func (s *server) search(ctx context.Context, q *question) (err error) {
	var t engine.Thinker
	select {
	case t = <-s.idle:
	default:
		if t, err = s.newThinker(); err != nil {
			return err
		}
	}
	defer func() {
		if !errors.Is(err, players.ErrPanic) { // a thinker that panicked may be broken
			s.idle <- t
		}
	}()
	t.Reset(q.position)
	answer, err := t.Think(ctx, q.limit, s.partial(q))
	if err == nil {
		s.answers.send(s.answer(q, answer))
	}
	return err
}

// partial returns a function that sends a question's partial results, or nil.
func (s *server) partial(q *question) func(players.Report) {
	if q.every == (players.Limit{}) {
		return nil
	}
	next := q.every
	return func(r players.Report) {
		simulations := q.every.Simulations > 0 && r.Simulations >= next.Simulations
		elapsed := q.every.Time > 0 && r.Elapsed >= next.Time
		if r.Final || !simulations && !elapsed {
			return
		}
		next = players.Limit{Simulations: r.Simulations + q.every.Simulations, Time: r.Elapsed + q.every.Time}
		s.answers.send(s.answer(q, r))
	}
}

func (s *server) answer(q *question, r players.Report) Answer {
	return Answer{q.id, !r.Final, engine.NewAnalysisJSON(q.position, r.Analysis)}
}
