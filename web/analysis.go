package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"tengen/arena"
	"tengen/engine"
	"tengen/game"
	"tengen/live"
	"tengen/mcts"
)

// question is what a request asks a player.
type question struct {
	id       string
	engine   engine.Engine
	position engine.Position
	player   player
	limit    live.Limit
	line     []game.Action   // to look below
	below    engine.Position // where it leads
}

// serveAnalysis answers /api/analysis.
func (s *Server) serveAnalysis(w http.ResponseWriter, r *http.Request) error {
	q, err := s.parseQuestion(r)
	if err != nil {
		return err
	}
	st, err := s.openStream(w, r)
	if err != nil {
		return err
	}
	defer st.close()
	leave, err := s.queue.enter(st.ctx, func(place int) {
		st.send("waiting", "", map[string]any{"id": q.id, "place": place})
	})
	if err != nil {
		return nil // the client has gone
	}
	defer leave()
	if err := s.think(st, q); err != nil {
		st.send("error", "", map[string]string{"id": q.id, "error": err.Error()})
	}
	return nil
}

// parseQuestion reads a request.
func (s *Server) parseQuestion(r *http.Request) (q question, err error) {
	params, err := parseQuery(r, "game", "moves", "player", limitSimulations, limitMilliseconds, limitDepth, "line", "id")
	if err != nil {
		return q, err
	}
	if q.engine, q.position, err = s.position(params); err != nil {
		return q, err
	}
	if q.position.Over {
		return q, badRequestf("the game is over, there is nothing to analyze")
	}
	if q.player, err = s.player(q.engine, params["player"]); err != nil {
		return q, err
	}
	if err := s.setLimit(&q, params); err != nil {
		return q, err
	}
	q.line, q.below, err = follow(q.engine, q.position, params["line"])
	if q.id = params["id"]; err == nil && len(q.id) > 100 {
		err = badRequestf("an id of %d bytes, allowed are 100", len(q.id))
	}
	return q, err
}

// setLimit sets the limit of a question: the request's, or what the player takes without one.
func (s *Server) setLimit(q *question, params query) error {
	most, p, given := s.options.Limits, &q.player, 0
	for _, l := range []struct {
		name      string
		value     **int
		low, high int
	}{
		{limitSimulations, &p.Simulations, 1, most.Simulations},
		{limitMilliseconds, &p.Milliseconds, 1, int(most.Time.Milliseconds())},
		{limitDepth, &p.Depth, 1, most.Depth},
	} {
		if !params.given(l.name) {
			continue
		}
		if l.name == limitSimulations && p.Network {
			l.low = 0 // the bare policy
		}
		n, err := params.number(l.name, 0, l.low, l.high)
		if err != nil {
			return err
		}
		if !slices.Contains(p.Limits, l.name) {
			return badRequestf("%s has no limit %s", p.Name, l.name)
		}
		if given++; given > 1 {
			return badRequestf("give one limit, not several")
		}
		p.Simulations, p.Milliseconds, p.Depth = nil, nil, nil
		*l.value = &n
	}
	q.limit.Time = most.Time
	if p.Milliseconds != nil {
		q.limit.Time = min(most.Time, time.Duration(*p.Milliseconds)*time.Millisecond)
	}
	switch {
	case p.Simulations != nil && *p.Simulations == 0:
		p.spec.Limit = 0
	case p.Simulations != nil:
		q.limit.Simulations = *p.Simulations
	case p.Depth != nil:
		p.spec.Limit = *p.Depth
	}
	return nil
}

