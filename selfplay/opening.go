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

// An unbalanced opening is redrawn with probability redrawShare, at most mostRedraws times.
const (
	redrawShare = 0.75
	mostRedraws = 10
)

// policyTemperature is the temperature of moves from the policy.
const policyTemperature = 1.5

// open starts the game with its opening. It draws from the game's generator, in this order: the kind, if there are
// several; the number of plies; each move; after each unbalanced evaluation, whether to redraw from the number of plies
// on. The kind stays, so each kind has its share.
func (s *liveGame[S]) open() {
	s.opening = opening{redraws: mostRedraws}
	if c := s.cfg.Openings; c.DeepShare+c.PolicyShare > 0 {
		switch at := s.rng.Float64(); {
		case at < c.DeepShare:
			s.opening.kind = deepOpening
		case at < c.DeepShare+c.PolicyShare:
			s.opening.kind = policyOpening
		}
	}
	s.drawOpening()
}

func (s *liveGame[S]) drawOpening() {
	s.state = s.rules.Start()
	s.game.Moves, s.game.Opening = s.game.Moves[:0], 0
	switch c := s.cfg.Openings; s.opening.kind {
	case usualOpening:
		s.openAtRandom(s.rng.IntN(s.cfg.OpeningPlies + 1))
	case deepOpening:
		least := c.DeepPlies / 3
		s.openAtRandom(least + s.rng.IntN(c.DeepPlies-least+1))
	case policyOpening:
		s.opening.plies = s.rng.IntN(c.PolicyPlies + 1)
	}
	s.awaitOrThink()
}

// awaitOrThink waits for an evaluation if the opening needs one, else begins the first search.
func (s *liveGame[S]) awaitOrThink() {
	o := &s.opening
	o.waits = o.plies > 0 || s.cfg.OpeningBalance > 0 && o.redraws > 0
	if !o.waits {
		s.search.Reset(s.state)
		s.think()
	}
}

// extendOpening uses an evaluation to draw the next move or, after the last one, to judge whether the opening is balanced.
func (s *liveGame[S]) extendOpening(prior []float32, value float32) {
	o := &s.opening
	switch {
	case o.plies > 0:
		o.plies--
		if !s.openWith(mcts.SelectMove(prior, policyTemperature, s.rng)) {
			o.plies = 0
		}
	case math.Abs(float64(value)) > s.cfg.OpeningBalance && s.rng.Float64() < redrawShare:
		o.redraws--
		s.drawOpening()
		return
	default:
		o.redraws = 0
	}
	s.awaitOrThink()
}

func (s *liveGame[S]) openAtRandom(plies int) {
	for range plies {
		s.legal = s.state.Legal(s.legal[:0])
		if !s.openWith(s.legal[s.rng.IntN(len(s.legal))]) {
			return
		}
	}
}

// openWith plays a move, unless it would end the game.
func (s *liveGame[S]) openWith(a game.Action) (played bool) {
	next := s.state.Play(a)
	if _, over := next.Outcome(); over {
		return false
	}
	s.state = next
	s.game.Moves = append(s.game.Moves, a)
	s.game.Opening++
	return true
}
