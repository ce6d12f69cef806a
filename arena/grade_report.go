package arena

import (
	"fmt"
	"strings"
)

// gradeRows are the rows of a report: parts of the problems.
var gradeRows = []struct {
	name  string
	marks func(g *Grades) *Marks
}{
	{"all", func(g *Grades) *Marks { return &g.All }},
	{"beginning", func(g *Grades) *Marks { return &g.Beginning }},
	{"middle", func(g *Grades) *Marks { return &g.Middle }},
	{"end", func(g *Grades) *Marks { return &g.End }},
	{"easy", func(g *Grades) *Marks { return &g.Easy }},
	{"medium", func(g *Grades) *Marks { return &g.Medium }},
	{"hard", func(g *Grades) *Marks { return &g.Hard }},
}

// Table is the report for people, the players side by side, with the 95 % intervals in brackets. Groups and bins without
// positions are left out.
func (r Report) Table() string {
	width := len("player")
	for _, p := range r.Players {
		width = max(width, len(p.Player))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s against perfect play, seed %d\n\n", r.Game, r.Seed)
	fmt.Fprintf(&b, "%-9s  %9s  %-*s  %-22s  %-22s  %6s  %-22s  %8s\n",
		"", "positions", width, "player", "best move", "result kept", "lost", "value's sign right", "sq.error")
	for _, row := range gradeRows {
		for i := range r.Players {
			m := row.marks(&r.Players[i])
			if m.Positions() == 0 {
				continue
			}
			name, positions := row.name, fmt.Sprint(m.Positions())
			if i > 0 {
				name, positions = "", ""
			}
			fmt.Fprintf(&b, "%-9s  %9s  %-*s  %-22s  %-22s  %6.2f  %-22s  %8.3f\n", name, positions, width, r.Players[i].Player,
				m.Optimal, m.Kept, m.MeanLost(), m.Sign, m.MeanSquaredError())
		}
	}
	for i := range r.Players {
		r.Players[i].Calibration.write(&b, r.Players[i].Player)
	}
	return b.String()
}

func (c *Calibration) write(b *strings.Builder, player string) {
	fmt.Fprintf(b, "\n%-13s  %9s  %10s  %11s   %s\n", "value", "positions", "mean value", "mean result", player)
	for i, bin := range c {
		if bin.Positions > 0 {
			fmt.Fprintf(b, "%+.1f to %+.1f   %9d  %+10.2f  %+11.2f\n",
				c.edge(i), c.edge(i+1), bin.Positions, bin.MeanValue(), bin.MeanResult())
		}
	}
}

// String is the share and its interval in per cent.
func (s Share) String() string {
	low, high := s.Interval()
	return fmt.Sprintf("%.1f %% (%.1f – %.1f)", 100*s.Value(), 100*low, 100*high)
}
