package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"tengen/engine"
	"tengen/game"
)

// truthJSON is perfect play's verdict on a position and its moves. Results and scores are for the side to move.
type truthJSON struct {
	Game         string          `json:"game"`
	Moves        string          `json:"moves"`
	ToMove       string          `json:"to_move"`
	Method       *string         `json:"method"`
	Complete     bool            `json:"complete"`
	Why          *string         `json:"why"`
	Result       *string         `json:"result"`
	Score        *int            `json:"score"`
	Plies        *int            `json:"plies"`
	Best         []string        `json:"best"`
	Truth        []moveTruthJSON `json:"truth"`
	Line         []string        `json:"line"`
	Milliseconds int64           `json:"milliseconds"`
}

type moveTruthJSON struct {
	Move   string  `json:"move"`
	Result *string `json:"result"`
	Score  *int    `json:"score"`
	Plies  *int    `json:"plies"`
}

// solvers holds at most maxSolvers solvers. Each request uses one of maxSolvers places.
type solvers struct {
	threads int
	limit   time.Duration // per position
	places  *queue

	mu   sync.Mutex
	idle []*gameSolver // most recently used first
	busy int
}

type gameSolver struct {
	engine.Solver
	game string
}

// Together the solvers' tables take less than 100 MB.
const (
	maxSolvers      = 3
	solverMegabytes = 32
)

func newSolvers(threads int, limit time.Duration) *solvers {
	return &solvers{threads: threads, limit: limit, places: newQueue(maxSolvers)}
}

// take returns a game's solver, for a request with one of the places. The caller must put it back.
func (t *solvers) take(e engine.Game) (*gameSolver, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := e.Info().Name
	i := slices.IndexFunc(t.idle, func(s *gameSolver) bool { return s.game == name })
	if i >= 0 {
		s := t.idle[i]
		t.idle = slices.Delete(t.idle, i, i+1)
		t.busy++
		return s, nil
	}
	if t.busy+len(t.idle) == maxSolvers { // this request has a place but no solver, so one is idle
		t.idle = slices.Delete(t.idle, len(t.idle)-1, len(t.idle))
		runtime.GC() // frees the dropped table before another is made
	}
	made, err := e.Solver(engine.SolverOptions{TableMegabytes: solverMegabytes, Threads: t.threads})
	if err != nil {
		return nil, err
	}
	t.busy++
	return &gameSolver{made, name}, nil
}

func (t *solvers) put(s *gameSolver) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	t.idle = slices.Insert(t.idle, 0, s)
}

// scores returns the legal moves' scores, and their signs, which are found sooner. Unknown ones are nil.
func (t *solvers) scores(ctx context.Context, e engine.Game, p engine.Position) (signs, scores []*int, err error) {
	s, err := t.take(e)
	if err != nil {
		return nil, nil, err
	}
	defer t.put(s)
	limited, stop := context.WithTimeout(ctx, t.limit)
	defer stop()
	signs, err = ofMoves(ctx, e, p, func(next engine.Position) (int, error) { return s.Sign(limited, next) })
	if err != nil {
		return nil, nil, err
	}
	scores, err = ofMoves(ctx, e, p, func(next engine.Position) (int, error) {
		solution, err := s.Solve(limited, next, false)
		return solution.Score, err
	})
	return signs, scores, err
}

// ofMoves solves the positions after p's moves until time runs out. Results are for p's side to move, nil if unknown.
func ofMoves(ctx context.Context, e engine.Game, p engine.Position, ask func(engine.Position) (int, error)) ([]*int, error) {
	results := make([]*int, len(p.Legal))
	for i, a := range p.Legal {
		next, err := p.Play(a)
		if err != nil {
			return nil, err
		}
		result, err := ask(next)
		switch {
		case err == nil:
			results[i] = ptr(-result)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return results, nil
		default:
			return nil, err
		}
	}
	return results, nil
}

// solvableCells is the largest board that a solver attempts from the start. Games with dropping stones have no limit.
const solvableCells = 36

func solvable(e engine.Game, p engine.Position) bool {
	return e.Info().Drops || len(p.Cells) <= solvableCells || p.QuickToSolve()
}

const proofNodes = 5000 // per search for forced moves

