package selfplay

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/portable"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/replay"
)

// liveGame is the game that a worker currently plays in one of its places. The next game there reuses its memory.
type liveGame[S game.State[S]] struct {
	rules           game.Game[S]
	cfg             Config
	fullSimulations int // search.simulations, see Config.GrowIterations
	search          *mcts.Search[S]
	decision        mcts.Decision // scratch
	prior           []float32     // [actions], scratch
	legal           []game.Action
	moves           []mcts.Stat // scratch: the root's

	record   *replay.Record // nil between games
	position S
	rng      *rand.Rand
	opening  opening

	simulations   int  // simulations of this model's searches
	provenEarlier bool // see mcts.Search.ProvenEarlier

	surprises   []float32 // [Searched], see weightBySurprise
	evaluations checksum  // of the game
}

func newLiveGame[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config) *liveGame[S] {
	if cfg.LearnForcedMoves {
		search.ForcedNodes = 0
	}
	return &liveGame[S]{
		rules:           g,
		cfg:             cfg,
		fullSimulations: search.Simulations,
		search:          mcts.New[S](search, g.Actions()),
		prior:           make([]float32, g.Actions()),
	}
}

// begin starts a game. One generator, derived from the seed and the game's number, makes all its random choices.
func (g *liveGame[S]) begin(seed, number, model uint64) {
	g.rng = random.New(seed, random.SelfPlay, number)
	g.rng.Uint64() // the first number is not used: it keeps the games of published models as they were
	g.record = &replay.Record{Number: number, Seed: seed, Model: model}
	g.simulations = g.cfg.simulationsFor(model, g.fullSimulations)
	g.surprises = g.surprises[:0]
	g.evaluations = 0
	g.open()
}

func (g *liveGame[S]) done() bool { return !g.opening.waits && g.search.Done() }

// ask returns the next position to evaluate, or false if the simulation ended in a position of known value.
func (g *liveGame[S]) ask() (S, bool) {
	if g.opening.waits {
		return g.position, true
	}
	leaf, status := g.search.Select()
	return leaf, status != mcts.Known
}

// answer continues the game with the evaluation of the position that ask returned: prior [actions], and value for that
// position's side to move.
func (g *liveGame[S]) answer(prior []float32, value float32) {
	g.evaluations.add(prior, value)
	if g.opening.waits {
		g.extendOpening(prior, value)
	} else {
		g.search.Expand(prior, value)
	}
}

// move records and plays the search's decision.
func (g *liveGame[S]) move() (over bool) {
	d := &g.decision
	g.search.Decide(g.temperature(), g.rng, d)
	g.addSearch(d)
	g.record.Moves = append(g.record.Moves, d.Action)
	g.position = g.position.Play(d.Action)
	if z, over := g.position.Outcome(); over {
		g.finish(z)
		return true
	}
	g.search.Advance(d.Action)
	g.think()
	return false
}

// think begins the next move's search. A search draws from the game's generator, in this order: its noise, once its
// root is expanded; its move.
//
// Without Config.ReuseTree a search starts with an empty tree, unless its root is proven: earlier simulations without
// noise would dilute the noise in the policy target.
func (g *liveGame[S]) think() {
	g.provenEarlier = g.search.ProvenEarlier()
	if !g.cfg.ReuseTree && !g.provenEarlier {
		g.search.Reset(g.position)
	}
	g.search.Begin(g.cfg.limitInEnding(g.simulations, g.rules.MaxPlies()-len(g.record.Moves)), g.rng)
}

func (g *liveGame[S]) temperature() float64 {
	if len(g.record.Moves) < g.cfg.TemperaturePlies {
		return g.cfg.Temperature
	}
	return g.cfg.FinalTemperature
}

// finish completes the record. z is the outcome for the side to move.
func (g *liveGame[S]) finish(z float32) {
	g.record.Outcome = game.FirstPlayerOutcome(z, g.position.ToMove())
	g.record.Evaluations = g.evaluations.sum()
	if g.cfg.SurpriseShare > 0 {
		weightBySurprise(g.record.Weights, g.surprises, g.cfg.SurpriseShare)
	}
}

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

// Openings from the policy have at most maxPolicyPlies moves, drawn at policyTemperature.
const (
	maxPolicyPlies    = 8
	policyTemperature = 1.5
)

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
		g.opening.plies = g.rng.IntN(maxPolicyPlies + 1)
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

// extendOpening uses an evaluation, as answer's, to draw the next move or, after the last one, to judge whether the
// opening is balanced.
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
		g.legal = game.RandomMoves(g.position, g.legal[:0])
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

// addSearch adds a search to the record. It omits the policy of a lost root if ProvenWeight is below 1.
func (g *liveGame[S]) addSearch(d *mcts.Decision) {
	policy := d.Policy
	if g.cfg.ProvenWeight < 1 && d.Proven == game.Loss {
		policy = nil
	}
	g.record.AppendSearch(policy, d.Value, g.search.Simulations(), g.weight())
	if g.cfg.SurpriseShare > 0 {
		g.surprises = append(g.surprises, g.surprise(policy))
	}
}

// weight returns the position's weight, in units of 1/replay.FullWeight.
func (g *liveGame[S]) weight() uint16 {
	if g.provenEarlier {
		return uint16(math.Round(g.cfg.ProvenWeight * replay.FullWeight))
	}
	return replay.FullWeight
}

// surprise returns the Kullback-Leibler divergence of the target pi from the root's prior P, noise included:
//
//	sum over a of pi(a) log(pi(a) / P(a))
//
// policy need not sum to 1. The surprise of a nil policy is 0.
func (g *liveGame[S]) surprise(policy []float32) float32 {
	sum, divergence := 0.0, 0.0
	for _, weight := range policy {
		sum += float64(weight)
	}
	if sum == 0 {
		return 0
	}
	g.moves = g.search.Stats(g.moves[:0])
	for _, move := range g.moves {
		if weight := float64(policy[move.Action]); weight > 0 {
			pi := weight / sum
			divergence += float64(pi * portable.Log(pi/max(float64(move.Prior), minPrior)))
		}
	}
	return float32(max(0, divergence))
}

// minPrior keeps the surprise finite after an underflow.
const minPrior = 1e-6

// weightBySurprise replaces a game's weights by
//
//	weight * ((1 - share) + share * surprise / mean surprise)
//
// rounded and capped (KataGo's policy surprise weighting). The mean is weighted, so the sum of the weights hardly
// changes. A game without surprise keeps its weights.
func weightBySurprise(weights []uint16, surprises []float32, share float64) {
	total, surprise := 0.0, 0.0
	for i, weight := range weights {
		total += float64(weight)
		surprise += float64(float64(weight) * float64(surprises[i]))
	}
	if surprise == 0 {
		return
	}
	mean := surprise / total
	for i, weight := range weights {
		factor := (1 - share) + float64(share*float64(surprises[i])/mean)
		weights[i] = uint16(min(math.Round(float64(weight)*factor), math.MaxUint16))
	}
}
