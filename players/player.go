// Package players implements the players of games.
//
// A Builder turns a player's name ("uct:1000", see ParseSpec) into a Player. An Algorithm searches positions for it
// through Searchers, in two ways:
//
//   - An Answerer chooses and explains moves for many positions at once, which fills a network's batches.
//   - A Thinker thinks about one position. It reports partial results, can be stopped at any moment, follows the game
//     from move to move, and can ponder on the opponent's time.
package players

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"tengen/game"
	"tengen/mcts"
)

// Algorithm searches positions. It is not safe for concurrent use.
type Algorithm[S game.State[S]] interface {
	// New returns a Searcher. Call Reset first.
	New() Searcher[S]

	// Search works on each position until the limit is reached, nothing is left to find, or ctx ends, which is not an
	// error. It always finds a move. Without a time limit, its findings do not depend on other positions or on timing.
	//
	// Search regularly calls progress, which may call the Analysis of a single searcher. news requests an immediate
	// report.
	Search(ctx context.Context, on []Searcher[S], l Limit, progress func(news bool)) error

	// Together returns the best number of positions per call.
	Together(l Limit) int
}

// Searcher holds one position and its findings. It is not safe for concurrent use. Only Reset and Advance accept
// finished games.
type Searcher[S game.State[S]] interface {
	// Reset forgets everything and starts at the end of the line. Random playouts draw from rng.
	Reset(l Line[S], rng *rand.Rand)

	// Advance plays a legal move and keeps findings below it.
	Advance(a game.Action)

	// Size returns the tree's number of simulations, as Limit counts them.
	Size() int

	// Choose returns the best move found. rng breaks ties.
	Choose(rng *rand.Rand) game.Action

	// Analysis returns the findings of a search without MoveOnly. Later searches do not change them. Best equals the
	// result of Choose for the same state of rng.
	Analysis(rng *rand.Rand) *Analysis

	// Look describes the moves of the analysis and the position after a line of moves. It returns nil without a tree.
	Look(line []game.Action) *Detail
}

// Limit ends a search at the first limit reached. 0 means no limit.
type Limit struct {
	// Simulations is the size of the tree, including kept simulations. Only nets and UCT obey it.
	Simulations int
	// Time is the time per position. Results are comparable only if each search has its own core.
	Time time.Duration
	// MoveOnly promises that only Choose follows, so solvers need not score all moves.
	MoveOnly bool
}

// Analysis is a player's assessment of a position. Values are for the side to move.
type Analysis struct {
	Best   game.Action
	Value  float32       // in [-1, 1]; NaN if an external engine gives none
	Proven game.Result   // Unknown if not proven
	Moves  []mcts.Stat   // legal moves by ascending action
	Policy []float32     // [Actions]: share of each move, sum 1
	PV     []game.Action // begins with Best

	// Simulations of a network, playouts of UCT, or positions visited by alpha-beta or a solver.
	Simulations int
}

// KnownValue returns the Value, nil if there is none.
func (a *Analysis) KnownValue() *float32 {
	if math.IsNaN(float64(a.Value)) {
		return nil
	}
	return &a.Value
}

// conclude sets Best, makes PV begin with it, and scales Policy, which must not be all 0, to the sum 1.
func (a *Analysis) conclude(best game.Action) *Analysis {
	a.Best = best
	if len(a.PV) == 0 || a.PV[0] != best {
		a.PV = []game.Action{best}
	}
	sum := float32(0)
	for _, p := range a.Policy {
		sum += p
	}
	for i := range a.Policy {
		a.Policy[i] /= sum
	}
	return a
}

// Detail describes a tree beyond its Analysis.
type Detail struct {
	// Lines [len(Moves)] holds the principal variation of each move, beginning with the move.
	Lines [][]game.Action
	// Below describes the position after the given line. It is nil if the tree does not reach it.
	Below *mcts.Below
	// Owners holds for each cell of the board, [H*W], the probability that the side to move will hold it at the end minus
	// the probability that the opponent will: from -1 to 1. It is nil if the player does not know.
	Owners []float32
}

type tree interface {
	PV(dst []game.Action, line ...game.Action) []game.Action
	Below(line []game.Action) (mcts.Below, bool)
}

func detailOf(t tree, moves []mcts.Stat, line []game.Action) *Detail {
	d := &Detail{Lines: make([][]game.Action, len(moves))}
	for i, m := range moves {
		d.Lines[i] = t.PV([]game.Action{m.Action}, m.Action)
	}
	if below, ok := t.Below(line); ok {
		d.Below = &below
	}
	return d
}

// sequential is an Algorithm that searches positions one after another. It makes their searchers.
type sequential[S game.State[S]] func() singleSearcher[S]

// singleSearcher is a Searcher that searches its own position, without batches of others. search works like
// Algorithm.Search; its caller enforces the time limit.
type singleSearcher[S game.State[S]] interface {
	Searcher[S]
	search(ctx context.Context, l Limit, progress func(news bool)) error
}

// New implements Algorithm.
func (p sequential[S]) New() Searcher[S] { return p() }

// Together implements Algorithm.
func (p sequential[S]) Together(Limit) int { return 1 }

// Search implements Algorithm.
func (p sequential[S]) Search(ctx context.Context, on []Searcher[S], l Limit, progress func(news bool)) error {
	for _, s := range on {
		within, cancel := timed(ctx, l)
		err := s.(singleSearcher[S]).search(within, l, progress)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func timed(ctx context.Context, l Limit) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, l.Time)
}

// rootOnly is the part of a Searcher that keeps nothing but the position.
type rootOnly[S game.State[S]] struct{ root S }

// Reset implements Searcher.
func (t *rootOnly[S]) Reset(l Line[S], _ *rand.Rand) { t.root = l.Position }

// Advance implements Searcher.
func (t *rootOnly[S]) Advance(a game.Action) { t.root = t.root.Play(a) }

// Size implements Searcher.
func (rootOnly[S]) Size() int { return 0 }

// Look implements Searcher.
func (rootOnly[S]) Look([]game.Action) *Detail { return nil }

func (t rootOnly[S]) stats() (moves []mcts.Stat) {
	for _, a := range t.root.Legal(nil) {
		moves = append(moves, mcts.Stat{Action: a})
	}
	return moves
}