func (s *Server) serveTruth(w http.ResponseWriter, r *http.Request, params query) error {
	e, p, err := s.position(params)
	if err != nil {
		return err
	}
	client := clientOf(r.RemoteAddr)
	leave, err := s.streams.enter(client) // it may have to wait
	if err != nil {
		return err
	}
	defer leave()
	for _, q := range []*queue{s.solvers.places, s.queue} { // this order: waiting for a solver blocks no search
		leave, err := q.enter(r.Context(), client, s.options.Limits.Truth, func(int) {})
		if err != nil {
			return nil // the client has gone
		}
		defer leave()
	}
	start := time.Now()
	j, err := s.solvers.solve(r.Context(), e, p)
	if err != nil {
		if r.Context().Err() != nil {
			return nil
		}
		return err
	}
	j.Milliseconds = time.Since(start).Milliseconds()
	return writeJSON(w, j)
}

func (t *solvers) solve(ctx context.Context, e engine.Game, p engine.Position) (truthJSON, error) {
	j := truthJSON{
		Game: e.Info().Name, Moves: p.Notation(), ToMove: engine.SideName(p.ToMove),
		Best: []string{}, Truth: []moveTruthJSON{}, Line: []string{},
	}
	if p.Over {
		j.Complete, j.Result, j.Plies = true, ptr(resultName(int(p.Outcome)*int(p.ToMove))), ptr(0)
		return j, nil
	}
	for _, a := range p.Legal {
		j.Truth = append(j.Truth, moveTruthJSON{Move: p.Format(a)})
	}
	if solvable(e, p) {
		j.Method = ptr("solver")
		signs, scores, err := t.scores(ctx, e, p)
		if err != nil {
			return j, err
		}
		j.addScores(p, signs, scores)
	}
	if !j.Complete {
		j.addProofs(p, p.Prove(proofNodes))
		j.setWhy(t.limit)
	}
	j.setResult()
	return j, nil
}

func (j *truthJSON) addScores(p engine.Position, signs, scores []*int) {
	j.Complete = !slices.Contains(scores, nil)
	for i, sign := range signs {
		if sign != nil {
			j.Truth[i].Result = ptr(resultName(*sign))
		}
	}
	for i, score := range scores {
		if score == nil {
			continue
		}
		plies := p.PliesLeft(*score)
		j.Truth[i].Score, j.Truth[i].Plies = score, &plies
	}
	if !j.Complete {
		return
	}
	best := slices.MaxFunc(j.Truth, func(a, b moveTruthJSON) int { return cmp.Compare(*a.Score, *b.Score) })
	j.Score, j.Plies = best.Score, best.Plies
}

// addProofs adds the results that forced moves prove and the solver does not know.
func (j *truthJSON) addProofs(p engine.Position, proof engine.Proof) {
	for i, result := range proof.Moves {
		if m := &j.Truth[i]; m.Result == nil && result != game.Unknown {
			m.Result = ptr(result.String())
			if j.Method == nil {
				j.Method = ptr("forced")
			}
		}
	}
	if proof.Result == game.Unknown {
		return
	}
	j.Line = append(j.Line, p.Names(proof.Line)...)
	j.Result = ptr(proof.Result.String())
	if j.Method == nil {
		j.Method = ptr("forced")
	}
}

func (j *truthJSON) setWhy(limit time.Duration) {
	known := j.knownMoves()
	switch {
	case known == 0:
		j.Why = ptr(fmt.Sprintf("too early in the game to solve in %.1f s", limit.Seconds()))
	case known < len(j.Truth):
		j.Why = ptr(fmt.Sprintf("%d of %d moves are known: the others take more than %.1f s to solve", known, len(j.Truth), limit.Seconds()))
	case *j.Method == "solver":
		j.Why = ptr("all results are known, but not yet how soon: ask again")
	default:
		j.Complete = true
	}
}

func (j *truthJSON) knownMoves() int {
	n := 0
	for _, m := range j.Truth {
		if m.Result != nil {
			n++
		}
	}
	return n
}

// setResult derives the position's result from its moves.
func (j *truthJSON) setResult() {
	if j.Score != nil {
		j.Result = ptr(resultName(*j.Score))
		for _, m := range j.Truth {
			if *m.Score == *j.Score {
				j.Best = append(j.Best, m.Move)
			}
		}
		return
	}
	all := j.knownMoves() == len(j.Truth)
	for sign := 1; sign >= -1 && (sign > 0 || all); sign-- { // a win decides, whatever the other moves are worth
		name := resultName(sign)
		for _, m := range j.Truth {
			if m.Result != nil && *m.Result == name {
				j.Result, j.Best = &name, append(j.Best, m.Move)
			}
		}
		if len(j.Best) > 0 {
			return
		}
	}
}

func resultName(score int) string {
	switch {
	case score > 0:
		return "win"
	case score < 0:
		return "loss"
	}
	return "draw"
}
