package gomocup

import (
	"fmt"
	"time"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// Note reports a failure.
func (s *session) Note(err error) { s.Say("MESSAGE %s", manager.OneLine(err.Error())) }

func (s *session) report(r players.Report, best int, final bool) {
	if s.options.Quiet || s.Over || len(r.Moves) == 0 {
		return
	}
	if s.info.detail&detailRealtime != 0 { // for Yixin-Board and gomocalc
		s.Say("MESSAGE REALTIME REFRESH")
		s.Say("MESSAGE REALTIME BEST %s", s.board.format(r.Best))
	}
	found := lines(r, best)
	switch {
	case s.info.detail&detailFigures != 0:
		s.figures(r, found)
	case best > 1:
		for _, l := range found {
			s.summary(r, l)
		}
	case (final || s.info.detail == 0) && time.Since(s.summarized) >= reportInterval:
		s.summary(r, found[0])
		s.summarized = time.Now()
	}
}

type line struct {
	moves       []game.Action
	value       float32 // for the engine, -1 to 1
	proven      game.Result
	simulations int
}

// lines returns the n best moves, the one to play first.
func lines(r players.Report, n int) []line {
	best := []line{{r.PV, r.Value, r.Proven, r.Simulations}}
	ranked := engine.Ranked(r.Analysis)
	for _, m := range ranked[1:min(n, len(ranked))] {
		best = append(best, line{r.Line(m.Action), m.Q, m.Proven, m.Visits})
	}
	return best
}

// evaluation returns the value in thousandths, or "+M5" for a proven win in 5 plies.
func (l line) evaluation() string {
	switch l.proven {
	case game.Win:
		return fmt.Sprintf("+M%d", len(l.moves))
	case game.Loss:
		return fmt.Sprintf("-M%d", len(l.moves))
	}
	return fmt.Sprintf("%.0f", 1000*l.value)
}

// winRate returns the engine's expected score, 0 to 1.
func (l line) winRate() float32 { return (l.value + 1) / 2 }

// summary writes a line for people.
func (s *session) summary(r players.Report, l line) {
	s.Say("MESSAGE %s: %s (%.1f %%), %d simulations, %.0f/s: %s", s.board.format(l.moves[0]), l.evaluation(),
		100*l.winRate(), l.simulations, r.PerSecond(), s.board.format(l.moves...))
}

// figures writes lines for programs, in gomocalc's form.
func (s *session) figures(r players.Report, lines []line) {
	for rank, l := range lines {
		s.Say("INFO PV %d", rank)
		s.Say("INFO NUMPV %d", len(lines))
		s.Say("INFO DEPTH %d", len(l.moves))
		s.Say("INFO SELDEPTH %d", len(l.moves))
		s.Say("INFO NODES %d", l.simulations)
		s.Say("INFO TOTALNODES %d", r.Simulations)
		s.Say("INFO TOTALTIME %d", r.Elapsed.Milliseconds())
		s.Say("INFO SPEED %.0f", r.PerSecond())
		s.Say("INFO EVAL %s", l.evaluation())
		s.Say("INFO WINRATE %.4f", l.winRate())
		s.Say("INFO BESTLINE %s", s.board.format(l.moves...))
		s.Say("INFO PV DONE")
	}
}