// think searches, and sends what is found until it ends or the stream does.
func (s *Server) think(st *stream, q question) error {
	var network engine.Network
	if q.player.Network {
		var err error
		any := q.player
		any.spec.Limit = arena.Unset // the bare policy is the same network's
		network, err = s.trees.network(any.key(q.engine), func() (engine.Network, error) {
			return q.engine.Network(q.player.spec.Path, engine.PlayerOptions{})
		})
		if err != nil {
			return err
		}
	}
	reports, err := s.newReporter(q, network)
	if err != nil {
		return err
	}
	th, err := s.thinker(q, q.player.key(q.engine), network)
	if err != nil {
		return err
	}
	answer, err := th.Explain(st.ctx, q.limit, q.line, func(r live.Report) {
		if !r.Final {
			st.send("report", "", reports.of(r))
		}
	})
	if err != nil {
		return err
	}
	s.trees.put(th)
	if context.Cause(st.ctx) == nil {
		st.send("done", "", reports.of(answer))
	}
	return nil
}

// thinker returns one at the position of a question.
func (s *Server) thinker(q question, key string, network engine.Network) (*thinker, error) {
	th := s.trees.take(key, q.position.Moves)
	if th == nil {
		spec := q.player.spec
		switch spec.Kind {
		case arena.KindUCT:
			spec.Limit = usualPlayouts // not obeyed: limits are those of a thought
		case arena.KindAlphaBeta:
			if spec.Limit == 0 {
				spec.Time = time.Second // likewise
			}
		}
		options := live.Default()
		options.Threads, options.MaxNodes = s.options.Threads, treeNodes(q.engine.Info().Actions)
		made, err := q.engine.Think(engine.ThinkConfig{Player: spec, Network: network, Options: options})
		if err != nil {
			return nil, err
		}
		th = &thinker{Thinker: made, key: key}
	}
	th.Set(q.position)
	th.moves = q.position.Moves
	return th, nil
}

// analysisJSON is a report: what `tengen analyze --json` prints, and more.
type analysisJSON struct {
	ID           string  `json:"id"`
	Player       string  `json:"player"`
	DuringSearch bool    `json:"during_search"`
	Kept         int     `json:"kept"`
	Milliseconds int64   `json:"milliseconds"`
	PerSecond    float64 `json:"per_second"`
	engine.AnalysisJSON
	Candidates []candidateJSON `json:"candidates"`
	Network    *networkJSON    `json:"network"`
	Line       *lineJSON       `json:"line"`
}

// candidateJSON is a move. Its value is for the side that makes it.
type candidateJSON struct {
	Move   string   `json:"move"`
	Cell   *int     `json:"cell"`
	Visits int      `json:"visits"`
	Value  *float32 `json:"value"`
	Prior  float32  `json:"prior"`
	Policy float32  `json:"policy"`
	Proven *string  `json:"proven"`
	PV     []string `json:"pv"`
}

// networkJSON is what a network says without a search.
type networkJSON struct {
	Value  float32            `json:"value"`
	Policy map[string]float32 `json:"policy"`
}

// lineJSON is a look into the tree.
type lineJSON struct {
	Moves    string      `json:"moves"`
	ToMove   string      `json:"to_move"`
	Visits   int         `json:"visits"`
	Value    *float32    `json:"value"`
	Proven   *string     `json:"proven"`
	Children []childJSON `json:"children"`
}

// childJSON is a move below a line. Its value is for the side that makes it.
type childJSON struct {
	Move   string   `json:"move"`
	Cell   *int     `json:"cell"`
	Visits int      `json:"visits"`
	Value  *float32 `json:"value"`
	Prior  float32  `json:"prior"`
	Proven *string  `json:"proven"`
}

// reporter makes reports about a question.
type reporter struct {
	question
	network *networkJSON
}

// newReporter asks the network, where there is one, about the position.
func (s *Server) newReporter(q question, n engine.Network) (*reporter, error) {
	r := &reporter{question: q}
	if n == nil {
		return r, nil
	}
	policy, value, err := n.Evaluate(q.position)
	if err != nil {
		return nil, err
	}
	r.network = &networkJSON{Value: value, Policy: map[string]float32{}}
	for _, a := range q.position.Legal {
		r.network.Policy[q.engine.FormatAction(a)] = policy[a]
	}
	return r, nil
}

