package positions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"tengen/doors/web/answer"
	"tengen/engine"
	"tengen/game"
	"tengen/players"
)

type question struct {
	id       string
	engine   engine.Game
	position engine.Position
	player   player
	network  engine.Network  // nil if the player has none, or before its turn
	limit    players.Limit   // zero before its turn
	line     []game.Action   // moves from position to the tree node that the client asks for
	below    engine.Position // after line
}

func (s *Server) serveAnalysis(w http.ResponseWriter, r *http.Request, params answer.Query) error {
	q, err := s.parseQuestion(params)
	if err != nil {
		return err
	}
	st, err := s.streams.Open(w, r)
	if err != nil {
		return err
	}
	defer st.Close()
	leave, err := s.searches.enter(st.Context, answer.ClientOf(r.RemoteAddr), func(place int) {
		st.Send("waiting", "", map[string]any{"id": q.id, "place": place})
	})
	if err != nil {
		return nil // the client has gone
	}
	defer leave()
	if err := s.think(st, q); err != nil && st.Context.Err() == nil {
		st.Send("error", "", s.failure(q, err))
	}
	return nil
}

// failure returns what a client learns of an error. An engine's command is not part of it.
func (s *Server) failure(q question, err error) map[string]any {
	text, resigns := err.Error(), false
	if forfeit := (players.Forfeit{}); errors.As(err, &forfeit) {
		text, resigns = forfeit.Public(), forfeit.Fault == nil
		if !resigns && s.options.Faults != nil {
			s.options.Faults(fmt.Errorf("engine %s: %w", q.player.Name, err))
		}
	}
	return map[string]any{"id": q.id, "error": text, "resigns": resigns}
}

func (s *Server) parseQuestion(params answer.Query) (q question, err error) {
	if q.engine, q.position, err = s.position(params); err != nil {
		return q, err
	}
	if q.position.Over {
		return q, answer.BadRequestf("the game is over: %s", q.position.Result())
	}
	if q.player, err = s.player(q.engine, params["player"]); err != nil {
		return q, err
	}
	if err := q.player.parseLimit(params, s.options.Limits); err != nil {
		return q, err
	}
	if q.below, err = q.position.Follow(params["line"]); err != nil {
		return q, err
	}
	q.line = q.below.Moves[len(q.position.Moves):]
	q.id = params["id"]
	if len(q.id) > 100 {
		return q, answer.BadRequestf("the id has %d bytes, but at most 100 are allowed", len(q.id))
	}
	return q, nil
}

// openNetwork opens the player's network, unless it is open. It may know how many simulations are usual.
func (s *Server) openNetwork(ctx context.Context, q *question) (err error) {
	path := q.player.spec.Path
	q.network, err = s.networks.Get(ctx, path, q.engine.Info().Name, func() (engine.Network, error) {
		return engine.OpenNetwork(q.engine, path, engine.PlayerOptions{Megabytes: s.options.Memory.CacheMegabytes})
	})
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), path, q.player.Name)) // which clients do not know by its path
	}
	q.player.learn(q.network.Info())
	return nil
}

// parseLimit replaces the player's usual limit by the request's, if it has one.
func (p *player) parseLimit(params answer.Query, limits answer.Limits) error {
	given := slices.DeleteFunc([]string{limitSimulations, limitMilliseconds, limitDepth}, func(name string) bool { return !params.Given(name) })
	switch {
	case len(given) == 0:
		return nil
	case len(given) > 1:
		return answer.BadRequestf("give one limit, not several")
	case !slices.Contains(p.Limits, given[0]):
		return answer.BadRequestf("%s has no limit %s", p.Name, given[0])
	}
	p.Simulations, p.Milliseconds, p.Depth = nil, nil, nil
	limit, low, high := &p.Depth, 1, limits.Depth
	switch given[0] {
	case limitSimulations:
		limit, high = &p.Simulations, limits.Simulations
		if p.Network {
			low = 0 // the bare network
		}
	case limitMilliseconds:
		limit, high = &p.Milliseconds, int(limits.Time.Milliseconds())
	}
	n, err := params.Number(given[0], 0, low, high)
	*limit = &n
	return err
}

// limited returns the player's spec and the limit of its searches, which take at most the given time.
func (p *player) limited(maxTime time.Duration) (players.Spec, players.Limit) {
	spec, limit := p.spec, players.Limit{Time: maxTime}
	if spec.IsProgram() {
		return spec, players.Limit{} // its SPEC has its time, or it has the usual one
	}
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

func (s *Server) think(st *answer.Stream, q question) error {
	if q.player.Network {
		if err := s.openNetwork(st.Context, &q); err != nil {
			return err
		}
	}
	q.player.spec, q.limit = q.player.limited(s.options.Limits.Time)
	reports, err := newReporter(q)
	if err != nil {
		return err
	}
	th, err := s.thinker(q)
	if err != nil {
		return err
	}
	final, err := th.Explain(st.Context, q.limit, q.line, func(r players.Report) {
		if !r.Final {
			st.Send("report", "", reports.of(r))
		}
	})
	if err != nil {
		th.Close()
		return err
	}
	s.shelf(q).put(q.label(q.position.Moves), th)
	if st.Context.Err() == nil {
		st.Send("done", "", reports.of(final))
	}
	return nil
}

// shelf returns where thinkers for such questions are kept.
func (s *Server) shelf(q question) *shelf[engine.Thinker] {
	if q.player.spec.IsProgram() {
		return &s.programs
	}
	return &s.thinkers
}

// label says for which player a thinker is, and at which position. A program's process goes to any position.
func (q question) label(moves []game.Action) string {
	if q.player.spec.IsProgram() {
		moves = nil
	}
	return fmt.Sprintf("%s|%s|%p|%v", q.engine.Info().Name, q.player.spec, q.network, moves)
}

// thinker returns the question's player at the question's position. It may have been there, or up to two moves before.
func (s *Server) thinker(q question) (engine.Thinker, error) {
	moves := q.position.Moves
	for back := range min(2, len(moves)) + 1 {
		if th, ok := s.shelf(q).take(q.label(moves[:len(moves)-back])); ok {
			th.Set(q.position)
			return th, nil
		}
	}
	spec := q.player.spec
	if spec.IsProgram() { // each running search may have a process
		s.programs.keep(max(0, s.options.Searches-s.searches.busy()))
	}
	switch spec.Kind {
	case players.KindUCT:
		spec.Limit = defaultPlayouts // not used: each search sets its limit
	case players.KindAlphaBeta:
		if spec.Limit == 0 {
			spec.Time = time.Second
		}
	}
	player, err := q.engine.Player(spec, engine.PlayerOptions{Network: q.network})
	if err != nil {
		return nil, err
	}
	options := players.Default()
	options.Threads, options.MaxNodes = s.options.Threads, players.Nodes(s.options.Memory.TreeMegabytes, q.engine.Info().Actions)
	th, err := q.engine.Think(player, options)
	if err != nil {
		return nil, err
	}
	th.Set(q.position)
	return th, nil
}
