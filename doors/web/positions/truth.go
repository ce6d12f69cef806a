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

// TruthJSON is perfect play's verdict on a position and its moves. Results and scores are for the side to move.
type TruthJSON struct {
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
	Move   string      `json:"move"`
	Action game.Action `json:"action"`
	Result *string     `json:"result"`
	Score  *int        `json:"score"`
	Plies  *int        `json:"plies"`
}

// solvableCells is the largest board that a solver attempts from the start. Games with dropping stones have no limit.
const solvableCells = 36

func solvable(ctx context.Context, e engine.Game, p engine.Position) bool {
	return e.Info().Drops || len(p.Cells) <= solvableCells || p.QuickToSolve(ctx)
}

const (
	proofNodes      = 5000 // per search for forced moves
	solverMegabytes = 32   // of a solver's table
)

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
	done, err := s.truths.enter(r.Context(), client, func(int) {})
	if err != nil {
		return nil // the client has gone
	}
	defer done()
	start := time.Now()
	j, err := s.truth(r.Context(), e, p)
	j.Milliseconds = time.Since(start).Milliseconds()
	switch {
	case r.Context().Err() != nil:
		return nil
	case err != nil:
		return err
	}
	return answer.JSON(w, r, j)
}

func (s *Server) truth(ctx context.Context, e engine.Game, p engine.Position) (TruthJSON, error) {
	j := TruthJSON{
		Game: e.Info().Name, Moves: p.Notation(), ToMove: engine.SideName(p.ToMove),
		Best: []string{}, Truth: []moveTruthJSON{}, Line: []string{},
	}
	if p.Over {
		j.Complete, j.Result, j.Plies = true, resultOf(int(p.Outcome)*int(p.ToMove)), new(0)
		return j, nil
	}
	for _, a := range p.Legal {
		j.Truth = append(j.Truth, moveTruthJSON{Move: p.Format(a), Action: a})
	}
	limited, stop := context.WithTimeout(ctx, s.options.Limits.Truth)
	defer stop()
	if solvable(limited, e, p) {
		j.Method = new("solver")
		solver, ok := s.solvers.take(j.Game)
		if !ok {
			var err error
			if solver, err = e.Solver(engine.SolverOptions{TableMegabytes: solverMegabytes, Threads: s.options.Threads}); err != nil {
				return j, err
			}
		}
		defer s.solvers.put(j.Game, solver)
		if err := j.solve(limited, solver, p); err != nil {
			return j, err
		}
	}
	if !j.Complete {
		j.addProofs(p, p.Prove(proofNodes))
		j.setWhy(s.options.Limits.Truth)
	}
	j.setResult()
	return j, nil
}

// solve asks a solver about the positions after p's moves until ctx ends: first who wins, which is found sooner, then by
// which score.
func (j *TruthJSON) solve(ctx context.Context, solver engine.Solver, p engine.Position) error {
	_, scored := p.Margin() // then the end may be one ply later than scores say, and how soon it comes means nothing
	sign := func(m *moveTruthJSON, next engine.Position) error {
		sign, err := solver.Sign(ctx, next)
		if err == nil {
			m.Result = resultOf(-sign)
		}
		return err
	}
	score := func(m *moveTruthJSON, next engine.Position) error {
		found, err := solver.Solve(ctx, next, false)
		if err != nil {
			return err
		}
		m.Score = new(-found.Score)
		if !scored {
			m.Plies = new(p.PliesLeft(-found.Score))
		}
		return nil
	}
	for _, ask := range []func(*moveTruthJSON, engine.Position) error{sign, score} {
		for i, a := range p.Legal {
			next, err := p.Play(a)
			if err == nil {
				err = ask(&j.Truth[i], next)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				break
			}
			if err != nil {
				return err
			}
		}
	}
	j.Complete = !slices.ContainsFunc(j.Truth, func(m moveTruthJSON) bool { return m.Score == nil })
	if j.Complete {
		best := slices.MaxFunc(j.Truth, func(a, b moveTruthJSON) int { return cmp.Compare(*a.Score, *b.Score) })
		j.Score, j.Plies = best.Score, best.Plies
	}
	return nil
}

// addProofs adds the results that forced moves prove and the solver does not know.
func (j *TruthJSON) addProofs(p engine.Position, proof engine.Proof) {
	proven := proof.Result != game.Unknown
	if proven {
		j.Result = new(proof.Result.String())
		j.Line = append(j.Line, p.Names(proof.Line)...)
	}
	for i, result := range proof.Moves {
		if m := &j.Truth[i]; m.Result == nil && result != game.Unknown {
			m.Result, proven = new(result.String()), true
		}
	}
	if proven && j.Method == nil {
		j.Method = new("forced")
	}
}

// setWhy says what is missing, if anything is.
func (j *TruthJSON) setWhy(limit time.Duration) {
	known := j.knownMoves()
	switch {
	case known == 0 && j.Method == nil:
		j.Why = new("no solver is quick enough for this position")
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

func (j *TruthJSON) knownMoves() (n int) {
	for _, m := range j.Truth {
		if m.Result != nil {
			n++
		}
	}
	return n
}

// setResult derives the position's result from its moves: a win decides, whatever the other moves are worth. No move is
// best where all lose and no score says which loses last.
func (j *TruthJSON) setResult() {
	best := func(is func(moveTruthJSON) bool) bool {
		for _, m := range j.Truth {
			if is(m) {
				j.Best = append(j.Best, m.Move)
			}
		}
		return len(j.Best) > 0
	}
	if j.Score != nil {
		j.Result = resultOf(*j.Score)
		best(func(m moveTruthJSON) bool { return *m.Score == *j.Score })
		return
	}
	for sign := 1; sign == 1 || sign >= -1 && j.knownMoves() == len(j.Truth); sign-- {
		result := resultOf(sign)
		if best(func(m moveTruthJSON) bool { return m.Result != nil && *m.Result == *result }) {
			if j.Result = result; sign < 0 {
				j.Best = j.Best[:0]
			}
			return
		}
	}
}

// resultOf names the result that a score means.
func resultOf(score int) *string {
	return new(game.ResultOf(float32(cmp.Compare(score, 0))).String())
}
