package live

import (
	"context"

	"tengen/game"
	"tengen/mcts"
	"tengen/players"
)

// NewPlayer returns a thinker that has nothing to say until the player has answered, and then thinks no further. It is
// for exact players and for those that need no time. A thought that is stopped before the answer plays what a short
// search without a network finds, which sees little more than wins in one. The player belongs to the thinker. It panics when
// the options are not valid.
func NewPlayer[S game.State[S]](g game.Game[S], player players.Player[S], o Options) *Thinker[S] {
	search := mcts.Default()
	search.ForcedNodes = 0
	reflex := newNetSearch(g.Actions(), search, []mcts.Evaluator[S]{&mcts.Uniform[S]{}}, o)
	return newThinker(g, &oneShot[S]{player: player, reflex: reflex, seed: o.Seed}, o)
}

// oneShot asks a player.
type oneShot[S game.State[S]] struct {
	player players.Player[S]
	reflex *netSearch[S] // for want of an answer
	seed   uint64
	root   S
	found  *players.Analysis // of root, nil until the player has answered
}

func (p *oneShot[S]) reset(s S) { p.root, p.found = s, nil }

func (p *oneShot[S]) advance(a game.Action) { p.reset(p.root.Play(a)) }

func (p *oneShot[S]) simulations() int {
	if p.found == nil {
		return 0
	}
	return p.found.Simulations
}

func (p *oneShot[S]) search(ctx context.Context, _ int, _ func(bool)) error {
	if p.found != nil {
		return nil
	}
	found, err := players.Analyze(ctx, p.player, p.root, choice(p.seed, p.root))
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil {
		p.found = found
	}
	return nil
}

func (p *oneShot[S]) analysis() *players.Analysis {
	if p.found != nil {
		return p.found
	}
	p.reflex.reset(p.root)
	simulations := 2 * len(p.root.Legal(nil)) // look at each move once, and once more at those that look best
	_ = p.reflex.search(context.Background(), simulations, func(bool) {})
	return p.reflex.analysis()
}
