package manager

import (
	"context"
	"fmt"
	"math"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// Question asks for a thought.
type Question struct {
	Game        engine.Game
	Position    engine.Position      // not over
	Begin       time.Time            // when the clock began to run
	Clock       *Clock               // nil: only the SPEC limits the thought
	Simulations int                  // 0: no limit but the SPEC's
	Endless     bool                 // no limits: a command ends the thought
	Whole       bool                 // the end of the commands does not end the thought
	Report      func(players.Report) // gets partial results; may be nil
}

const unlimited time.Duration = math.MaxInt64

// Think asks the players in turn. If time runs out, it returns the best move so far. If there is none, or all players
// fail, it returns reflex's move.
func (s *Session[C]) Think(ctx context.Context, q Question) players.Report {
	budget, timeout := unlimited, unlimited
	if c := q.Clock; c != nil {
		budget, timeout = c.Budget(), c.Timeout()
		defer func() { c.Spend(budget, time.Since(q.Begin)) }()
	}
	late := time.NewTimer(timeout - time.Since(q.Begin))
	defer late.Stop()
	for i := 0; ; i++ {
		if err := s.Wake(q.Game, i); err != nil {
			s.door.Note(err)
			return reflex(q.Position)
		}
		i = s.Brain.Player
		report, err := s.ask(ctx, q, s.limit(q, budget), late.C)
		if err == nil {
			return report
		}
		s.door.Note(err)
		s.Brain = nil // it may be broken
	}
}

// Rest stops pondering. It does not stop a thought on the engine's time.
func (s *Session[C]) Rest() {
	if s.Brain != nil && len(s.Brain.thinking) == 0 {
		s.Brain.Thinker.Stop()
	}
}

// Ponder thinks on the opponent's time, unless a late thought is running.
func (s *Session[C]) Ponder(p engine.Position) {
	if !p.Over && s.Brain != nil && len(s.Brain.thinking) == 0 {
		s.Brain.Thinker.Set(p)
		s.Brain.Thinker.Ponder()
	}
}

// limit combines the time left with the manager's and the SPEC's limits. By a clock, a network without a number of
// simulations thinks as long as it may.
func (s *Session[C]) limit(q Question, budget time.Duration) players.Limit {
	limit, spec := s.Brain.Limit, s.Players[s.Brain.Player]
	if q.Endless {
		return players.Limit{}
	}
	if q.Clock != nil && spec.Kind == players.KindNet && spec.Limit == players.Unset {
		limit.Simulations = 0
	}
	left := max(time.Millisecond, budget-time.Since(q.Begin))
	switch {
	case budget == 0:
		limit.Simulations = 1 // only forced moves
		if spec.Kind == players.KindAlphaBeta {
			limit.Time = time.Millisecond // it always looks one ply ahead
		}
	case q.Clock != nil && (limit.Time == 0 || left < limit.Time):
		limit.Time = left
	}
	if n := q.Simulations; n > 0 && (limit.Simulations == 0 || n < limit.Simulations) {
		limit.Simulations = n
	}
	return limit
}

// ask lets the brain think until late fires. Meanwhile the door hears commands.
func (s *Session[C]) ask(
	ctx context.Context, q Question, limit players.Limit, late <-chan time.Time,
) (players.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reports, done := make(chan players.Report), make(chan thought, 1)
	var found players.Report // so far
	go s.Brain.think(ctx, q.Position, limit, reports, done)
	for {
		if s.Over || s.commands == nil && !q.Whole {
			stop()
		}
		select {
		case r := <-reports:
			found = r
			if q.Report != nil {
				q.Report(r)
			}
		case c, ok := <-s.commands:
			if !ok {
				s.commands = nil
				continue
			}
			ends, waits := s.door.Hear(c)
			if ends {
				stop()
			}
			if waits {
				s.waiting = append(s.waiting, c)
			}
		case t := <-done:
			return t.answer, t.err
		case <-late:
			if found.Analysis == nil {
				found = reflex(q.Position)
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
func (b *Brain) think(
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
	b.Thinker.Set(p)
	t.answer, t.err = b.Thinker.Explain(ctx, limit, nil, func(r players.Report) {
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
