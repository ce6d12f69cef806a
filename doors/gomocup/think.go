package gomocup

import (
	"context"
	"fmt"
	"math"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// answer thinks about the next board, reports the best moves and plays the first. After an error, the session keeps its
// board.
func (s *session) answer(ctx context.Context, c command, next *board, best int) error {
	p, err := next.position()
	if err != nil {
		return err
	}
	s.consider(ctx, c, p, best, func(report players.Report) {
		next.cells[report.Best], next.last = own, report.Best
		s.board = next
		s.say("%s", s.board.format(report.Best))
	})
	if s.over {
		return nil
	}
	after, err := p.Play(next.last)
	if err == nil {
		s.ponder(after)
	}
	return err
}

// consider thinks about a position on the clock, reports the best moves and, unless the session is over, calls reply.
func (s *session) consider(ctx context.Context, c command, p engine.Position, best int, reply func(players.Report)) {
	budget := s.clock.budget()
	report := s.think(ctx, p, c.read, budget)
	if s.over {
		return
	}
	s.report(report, best, true)
	reply(report)
	s.clock.spend(budget, time.Since(c.read))
}

// rest stops pondering. It does not stop a thought on the engine's time.
func (s *session) rest() {
	if s.brain != nil && len(s.brain.thinking) == 0 {
		s.brain.thinker.Stop()
	}
}

// ponder thinks on the opponent's time, if the manager allows it and no late thought is running.
func (s *session) ponder(p engine.Position) {
	if !p.Over && s.info.ponder && s.brain != nil && len(s.brain.thinking) == 0 {
		s.brain.thinker.Set(p)
		s.brain.thinker.Ponder()
	}
}

// think asks the players in turn. They have budget from begin on. If time runs out, think returns the best move so far.
// If there is none, or all players fail, it returns reflex's move.
func (s *session) think(ctx context.Context, p engine.Position, begin time.Time, budget time.Duration) players.Report {
	late := time.NewTimer(s.clock.timeout() - time.Since(begin))
	defer late.Stop()
	for i := 0; ; i++ {
		if err := s.wake(i); err != nil {
			s.note(err)
			return reflex(p)
		}
		i = s.brain.setup.player
		report, err := s.ask(ctx, p, s.limit(begin, budget), late.C)
		if err == nil {
			return report
		}
		s.note(err)
		s.brain = nil // it may be broken
	}
}

// limit combines the time left with the manager's and the SPEC's limits.
func (s *session) limit(begin time.Time, budget time.Duration) players.Limit {
	limit := s.brain.limit
	if budget == 0 {
		limit.Simulations = 1 // only forced moves
		if s.options.Players[s.brain.setup.player].Kind == players.KindAlphaBeta {
			limit.Time = time.Millisecond // it always looks one ply ahead
		}
	} else if left := max(time.Millisecond, budget-time.Since(begin)); limit.Time == 0 || left < limit.Time {
		limit.Time = left
	}
	if n := s.info.nodes; n > 0 && (limit.Simulations == 0 || n < limit.Simulations) {
		limit.Simulations = n
	}
	return limit
}

// ask lets the brain think until late fires. Meanwhile it obeys END, STOP and INFO.
func (s *session) ask(
	ctx context.Context, p engine.Position, limit players.Limit, late <-chan time.Time,
) (players.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reports, done := make(chan players.Report), make(chan thought, 1)
	var found players.Report // so far
	go s.brain.think(ctx, p, limit, reports, done)
	for {
		if s.over || s.commands == nil {
			stop()
		}
		select {
		case r := <-reports:
			found = r
			s.report(r, 1, false)
		case c, ok := <-s.commands:
			switch {
			case !ok:
				s.commands = nil
			case c.name == "END":
				s.over = true
			case c.name == "STOP" || c.name == "YXSTOP":
				stop()
			case c.name == "INFO":
				s.inform(c.text)
			default:
				s.waiting = append(s.waiting, c)
			}
		case t := <-done:
			return t.answer, t.err
		case <-late:
			if found.Analysis == nil {
				found = reflex(p)
			}
			return found, nil
		}
	}
}

type thought struct {
	answer players.Report
	err    error
}

// think thinks about a position, once any earlier, late thought has ended. It sends reports, then the outcome.
func (b *brain) think(
	ctx context.Context, p engine.Position, limit players.Limit, reports chan<- players.Report, done chan<- thought,
) {
	var t thought
	b.thinking <- struct{}{}
	defer func() {
		if cause := recover(); cause != nil {
			t.err = fmt.Errorf("%w: %v", players.ErrPanic, cause)
		}
		<-b.thinking
		done <- t
	}()
	b.thinker.Set(p)
	t.answer, t.err = b.thinker.Explain(ctx, limit, nil, func(r players.Report) {
		if r.Final {
			return
		}
		select {
		case reports <- r:
		case <-ctx.Done(): // the session no longer waits
		}
	})
}

// reflex returns a move without a player: the best by forced moves and, among equals, by the next position's estimate.
func reflex(p engine.Position) players.Report {
	proven := p.Prove(minForcedNodes).Moves
	best, highest := game.None, math.MinInt
	for i, a := range p.Legal {
		next, err := p.Play(a)
		if err != nil {
			panic(err) // it is legal
		}
		const proof = 1 << 30 // above all estimates
		if worth := proof*int(proven[i].Value()) - next.Estimate(); worth > highest {
			best, highest = a, worth
		}
	}
	return players.Report{Analysis: &players.Analysis{Best: best, PV: []game.Action{best}}}
}
