package selfplay

import (
	"math"

	"tengen/game"
	"tengen/mcts"
)

// opening is the state of a game's unsearched first moves.
type opening struct {
	kind    openingKind
	plies   int  // moves still to draw from the policy
	redraws int  // how many more times the opening may be redrawn
	waits   bool // the opening waits for an evaluation; if false, a search runs
}

type openingKind uint8

const (
	usualOpening openingKind = iota
	deepOpening
	policyOpening
)

// An unbalanced opening is redrawn with probability redrawShare, at most maxRedraws times.
const (
	redrawShare = 0.75
	maxRedraws  = 10
)

// policyTemperature is the temperature of moves from the policy.
const policyTemperature = 1.5

// open starts the game with its opening. It draws from the game's generator, in this order: the kind, if there are
// several; the number of plies; each move; after each unbalanced evaluation, whether to redraw from the number of plies
// on. The kind stays, so each kind has its share.
func (g *liveGame[S]) open() {
	g.opening = opening{redraws: maxRedraws}
	if c := g.cfg.Openings; c.DeepShare+c.PolicyShare > 0 {
		switch at := g.rng.Float64(); {
		case at < c.DeepShare:
			g.opening.kind = deepOpening
		case at < c.DeepShare+c.PolicyShare:
			g.opening.kind = policyOpening
		}
	}
	g.drawOpening()
}

func (g *liveGame[S]) drawOpening() {
	g.position = g.rules.Start()
	g.record.Moves, g.record.Opening = g.record.Moves[:0], 0
	switch c := g.cfg.Openings; g.opening.kind {
	case usualOpening:
		g.openAtRandom(g.rng.IntN(g.cfg.OpeningPlies + 1))
	case deepOpening:
		minPlies := c.DeepPlies / 3
		g.openAtRandom(minPlies + g.rng.IntN(c.DeepPlies-minPlies+1))
	case policyOpening:
		g.opening.plies = g.rng.IntN(c.PolicyPlies + 1)
	}
	g.awaitOrThink()
}

// awaitOrThink waits for an evaluation if the opening needs one, else begins the first search.
func (g *liveGame[S]) awaitOrThink() {
	o := &g.opening
	o.waits = o.plies > 0 || g.cfg.OpeningBalance > 0 && o.redraws > 0
	if !o.waits {
		g.search.Reset(g.position)
		g.think()
	}
}

// extendOpening uses an evaluation to draw the next move or, after the last one, to judge whether the opening is balanced.
func (g *liveGame[S]) extendOpening(prior []float32, value float32) {
	o := &g.opening
	switch {
	case o.plies > 0:
		o.plies--
		if !g.openWith(mcts.SelectMove(prior, policyTemperature, g.rng)) {
			o.plies = 0
		}
	case math.Abs(float64(value)) > g.cfg.OpeningBalance && g.rng.Float64() < redrawShare:
		o.redraws--
		g.drawOpening()
		return
	default:
		o.redraws = 0
	}
	g.awaitOrThink()
}

func (g *liveGame[S]) openAtRandom(plies int) {
	for range plies {
		g.legal = g.position.Legal(g.legal[:0])
		if !g.openWith(g.legal[g.rng.IntN(len(g.legal))]) {
			return
		}
	}
}

// openWith plays a move, unless it would end the game.
func (g *liveGame[S]) openWith(a game.Action) (played bool) {
	next := g.position.Play(a)
	if _, over := next.Outcome(); over {
		return false
	}
	g.position = next
	g.record.Moves = append(g.record.Moves, a)
	g.record.Opening++
	return true
}
