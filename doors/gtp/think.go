package gtp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

// form is how analyses are written.
type form struct {
	one  float64 // that stands for 1
	text string  // of move, visits, win rate of the side to move, prior, rank from 0 and the line from the move on
}

// The lower bound of a win rate is the win rate. No network here predicts scores, so the lead is 0.
var (
	leela = &form{1e4, "info move %s visits %d winrate %.0f prior %.0f lcb %.0[3]f order %[5]d pv %s"}
	kata  = &form{1, "info move %s visits %d winrate %.6f scoreLead 0.0 prior %.6f lcb %.6[3]f order %[5]d pv %s"}
)

// think thinks about a side's move and answers with it or, if the thought ends at the next command, with nothing. Some
// commands show their thoughts in a form.
func (s *session) think(ctx context.Context, c command) (answer string, err error) {
	b := s.board
	if c.side == game.Nobody {
		c.side = b.position.ToMove
	}
	p, err := b.turn(c.side)
	form, endless := commands[c.name].shows, strings.HasSuffix(c.name, "-analyze")
	switch {
	case err != nil:
		return "", err
	case p.Over && (endless || !b.info.Passes):
		return "", fmt.Errorf("the game is over: %s", p.Result())
	}
	clock := s.clocks[c.side]
	if endless || c.name == "reg_genmove" {
		clock = nil // it does not run
	}
	q := manager.Question{Game: b.game, Position: p, Begin: c.read, Clock: clock, Endless: endless, Whole: !endless}
	if form != nil {
		s.Say("=%s", c.id)
		s.begun, q.Report = true, s.reporter(c, p, form)
		answer = "play "
	}
	r, vertex := players.Report{Analysis: &players.Analysis{Best: game.None}}, pass // after the end
	if !p.Over {
		s.endless = endless
		r = s.Think(ctx, q)
		s.endless = false
		if clock != nil {
			clock.Left = max(clock.Left-clock.Increment, clock.Increment) // unused byo-yomi is lost
		}
		vertex = b.vertices(p, r.Best)[0]
	}
	if form != nil {
		r.Final = true
		q.Report(r)
	}
	if endless {
		return "", nil
	}
	if c.name != "reg_genmove" {
		err = b.play(p, r.Best)
	}
	return answer + vertex, err
}

// reporter returns a function that writes reports, except the final one at least as far apart as the command wants: its
// first number, in centiseconds.
func (s *session) reporter(c command, p engine.Position, f *form) func(players.Report) {
	interval := time.Duration(min(max(0, append(c.numbers, 0)[0]), 1e9)) * 10 * time.Millisecond
	option := slices.Index(c.args, "ownership")
	owned := f == kata && option >= 0 && slices.Equal(c.args[option+1:min(option+2, len(c.args))], []string{"true"})
	var last time.Time
	return func(r players.Report) {
		if !r.Final && time.Since(last) < interval {
			return
		}
		last = time.Now()
		var moves []string
		for _, m := range engine.Ranked(r.Analysis) {
			visits, value := m.Visits, m.Q
			if visits == 0 && m.Action == r.Best {
				visits, value = r.Simulations, r.Value // of players without visits, such as alpha-beta
			}
			if visits > 0 {
				pv := s.board.vertices(p, r.Line(m.Action)...)
				moves = append(moves, fmt.Sprintf(f.text, pv[0], visits, f.one*float64(value+1)/2, f.one*float64(m.Prior), len(moves), strings.Join(pv, " ")))
			}
		}
		if moves == nil {
			return
		}
		if owned && r.Detail != nil && r.Owners != nil {
			moves = append(moves, "ownership")
			for _, owner := range r.Owners {
				moves = append(moves, fmt.Sprintf("%.3f", owner))
			}
		}
		s.Say("%s", strings.Join(moves, " "))
	}
}
