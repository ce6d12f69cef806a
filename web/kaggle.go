package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"tengen/arena"
	"tengen/kaggle"
)

// kagglePath is the address of an agent for ConnectX.
const kagglePath = "/kaggle"

// maxTurn is the length of the longest body, in bytes: the largest board takes a hundredth of it.
const maxTurn = 64 << 10

// serveKaggle answers /kaggle: a turn of ConnectX by the column to play, from 0.
func (s *Server) serveKaggle(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return statusError{http.StatusMethodNotAllowed, "only POST is allowed here: this is an agent for ConnectX, docs/kaggle.md"}
	}
	start := time.Now()
	var turn kaggle.Turn
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxTurn)).Decode(&turn); err != nil {
		return badRequestf("the turn cannot be read: %v", err)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the guard's was for the body
	var q question
	var err error
	if q.engine, q.position, err = turn.Position(); err != nil {
		return err
	}
	s.chooseAgent(&q)
	done, err := s.streams.enter(clientOf(r))
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithDeadline(r.Context(), start.Add(turn.Time()))
	defer cancel()
	if leave, err := s.queue.enter(ctx, func(int) {}); err == nil {
		defer leave()
	} // else there is time for a glance alone, which may be had out of turn
	column, err := s.move(ctx, q)
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]int{"action": column})
}

// chooseAgent sets who plays ConnectX, and how long at most: the first player that was given or has a network, if there is one for
// the board. The limit of its SPEC holds; others think as long as there is time.
func (s *Server) chooseAgent(q *question) {
	all := s.players(q.engine)
	i := slices.IndexFunc(all, func(p player) bool { return p.given != nil || p.Network })
	if i < 0 {
		i = slices.IndexFunc(all, func(p player) bool { return p.Kind == string(arena.KindAlphaBeta) })
	}
	q.player = all[i]
	spec := q.player.given
	if spec == nil {
		return
	}
	q.limit.Time = spec.Time
	switch {
	case spec.Kind == arena.KindAlphaBeta, spec.Kind == arena.KindNet && spec.Limit == 0 && spec.Time == 0:
		q.player.spec.Limit = spec.Limit // the depth, or the bare policy
	case spec.Limit > 0:
		q.limit.Simulations = spec.Limit
	}
}

// move is the best one that a question's player finds until ctx ends, which need not leave it any time.
func (s *Server) move(ctx context.Context, q question) (int, error) {
	network, err := s.network(q)
	if err != nil {
		return 0, err
	}
	th, err := s.thinker(q, network)
	if err != nil {
		return 0, err
	}
	answer, err := th.Think(ctx, q.limit, nil)
	if err != nil {
		return 0, err
	}
	s.trees.put(th)
	return int(answer.Best), nil
}
