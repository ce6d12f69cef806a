package live

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
	"tengen/players"
)

// NewUCT returns a thinker that searches by UCT with random playouts; simulations are playouts. Without a limit of them it
// grows Options.Threads trees at once and adds up their statistics (root parallelisation, Chaslot, Winands, van den Herik
// 2008, "Parallel Monte-Carlo Tree Search"), which use all cores and come close to a tree of their common size. With a
// limit it grows one tree, so that the same number of playouts means the same everywhere. It panics when the options are
// not valid.
func NewUCT[S game.State[S]](g game.Game[S], o Options) *Thinker[S] {
	o.mustBeValid()
	u := &uctSearch[S]{most: o.nodes(g.Actions()), actions: g.Actions(), seed: o.Seed, trees: make([]uctTree[S], o.Threads)}
	for i := range u.trees {
		u.trees[i].search = uct.New[S](uct.DefaultExploration)
	}
	return newThinker(g, u, o)
}

// uctSearch searches several trees of one position.
type uctSearch[S game.State[S]] struct {
	root    S
	trees   []uctTree[S]
	most    int // playouts in all trees together
	actions int
	seed    uint64
}

// uctTree is one tree and its source of playouts.
type uctTree[S game.State[S]] struct {
	search *uct.Search[S]
	rng    *rand.Rand
}

func (u *uctSearch[S]) reset(s S) {
	u.root = s
	for i := range u.trees {
		u.trees[i].search.Reset(s)
		u.trees[i].rng = random.New(u.seed, random.Playouts, uint64(i))
	}
}

func (u *uctSearch[S]) advance(a game.Action) {
	u.root = u.root.Play(a)
	for _, t := range u.trees {
		t.search.Advance(a)
	}
}

func (u *uctSearch[S]) simulations() int {
	n := 0
	for _, t := range u.trees {
		n += t.search.Playouts()
	}
	return n
}

// Playouts of each tree between two looks at the clock: few to begin with, so that there is soon something to say.
const (
	firstPlayouts = 64
	nextPlayouts  = 512
)

func (u *uctSearch[S]) search(ctx context.Context, simulations int, progress func(bool)) error {
	limit, trees := u.most, u.trees
	if simulations > 0 {
		limit, trees = min(limit, simulations), u.trees[:1]
	}
	if len(u.moves()) == 0 {
		if err := u.grow(context.WithoutCancel(ctx), trees, min(firstPlayouts, limit)); err != nil {
			return err
		}
	}
	for ctx.Err() == nil && u.simulations() < limit {
		progress(false)
		share := (limit - u.simulations() + len(trees) - 1) / len(trees)
		if err := u.grow(ctx, trees, min(nextPlayouts, share)); err != nil {
			return err
		}
	}
	return nil
}

// grow adds n playouts to each tree, fewer when ctx ends. The error is that of a panic.
func (u *uctSearch[S]) grow(ctx context.Context, trees []uctTree[S], n int) error {
	var wait sync.WaitGroup
	errs := make([]error, len(trees))
	for i, t := range trees {
		wait.Go(func() {
			errs[i] = guard(func() error {
				_ = t.search.Run(ctx, mcts.Budget{Simulations: n}, t.rng) // the error says that ctx has ended
				return nil
			})
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (u *uctSearch[S]) analysis() *players.Analysis {
	a := &players.Analysis{Moves: u.moves(), Policy: make([]float32, u.actions), Simulations: u.simulations()}
	value := 0.0
	for _, t := range u.trees {
		if playouts := t.search.Playouts(); playouts > 0 {
			value += float64(t.search.Value()) * float64(playouts)
		}
	}
	a.Value = float32(value / float64(a.Simulations))
	for _, m := range a.Moves {
		a.Policy[m.Action] = float32(m.Visits)
	}
	best := mcts.SelectMove(a.Policy, 0, choice(u.seed, u.root))
	a.PV = u.largest().PV(nil)
	return a.Conclude(best)
}

// largest is the tree with the most playouts.
func (u *uctSearch[S]) largest() *uct.Search[S] {
	return slices.MaxFunc(u.trees, func(t, o uctTree[S]) int { return cmp.Compare(t.search.Playouts(), o.search.Playouts()) }).search
}

// detail looks into the largest tree alone.
func (u *uctSearch[S]) detail(moves []mcts.Stat, line []game.Action) *Detail {
	return detailOf(u.largest(), moves, line)
}

// moves are the statistics of the root's moves in all trees together, nothing before a playout has gone through one.
func (u *uctSearch[S]) moves() []mcts.Stat {
	var sum []mcts.Stat
	for _, t := range u.trees {
		moves := t.search.Stats(nil)
		if len(sum) == 0 {
			sum = moves
			continue
		}
		for i, m := range moves {
			if visits := sum[i].Visits + m.Visits; visits > 0 {
				sum[i].Q = (sum[i].Q*float32(sum[i].Visits) + m.Q*float32(m.Visits)) / float32(visits)
				sum[i].Visits = visits
			}
		}
	}
	return sum
}
