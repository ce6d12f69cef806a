package positions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"tengen/doors/web/answer"
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

// scores returns the legal moves' scores, and their signs, which are found sooner. Unknown ones are nil.
func (s *Server) scores(ctx context.Context, e engine.Game, p engine.Position) (signs, scores []*int, err error) {
	t, err := s.pool.openSolver(e, s.options.Threads)
	if err != nil {
		return nil, nil, err
	}
	defer s.pool.put(t, true)
	limited, stop := context.WithTimeout(ctx, s.options.Limits.Truth)
	defer stop()
	signs, err = ofMoves(ctx, p, func(next engine.Position) (int, error) { return t.solver.Sign(limited, next) })
	if err != nil {
		return nil, nil, err
	}
	scores, err = ofMoves(ctx, p, func(next engine.Position) (int, error) {
		solution, err := t.solver.Solve(limited, next, false)
		return solution.Score, err
	})
	return signs, scores, err
}

// ofMoves solves the positions after p's moves until time runs out. Results are for p's side to move, nil if unknown.
func ofMoves(ctx context.Context, p engine.Position, ask func(engine.Position) (int, error)) ([]*int, error) {
	results := make([]*int, len(p.Legal))
	for i, a := range p.Legal {
		next, err := p.Play(a)
		if err != nil {
			return nil, err
		}
		result, err := ask(next)
		switch {
		case err == nil:
			results[i] = new(-result)
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

func (s *Server) serveTruth(w http.ResponseWriter, r *http.Request, params answer.Query) error {
	e, p, err := s.position(params)
	if err != nil {
		return err
	}
	client := answer.ClientOf(r.RemoteAddr)
	leave, err := s.streams.Enter(client) // it may have to wait
	if err != nil {
		return err
	}
	defer leave()
	done, err := s.pool.enter(r.Context(), client, s.options.Limits.Truth, func(int) {})
	if err != nil {
		return nil // the client has gone
	}
	defer done()
	start := time.Now()
	j, err := s.truth(r.Context(), e, p)
	switch {
	case r.Context().Err() != nil:
		return nil
	case err != nil:
		return err
	}
	j.Milliseconds = time.Since(start).Milliseconds()
	return answer.JSON(w, j)
}

func (s *Server) truth(ctx context.Context, e engine.Game, p engine.Position) (truthJSON, error) {
	j := truthJSON{
		Game: e.Info().Name, Moves: p.Notation(), ToMove: engine.SideName(p.ToMove),
		Best: []string{}, Truth: []moveTruthJSON{}, Line: []string{},
	}
	if p.Over {
		j.Complete, j.Result, j.Plies = true, new(resultName(int(p.Outcome)*int(p.ToMove))), new(0)
		return j, nil
	}
	for _, a := range p.Legal {
		j.Truth = append(j.Truth, moveTruthJSON{Move: p.Format(a)})
	}
	if solvable(e, p) {
		j.Method = new("solver")
		signs, scores, err := s.scores(ctx, e, p)
		if err != nil {
			return j, err
		}
		j.addScores(p, signs, scores)
	}
	if !j.Complete {
		j.addProofs(p, p.Prove(proofNodes))
		j.setWhy(s.options.Limits.Truth)
	}
	j.setResult()
	return j, nil
}

func (j *truthJSON) addScores(p engine.Position, signs, scores []*int) {
	j.Complete = !slices.Contains(scores, nil)
	for i, sign := range signs {
		if sign != nil {
			j.Truth[i].Result = new(resultName(*sign))
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
			m.Result = new(result.String())
			if j.Method == nil {
				j.Method = new("forced")
			}
		}
	}
	if proof.Result == game.Unknown {
		return
	}
	j.Line = append(j.Line, p.Names(proof.Line)...)
	j.Result = new(proof.Result.String())
	if j.Method == nil {
		j.Method = new("forced")
	}
}

func (j *truthJSON) setWhy(limit time.Duration) {
	known := j.knownMoves()
	switch {
	case known == 0:
		j.Why = new(fmt.Sprintf("too early in the game to solve in %.1f s", limit.Seconds()))
	case known < len(j.Truth):
		j.Why = new(fmt.Sprintf("%d of %d moves are known: the others take more than %.1f s to solve", known, len(j.Truth), limit.Seconds()))
	case *j.Method == "solver":
		j.Why = new("all results are known, but not yet how soon: ask again")
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
		j.Result = new(resultName(*j.Score))
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
