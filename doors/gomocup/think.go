package gomocup

import (
	"context"

	"tengen/doors/manager"
	"tengen/engine"
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
		s.Say("%s", s.board.format(report.Best))
	})
	if s.Over {
		return nil
	}
	after, err := p.Play(next.last)
	if err == nil {
		s.ponder(after)
	}
	return err
}

// ponder thinks on the opponent's time, if the manager allows it.
func (s *session) ponder(p engine.Position) {
	if s.info.ponder {
		s.Ponder(p)
	}
}

// consider thinks about a position on the clock, reports the best moves and, unless the session is over, calls reply.
func (s *session) consider(ctx context.Context, c command, p engine.Position, best int, reply func(players.Report)) {
	report := s.Think(ctx, manager.Question{
		Game: s.board.Game, Position: p, Begin: c.read, Clock: &s.clock, Simulations: s.info.nodes,
		Report: func(r players.Report) { s.report(r, 1, false) },
	})
	if !s.Over {
		s.report(report, best, true)
		reply(report)
	}
}

// Hear obeys END, STOP and INFO during a thought.
func (s *session) Hear(c command) (ends, waits bool) {
	switch c.name {
	case "END":
		s.Over = true
	case "INFO":
		s.inform(c.text)
	case "STOP", "YXSTOP":
		return true, false
	default:
		return false, true
	}
	return false, false
}
