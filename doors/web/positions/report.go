package positions

import (
	"cmp"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/game"
	"tengen/mcts"
	"tengen/players"
)

// AnalysisJSON extends the output of `tengen analyze --json`.
type AnalysisJSON struct {
	ID           string  `json:"id"`
	Player       string  `json:"player"`
	DuringSearch bool    `json:"during_search"`
	Kept         int     `json:"kept"`
	Milliseconds int64   `json:"milliseconds"`
	PerSecond    float64 `json:"per_second"`
	engine.AnalysisJSON
	Candidates []candidateJSON `json:"candidates"`
	Network    *networkJSON    `json:"network"`
	Owners     []float32       `json:"owners,omitempty"` // by cell: 1 if the side to move will surely hold it at the end, -1 if the opponent; left out if unknown
	Lead       *float32        `json:"lead,omitempty"`   // by how much the side to move will win, by its owners; left out with them
	Line       *lineJSON       `json:"line"`
	Next       *PositionJSON   `json:"next,omitempty"` // after the best move; left out during the search
}

// candidateJSON is a move and the search's findings about it.
type candidateJSON struct {
	ChildJSON
	Policy float32  `json:"policy"`
	PV     []string `json:"pv"`
	Cells  []*int   `json:"pv_cells"` // by move of PV: where it goes to, null if to no cell
	From   []*int   `json:"pv_from"`  // by move of PV: where it comes from, null if from no cell
}

type networkJSON struct {
	Value  float32            `json:"value"`
	Policy map[string]float32 `json:"policy"`
}

type lineJSON struct {
	Moves    string      `json:"moves"`
	ToMove   string      `json:"to_move"`
	Visits   int         `json:"visits"`
	Value    *float32    `json:"value"`
	Proven   *string     `json:"proven"`
	Children []ChildJSON `json:"children"`
}

// ChildJSON is a move. Its value is for the side that makes it.
type ChildJSON struct {
	moveJSON
	Visits int      `json:"visits"`
	Value  *float32 `json:"value"`
	Prior  float32  `json:"prior"`
	Proven *string  `json:"proven"`
}

// reporter converts reports about a question to JSON.
type reporter struct {
	question
	bare *networkJSON // the network's output without search
}

func newReporter(q question) (*reporter, error) {
	r := &reporter{question: q}
	if q.network == nil {
		return r, nil
	}
	policy, value, err := q.network.Evaluate(q.position)
	if err != nil {
		return nil, err
	}
	r.bare = &networkJSON{Value: value, Policy: map[string]float32{}}
	for _, a := range q.position.Legal {
		r.bare.Policy[q.position.Format(a)] = policy[a]
	}
	return r, nil
}

func (r *reporter) of(found players.Report) AnalysisJSON {
	j := AnalysisJSON{
		ID: r.id, Player: r.player.Name, DuringSearch: !found.Final, Kept: found.Kept, Milliseconds: found.Elapsed.Milliseconds(),
		PerSecond: found.PerSecond(), AnalysisJSON: engine.NewAnalysisJSON(r.position, found.Analysis),
		Candidates: r.candidates(found), Network: r.bare, Line: r.lineBelow(found.Detail),
	}
	if found.Detail != nil && found.Owners != nil {
		j.Owners, j.Lead = found.Owners, new(r.lead(found.Owners))
	}
	if next, err := r.position.Play(found.Best); err == nil && found.Final {
		j.Next = new(describePosition(r.engine, next))
	}
	return j
}

// lead returns by how much the side to move wins if the cells have these owners, see players.Detail.
func (r *reporter) lead(owners []float32) (lead float32) {
	for _, owner := range owners {
		lead += owner
	}
	if komi := r.engine.Info().Komi; komi != nil && r.position.ToMove == game.First {
		lead -= float32(*komi)
	} else if komi != nil {
		lead += float32(*komi)
	}
	return lead
}

// maxUnsearched limits the moves in candidates that the search did not try.
const maxUnsearched = 16

// candidates lists moves, the player's favourites first. What a player without visits, such as alpha-beta, says of the
// position, it says of its best move.
func (r *reporter) candidates(found players.Report) []candidateJSON {
	list, unsearched := []candidateJSON{}, 0
	for _, m := range engine.Ranked(found.Analysis) {
		if m.Visits == 0 && found.Policy[m.Action] == 0 && m.Proven == game.Unknown {
			if unsearched++; unsearched > maxUnsearched {
				continue
			}
		}
		line := found.Line(m.Action)
		c := candidateJSON{ChildJSON: r.child(r.position, m), Policy: found.Policy[m.Action], PV: r.position.Names(line)}
		if m.Action == found.Best && c.Value == nil {
			c.Value, c.Proven = found.KnownValue(), proven(found.Proven)
		}
		for _, target := range r.position.Targets(line) {
			c.Cells, c.From = append(c.Cells, cellOrNull(target.To)), append(c.From, cellOrNull(target.From))
		}
		list = append(list, c)
	}
	return list
}

func (r *reporter) child(p engine.Position, m mcts.Stat) ChildJSON {
	j := ChildJSON{
		moveJSON: describeMove(p.Format(m.Action), m.Action, p.Target(m.Action)),
		Visits:   m.Visits, Prior: m.Prior, Proven: proven(m.Proven),
	}
	if m.Visits > 0 || j.Proven != nil {
		j.Value = &m.Q
	}
	return j
}

func proven(r game.Result) *string {
	if r == game.Unknown {
		return nil
	}
	return new(r.String())
}

// lineBelow returns the requested view into the tree, or nil.
func (r *reporter) lineBelow(d *players.Detail) *lineJSON {
	if len(r.line) == 0 {
		return nil
	}
	l := &lineJSON{Moves: strings.Join(r.position.Names(r.line), " "), ToMove: engine.SideName(r.below.ToMove), Children: []ChildJSON{}}
	if d == nil || d.Below == nil {
		return l
	}
	b := d.Below
	l.Visits, l.Proven = b.Visits, proven(b.Proven)
	if b.Visits > 0 || b.Proven != game.Unknown {
		l.Value = &b.Value
	}
	for _, m := range slices.SortedStableFunc(slices.Values(b.Moves), func(x, y mcts.Stat) int {
		return cmp.Or(cmp.Compare(y.Visits, x.Visits), cmp.Compare(y.Prior, x.Prior))
	}) {
		l.Children = append(l.Children, r.child(r.below, m))
	}
	return l
}
