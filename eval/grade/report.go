package grade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tengen/eval/rating"
	"tengen/game"
)

// Report is the result of Run.
type Report struct {
	Game      string
	Positions int
	Seed      uint64
	Facets    []string // see Set
	Parts     []string // in order
	Players   []Grades
}

// Grades are one player's grades.
type Grades struct {
	Player      string
	Parts       map[string]Totals // only parts with positions
	Calibration calibration       // of values, in positions with scores
}

func (g *Grades) add(p *Problem, move game.Action, a answer) {
	for _, part := range p.Parts {
		t := g.Parts[part]
		if p.Scores == nil {
			t.Kept.add(slices.Contains(p.Right, move))
		} else {
			t.add(p.Score(), p.Scores[a.move], a.value)
		}
		g.Parts[part] = t
	}
	if p.Scores != nil {
		g.Calibration.add(a.value, p.Score().Sign())
	}
}

// Accuracy summarizes the grades for solved positions.
func (g *Grades) Accuracy() rating.Accuracy {
	mistakes, positions := map[string]float64{}, map[string]int{}
	for _, stage := range stages {
		if t, ok := g.Parts[stage]; ok {
			mistakes[stage], positions[stage] = 1-t.Optimal.Value(), t.Optimal.Of
		}
	}
	all := g.Parts["all"]
	return rating.Accuracy{
		Optimal:      all.Optimal.Value(),
		KeepsValue:   all.Kept.Value(),
		ScoreLost:    all.MeanLost(),
		SignAccuracy: all.Sign.Value(),
		Mistakes:     mistakes,
		Stages:       positions,
	}
}

// MarshalJSON writes the report by player. Parts without positions have null for undefined numbers.
func (r Report) MarshalJSON() ([]byte, error) {
	var list []map[string]any
	for _, g := range r.Players {
		grades := map[string]any{"player": g.Player, "calibration": g.Calibration}
		for _, name := range r.Parts {
			grades[name] = g.Parts[name]
		}
		list = append(list, grades)
	}
	return json.Marshal(struct {
		Game      string           `json:"game"`
		Positions int              `json:"positions"`
		Seed      uint64           `json:"seed"`
		Players   []map[string]any `json:"players"`
	}{r.Game, r.Positions, r.Seed, list})
}

// Answered returns the parts with positions.
func (r *Report) Answered() (names []string) {
	for _, name := range r.Parts {
		if t := r.Players[0].Parts[name]; t.Positions() > 0 {
			names = append(names, name)
		}
	}
	return names
}

type column struct {
	title, format string
	text          func(t Totals) string
}

var (
	bestMove = column{"best move", " %-22s", func(t Totals) string { return t.Optimal.String() }}

	solvedColumns = []column{
		bestMove,
		{"result kept", " %-22s", func(t Totals) string { return t.Kept.String() }},
		{"lost", " %5s", func(t Totals) string { return fmt.Sprintf("%.2f", t.MeanLost()) }},
		{"sign", " %7s", func(t Totals) string { return percent(t.Sign) }},
	}
	scoredColumns = []column{
		bestMove,
		{"kept", " %7s", func(t Totals) string { return percent(t.Kept) }},
		{"blunder rate", " %s", func(t Totals) string { return t.Blunders().String() }},
	}
	rightColumns = []column{{"right moves", " %s", func(t Totals) string { return t.Kept.String() }}}
)

func percent(s Share) string { return fmt.Sprintf("%.1f %%", 100*s.Value()) }

// Text returns the report as a table with 95 % intervals. Numbers stand for the players. It omits empty parts and bins.
func (r Report) Text() string {
	var b strings.Builder
	if r.Facets != nil {
		columns := rightColumns
		if r.Players[0].Parts[r.Answered()[0]].scored() {
			columns = scoredColumns
		}
		r.write(&b, columns)
		return b.String()
	}
	fmt.Fprintf(&b, "%s against perfect play, seed %d\n\n", r.Game, r.Seed)
	r.write(&b, solvedColumns)
	for _, p := range r.Players {
		p.Calibration.write(&b, p.Player)
	}
	return b.String()
}

func (r *Report) write(b *strings.Builder, columns []column) {
	parts := 0
	for _, part := range r.Parts {
		parts = max(parts, len(part))
	}
	for i, p := range r.Players {
		fmt.Fprintf(b, "player %d is %s\n", i+1, p.Player)
	}
	b.WriteByte('\n')
	row := func(part, positions, player string, cell func(c column) string) {
		text := fmt.Sprintf("%-*s %5s %s", parts, part, positions, player)
		for _, c := range columns {
			text += fmt.Sprintf(c.format, cell(c))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	row("", "count", "#", func(c column) string { return c.title })
	for _, part := range r.Answered() {
		title := part
		for i, p := range r.Players {
			t := p.Parts[part]
			positions := fmt.Sprint(t.Positions())
			if title == "" {
				positions = ""
			}
			row(title, positions, fmt.Sprint(i+1), func(c column) string { return c.text(t) })
			title = ""
		}
	}
}

// Counts returns a line per player with the counts behind its shares, which may be rounded to 100 %.
func (r Report) Counts() string {
	var b strings.Builder
	for _, p := range r.Players {
		all := p.Parts["all"]
		fmt.Fprintf(&b, "%s keeps the result in %d of %d positions, and chooses a best move in %d\n",
			p.Player, all.Kept.Count, all.Kept.Of, all.Optimal.Count)
	}
	return b.String()
}
