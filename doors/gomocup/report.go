package gomocup

import (
	"fmt"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// note reports a failure.
func (s *session) note(err error) { s.say("MESSAGE %s", oneLine(err.Error())) }

func (s *session) report(r players.Report, best int, final bool) {
	if s.options.Quiet || s.over || len(r.Moves) == 0 {
		return
	}
	if s.info.detail&detailRealtime != 0 { // for Yixin-Board and gomocalc
		s.say("MESSAGE REALTIME REFRESH")
		s.say("MESSAGE REALTIME BEST %s", s.board.format(r.Best))
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
	s.say("MESSAGE %s: %s (%.1f %%), %d simulations, %.0f/s: %s", s.board.format(l.moves[0]), l.evaluation(),
		100*l.winRate(), l.simulations, r.PerSecond(), s.board.format(l.moves...))
}

// figures writes lines for programs, in gomocalc's form.
func (s *session) figures(r players.Report, lines []line) {
	for rank, l := range lines {
		s.say("INFO PV %d", rank)
		s.say("INFO NUMPV %d", len(lines))
		s.say("INFO DEPTH %d", len(l.moves))
		s.say("INFO SELDEPTH %d", len(l.moves))
		s.say("INFO NODES %d", l.simulations)
		s.say("INFO TOTALNODES %d", r.Simulations)
		s.say("INFO TOTALTIME %d", r.Elapsed.Milliseconds())
		s.say("INFO SPEED %.0f", r.PerSecond())
		s.say("INFO EVAL %s", l.evaluation())
		s.say("INFO WINRATE %.4f", l.winRate())
		s.say("INFO BESTLINE %s", s.board.format(l.moves...))
		s.say("INFO PV DONE")
	}
}