// of is the JSON form of what a thought has found.
func (r *reporter) of(found live.Report) analysisJSON {
	return analysisJSON{
		ID: r.id, Player: r.player.Name, DuringSearch: !found.Final, Kept: found.Kept, Milliseconds: found.Elapsed.Milliseconds(),
		PerSecond: found.PerSecond(), AnalysisJSON: engine.NewAnalysisJSON(r.engine, r.position, found.Analysis),
		Candidates: r.candidates(found), Network: r.network, Line: r.lineBelow(found.Detail),
	}
}

// likeliest is the number of moves that are listed though they were not searched.
const likeliest = 16

// candidates lists moves, those first that the player would rather play.
func (r *reporter) candidates(found live.Report) []candidateJSON {
	list, rest := []candidateJSON{}, 0
	order := slices.SortedStableFunc(slices.Values(engine.Ranked(found.Analysis)), func(x, y mcts.Stat) int {
		return cmp.Or(cmp.Compare(found.Policy[y.Action], found.Policy[x.Action]), cmp.Compare(y.Visits, x.Visits), cmp.Compare(y.Prior, x.Prior))
	})
	for _, m := range order {
		if m.Visits == 0 && found.Policy[m.Action] == 0 && m.Proven == mcts.Unknown {
			if rest++; rest > likeliest {
				continue
			}
		}
		list = append(list, candidateJSON{
			Move: r.engine.FormatAction(m.Action), Cell: cellOrNull(r.position.Landing(m.Action)), Visits: m.Visits, Value: valueOf(m),
			Prior: m.Prior, Policy: found.Policy[m.Action], Proven: proven(m.Proven), PV: r.names(variation(found, m.Action)),
		})
	}
	return list
}

// variation is the principal variation that begins with a move.
func variation(found live.Report, a game.Action) []game.Action {
	if a == found.Best {
		return found.PV
	}
	if found.Detail != nil {
		if i := slices.IndexFunc(found.Moves, func(m mcts.Stat) bool { return m.Action == a }); i >= 0 {
			return found.Lines[i]
		}
	}
	return []game.Action{a}
}

func (r *reporter) names(moves []game.Action) []string {
	names := make([]string, len(moves))
	for i, a := range moves {
		names[i] = r.engine.FormatAction(a)
	}
	return names
}

// valueOf is the value of a move, nil where nothing was found out about it.
func valueOf(m mcts.Stat) *float32 {
	if m.Visits == 0 && m.Proven == mcts.Unknown {
		return nil
	}
	return &m.Q
}

// proven is the name of a result, nil where nothing is proven.
func proven(r mcts.Result) *string {
	if r == mcts.Unknown {
		return nil
	}
	return ptr(r.String())
}

// lineBelow is a look into the tree, nil where none was asked for.
func (r *reporter) lineBelow(d *live.Detail) *lineJSON {
	if len(r.line) == 0 {
		return nil
	}
	l := &lineJSON{Moves: r.engine.FormatMoves(r.line), ToMove: engine.SideName(r.below.ToMove), Children: []childJSON{}}
	if d == nil || d.Below == nil {
		return l
	}
	b := d.Below
	l.Visits, l.Proven = b.Visits, proven(b.Proven)
	if b.Visits > 0 || b.Proven != mcts.Unknown {
		l.Value = &b.Value
	}
	for _, m := range slices.SortedStableFunc(slices.Values(b.Moves), func(x, y mcts.Stat) int {
		return cmp.Or(cmp.Compare(y.Visits, x.Visits), cmp.Compare(y.Prior, x.Prior))
	}) {
		l.Children = append(l.Children, childJSON{
			Move: r.engine.FormatAction(m.Action), Cell: cellOrNull(r.below.Landing(m.Action)), Visits: m.Visits, Value: valueOf(m),
			Prior: m.Prior, Proven: proven(m.Proven),
		})
	}
	return l
}
