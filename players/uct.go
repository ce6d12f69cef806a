package players

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/uct"
)

// uctSearcher searches by UCT with random playouts. Without a simulation limit it grows several trees at once and adds
// up their statistics (root parallelisation, Chaslot, Winands, van den Herik 2008, "Parallel Monte-Carlo Tree Search").
// With a limit it grows one tree, for the same strength on every machine.
type uctSearcher[S game.State[S]] struct {
	trees       []uctTree[S]
	maxPlayouts int // maximum playouts in all trees: fewer than every second adds a position, and slices may double
	actions     int
}

// uctTree is one tree. rng is nil until the tree begins to grow.
type uctTree[S game.State[S]] struct {
	search *uct.Search[S]
	rng    *rand.Rand
}

func newUCT[S game.State[S]](actions int, exploration float64, o Options) Algorithm[S] {
	return sequential[S](func() singleSearcher[S] {
		u := &uctSearcher[S]{trees: make([]uctTree[S], o.Threads), maxPlayouts: o.MaxNodes, actions: actions}
		for i := range u.trees {
			u.trees[i].search = uct.New[S](exploration)
		}
		return u
	})
}

func (u *uctSearcher[S]) Reset(s S, rng *rand.Rand) {
	for i := range u.trees {
		u.trees[i].search.Reset(s)
		u.trees[i].rng = nil
	}
	u.trees[0].rng = rng
}

func (u *uctSearcher[S]) Advance(a game.Action) {
	for _, t := range u.trees {
		t.search.Advance(a)
	}
}

func (u *uctSearcher[S]) Size() int {
	n := 0
	for _, t := range u.trees {
		n += t.search.Playouts()
	}
	return n
}

// Playouts per tree between checks of the context. The first batch is small for an early result.
const (
	firstPlayouts = 64
	nextPlayouts  = 512
)

func (u *uctSearcher[S]) search(ctx context.Context, l Limit, progress func(bool)) error {
	limit, trees := u.maxPlayouts, u.trees
	if l.Simulations > 0 {
		limit, trees = min(limit, l.Simulations), u.trees[:1]
	}
	if len(u.moves()) == 0 {
		if err := u.grow(context.WithoutCancel(ctx), trees, min(firstPlayouts, limit)); err != nil {
			return err
		}
	}
	for ctx.Err() == nil && u.Size() < limit {
		progress(false)
		share := (limit - u.Size() + len(trees) - 1) / len(trees)
		if err := u.grow(ctx, trees, min(nextPlayouts, share)); err != nil {
			return err
		}
	}
	return nil
}

// grow adds n playouts to each tree, fewer if ctx ends. An error means that a goroutine panicked.
func (u *uctSearcher[S]) grow(ctx context.Context, trees []uctTree[S], n int) error {
	if len(trees) == 1 {
		trees[0].search.Run(ctx, n, trees[0].rng)
		return nil
	}
	var wait sync.WaitGroup
	errs := make([]error, len(trees))
	for i := range trees {
		t := &trees[i]
		if t.rng == nil {
			t.rng = random.New(trees[0].rng.Uint64(), random.Playouts, uint64(i))
		}
	}
	for i, t := range trees {
		wait.Go(func() {
			errs[i] = guard(func() error {
				t.search.Run(ctx, n, t.rng)
				return nil
			})
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (u *uctSearcher[S]) Choose(rng *rand.Rand) game.Action {
	if u.largest().Playouts() == u.Size() {
		return u.largest().Best(rng)
	}
	return mcts.SelectMove(u.weights(u.moves()), 0, rng)
}

func (u *uctSearcher[S]) Analysis(rng *rand.Rand) *Analysis {
	a := &Analysis{Moves: u.moves(), PV: u.largest().PV(nil), Simulations: u.Size()}
	value := 0.0
	for _, t := range u.trees {
		value += float64(float64(t.search.Value()) * float64(t.search.Playouts()))
	}
	a.Value, a.Policy = float32(value/float64(a.Simulations)), u.weights(a.Moves)
	return a.conclude(u.Choose(rng))
}

// Look describes the largest tree only.
func (u *uctSearcher[S]) Look(line []game.Action) *Detail {
	return detailOf(u.largest(), u.moves(), line)
}

func (u *uctSearcher[S]) largest() *uct.Search[S] {
	return slices.MaxFunc(u.trees, func(t, o uctTree[S]) int { return cmp.Compare(t.search.Playouts(), o.search.Playouts()) }).search
}

func (u *uctSearcher[S]) weights(moves []mcts.Stat) []float32 {
	weights := make([]float32, u.actions)
	for _, m := range moves {
		weights[m.Action] = float32(m.Visits)
	}
	return weights
}

// moves returns the root moves with statistics summed over all trees. It is empty before the first playout.
func (u *uctSearcher[S]) moves() []mcts.Stat {
	var sum []mcts.Stat
	for _, t := range u.trees {
		moves := t.search.Stats(nil)
		if len(sum) == 0 {
			sum = moves
			continue
		}
		for i, m := range moves {
			if visits := sum[i].Visits + m.Visits; visits > 0 {
				sum[i].Q = (float32(sum[i].Q*float32(sum[i].Visits)) + float32(m.Q*float32(m.Visits))) / float32(visits)
				sum[i].Visits = visits
			}
		}
	}
	return sum
}
