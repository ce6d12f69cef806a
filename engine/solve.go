package engine

import (
	"context"
	"time"

	"tengen/game"
	"tengen/game/conformance"
	"tengen/game/forced"
	"tengen/solver"
)

// SolverOptions configure solvers.
type SolverOptions = solver.Options

// DefaultSolverOptions returns the options of the player "solver".
func DefaultSolverOptions() SolverOptions { return SolverOptions{TableMegabytes: 64, Threads: 1} }

// Solver scores positions under perfect play. It is not safe for concurrent use.
type Solver interface {
	// Solve returns a position's score and, with moves, the moves' scores.
	Solve(ctx context.Context, p Position, moves bool) (Solution, error)
	// Sign returns the sign of a position's score. It may be faster than Solve.
	Sign(ctx context.Context, p Position) (int, error)
}

// Solution is the result of Solve. Scores are for the side to move (see solver.Score).
type Solution struct {
	Score  int
	Nodes  uint64 // positions visited
	Time   time.Duration
	Scores []int // of the legal moves, if requested
}

// Solver makes the game's strongest solver. Invalid options are an InputError.
func (e Typed[S]) Solver(o SolverOptions) (Solver, error) {
	if err := o.Validate(); err != nil {
		return nil, InputError{err}
	}
	exact, err := e.Exact.New(o)
	if err != nil {
		return nil, err
	}
	return typedSolver[S]{e, exact}, nil
}

type typedSolver[S game.State[S]] struct {
	engine Typed[S]
	exact  solver.Solver[S]
}

// Solve implements Solver.
func (t typedSolver[S]) Solve(ctx context.Context, p Position, moves bool) (Solution, error) {
	state := t.engine.state(p)
	nodes, start := t.exact.Nodes(), time.Now()
	score, err := t.exact.Solve(ctx, state)
	if err != nil {
		return Solution{}, err
	}
	s := Solution{Score: int(score)}
	if moves && len(p.Legal) > 0 {
		scores, err := solver.Moves(ctx, t.exact, state, p.Legal)
		if err != nil {
			return Solution{}, err
		}
		for _, score := range scores {
			s.Scores = append(s.Scores, int(score))
		}
	}
	s.Nodes, s.Time = t.exact.Nodes()-nodes, time.Since(start)
	return s, nil
}

// Sign implements Solver.
func (t typedSolver[S]) Sign(ctx context.Context, p Position) (int, error) {
	return solver.Sign(ctx, t.exact, t.engine.state(p))
}

// PliesLeft converts a score to the plies left (see solver.PliesToEnd).
func (p Position) PliesLeft(score int) int { return p.game.pliesLeft(p, score) }

func (e Typed[S]) pliesLeft(p Position, score int) int {
	return solver.PliesToEnd(e.Rules.MaxPlies(), e.state(p), solver.Score(score))
}

// Proof holds results proven by forced moves, for the side to move (see package forced). They are unknown in games not
// won by lines.
type Proof struct {
	Result game.Result
	Moves  []game.Result // [len(Position.Legal)]
	Line   []game.Action // proves Result, as far as followed; empty if unknown
}

// QuickToSolve reports whether a solver takes well under a second for the position and its moves; false if ctx ends. It
// may take a few tenths of a second itself.
func (p Position) QuickToSolve(ctx context.Context) bool { return p.game.quickToSolve(ctx, p) }

func (e Typed[S]) quickToSolve(ctx context.Context, p Position) bool {
	if e.Exact.Try != nil {
		return e.Exact.Try(ctx, e.state(p)) != nil
	}
	return e.state(p).Ply() >= e.Exact.Quick
}

// Prove looks for a proof by forced moves. Each of its searches visits at most the given number of nodes.
func (p Position) Prove(nodes int) Proof { return p.game.prove(p, nodes) }

func (e Typed[S]) prove(p Position, nodes int) Proof {
	proof := Proof{Moves: make([]game.Result, len(p.Legal))}
	prover := forced.New[S]()
	if prover == nil {
		return proof
	}
	found := prover.Examine(e.state(p), nodes)
	for i, a := range p.Legal {
		proof.Moves[i] = found.Moves[a]
	}
	proof.Result, proof.Line = prover.Prove(e.state(p), nodes)
	return proof
}

// Count counts the positions at each ply up to plies; 0 means all. It stops at yield's first error and returns it.
func (e Typed[S]) Count(ctx context.Context, plies int, yield func(game.Census) error) error {
	switch {
	case plies < 0:
		return InputErrorf("plies is %d, but must be 0 or more", plies)
	case plies == 0:
		plies = e.Rules.MaxPlies()
	}
	for c := range game.CountPositions(ctx, e.Rules, plies) {
		if err := yield(c); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Check checks whether the rules keep the contract of games, see conformance.Check.
func (e Typed[S]) Check(perft []uint) conformance.Report {
	return conformance.Check(e.Rules, perft...)
}
