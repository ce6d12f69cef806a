package gomocup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/game"
	"tengen/mcts"
	"tengen/players"
)

// note tells the manager about a failure that does not prevent an answer.
func (s *session) note(err error) { s.say("MESSAGE %s", oneLine(err.Error())) }

// progress reports what a thought has found so far.
func (s *session) progress(r players.Report) {
	if s.options.Quiet || s.over {
		return
	}
	s.realtime(r)
	if s.info.detail&detailFigures != 0 {
		s.figures(s.lines(r, 1))
	} else if s.info.detail == 0 && time.Since(s.told) >= reportInterval {
		s.summary(s.lines(r, 1)[0])
		s.told = time.Now()
	}
}

// conclude reports the best moves that a thought has found.
func (s *session) conclude(r players.Report, best int) {
	if s.options.Quiet || len(r.Moves) == 0 {
		return
	}
	s.realtime(r)
	lines := s.lines(r, best)
	switch {
	case s.info.detail&detailFigures != 0:
		s.figures(lines)
	case best > 1:
		for _, l := range lines {
			s.summary(l)
		}
	case time.Since(s.told) >= reportInterval:
		s.summary(lines[0])
		s.told = time.Now()
	}
}

// line is one of the best moves and the moves after it.
type line struct {
	rank        int // from 0
	moves       []game.Action
	value       float32 // for the engine, -1 to 1
	proven      game.Result
	simulations int
	report      players.Report
}

// lines returns the n best moves, beginning with the one to play.
func (s *session) lines(r players.Report, n int) []line {
	order := make([]int, len(r.Moves))
	for i := range order {
		order[i] = i
	}
	played := func(m mcts.Stat) int {
		if m.Action == r.Best {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := r.Moves[i], r.Moves[j]
		return cmp.Or(cmp.Compare(played(b), played(a)), cmp.Compare(b.Visits, a.Visits), cmp.Compare(r.Policy[b.Action], r.Policy[a.Action]), cmp.Compare(b.Prior, a.Prior))
	})
	var lines []line
	for rank, i := range order[:min(n, len(order))] {
		m := r.Moves[i]
		l := line{rank: rank, moves: []game.Action{m.Action}, value: m.Q, proven: m.Proven, simulations: m.Visits, report: r}
		if r.Detail != nil {
			l.moves = r.Detail.Lines[i]
		}
		if rank == 0 {
			l.moves, l.value, l.proven, l.simulations = r.PV, r.Value, r.Proven, r.Simulations
		}
		lines = append(lines, l)
	}
	return lines
}

// evaluation returns a value in thousandths, or "+M5" for a proven win in a line of 5 plies.
func (l line) evaluation() string {
	switch l.proven {
	case game.Win:
		return fmt.Sprintf("+M%d", len(l.moves))
	case game.Loss:
		return fmt.Sprintf("-M%d", len(l.moves))
	}
	return fmt.Sprintf("%.0f", 1000*l.value)
}

// winRate returns the engine's expected share of wins, where a draw is half a win.
func (l line) winRate() float32 { return (l.value + 1) / 2 }

// format writes moves as the protocol does, with blanks between them.
func (s *session) format(moves []game.Action) string {
	texts := make([]string, len(moves))
	for i, a := range moves {
		texts[i] = s.board.format(a)
	}
	return strings.Join(texts, " ")
}

// summary writes a line for people.
func (s *session) summary(l line) {
	s.say("MESSAGE %s: %s (%.1f %%), %d simulations, %.0f/s: %s", s.board.format(l.moves[0]), l.evaluation(), 100*l.winRate(),
		l.simulations, l.report.PerSecond(), s.format(l.moves))
}

// realtime shows the best move on the board of Yixin-Board and gomocalc.
func (s *session) realtime(r players.Report) {
	if s.info.detail&detailRealtime != 0 && len(r.Moves) > 0 {
		s.say("MESSAGE REALTIME REFRESH")
		s.say("MESSAGE REALTIME BEST %s", s.board.format(r.Best))
	}
}

// figures writes lines for programs, in gomocalc's form.
func (s *session) figures(lines []line) {
	for _, l := range lines {
		s.say("INFO PV %d", l.rank)
		s.say("INFO NUMPV %d", len(lines))
		s.say("INFO DEPTH %d", len(l.moves))
		s.say("INFO SELDEPTH %d", len(l.moves))
		s.say("INFO NODES %d", l.simulations)
		s.say("INFO TOTALNODES %d", l.report.Simulations)
		s.say("INFO TOTALTIME %d", l.report.Elapsed.Milliseconds())
		s.say("INFO SPEED %.0f", l.report.PerSecond())
		s.say("INFO EVAL %s", l.evaluation())
		s.say("INFO WINRATE %.4f", l.winRate())
		s.say("INFO BESTLINE %s", s.format(l.moves))
		s.say("INFO PV DONE")
	}
}
