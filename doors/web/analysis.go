package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

type question struct {
	id       string
	engine   engine.Game
	position engine.Position
	player   player
	limit    players.Limit
	line     []game.Action   // moves from position to the tree node that the client asks for
	below    engine.Position // after line
}

func (s *Server) serveAnalysis(w http.ResponseWriter, r *http.Request, params query) error {
	q, err := s.parseQuestion(r.Context(), params)
	if err != nil {
		return err
	}
	st, err := s.openStream(w, r)
	if err != nil {
		return err
	}
	defer st.close()
	leave, err := s.queue.enter(st.ctx, clientOf(r.RemoteAddr), q.length(), func(place int) {
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

// length estimates how long the search takes, at a thousand simulations a second.
func (q question) length() time.Duration {
	expected := q.limit.Time
	switch p := q.player; {
	case p.Simulations != nil:
		expected = time.Duration(*p.Simulations) * time.Millisecond
	case p.Depth != nil:
		expected = time.Millisecond << min(2**p.Depth, 20) // each ply takes four times as long
	}
	return min(expected, q.limit.Time)
}

func (s *Server) parseQuestion(ctx context.Context, params query) (q question, err error) {
	if q.engine, q.position, err = s.position(params); err != nil {
		return q, err
	}
	if q.position.Over {
		return q, badRequestf("the game is over: %s", q.position.Result())
	}
	if q.player, err = s.player(ctx, q.engine, params["player"]); err != nil {
		return q, err
	}
	if err := q.player.parseLimit(params, s.options.Limits); err != nil {
		return q, err
	}
	q.player.spec, q.limit = q.player.limited(s.options.Limits.Time)
	if q.line, q.below, err = follow(q.position, params["line"]); err != nil {
		return q, err
	}
	q.id = params["id"]
	if len(q.id) > 100 {
		return q, badRequestf("the id has %d bytes, but at most 100 are allowed", len(q.id))
	}
	return q, nil
}

// parseLimit replaces the player's usual limit by the request's, if it has one.
func (p *player) parseLimit(params query, limits Limits) error {
	given := 0
	for _, l := range []struct {
		name      string
		value     **int
		low, high int
	}{
		{limitSimulations, &p.Simulations, 1, limits.Simulations},
		{limitMilliseconds, &p.Milliseconds, 1, int(limits.Time.Milliseconds())},
		{limitDepth, &p.Depth, 1, limits.Depth},
	} {
		if !params.given(l.name) {
			continue
		}
		if l.name == limitSimulations && p.Network {
			l.low = 0 // the bare network
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
	return nil
}

// limited returns the player's spec and the limit of its searches, which take at most the given time.
func (p *player) limited(maxTime time.Duration) (players.Spec, players.Limit) {
	spec, limit := p.spec, players.Limit{Time: maxTime}
	if p.Milliseconds != nil {
		limit.Time = min(maxTime, time.Duration(*p.Milliseconds)*time.Millisecond)
	}
	switch {
	case p.Simulations != nil && *p.Simulations == 0:
		spec.Limit = 0
	case p.Simulations != nil:
		limit.Simulations = *p.Simulations
	case p.Depth != nil:
		spec.Limit = *p.Depth
	}
	return spec, limit
}

func (s *Server) think(st *stream, q question) error {
	network, err := s.network(st.ctx, q)
	if err != nil {
		return err
	}
	reports, err := newReporter(q, network)
	if err != nil {
		return err
	}
	th, err := s.thinker(q, network)
	if err != nil {
		return err
	}
	final, err := th.Explain(st.ctx, q.limit, q.line, func(r players.Report) {
		if !r.Final {
			st.send("report", "", reports.of(r))
		}
	})
	if err != nil {
		return err
	}
	s.trees.put(th)
	if context.Cause(st.ctx) == nil {
		st.send("done", "", reports.of(final))
	}
	return nil
}

func (s *Server) network(ctx context.Context, q question) (engine.Network, error) {
	if !q.player.Network {
		return nil, nil
	}
	path, networks, options := q.player.spec.Path, s.networks, engine.PlayerOptions{}
	if q.player.spec.Limit == 0 { // without search, it needs no memory of evaluations
		networks, options.Megabytes = s.bare, 1
	}
	return networks.get(ctx, path, q.engine.Info().Name, func() (engine.Network, error) {
		return engine.OpenNetwork(q.engine, path, options)
	})
}

func (s *Server) thinker(q question, network engine.Network) (*thinker, error) {
	key := q.player.key(q.engine)
	th := s.trees.take(key, q.position.Moves)
	if th == nil {
		spec := q.player.spec
		switch spec.Kind {
		case players.KindUCT:
			spec.Limit = defaultPlayouts // not used: each search sets its limit
		case players.KindAlphaBeta:
			if spec.Limit == 0 {
				spec.Time = time.Second
			}
		}
		options := players.Default()
		options.Threads, options.MaxNodes = s.options.Threads, players.Nodes(players.TreeMegabytes, q.engine.Info().Actions)
		player, err := q.engine.Player(spec, engine.PlayerOptions{Network: network})
		if err != nil {
			return nil, err
		}
		made, err := q.engine.Think(player, options)
		if err != nil {
			return nil, err
		}
		th = &thinker{Thinker: made, key: key}
	}
	th.Set(q.position)
	th.moves = q.position.Moves
	return th, nil
}
