package selfplay

import (
	"math/rand/v2"

	"tengen/game"
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

	game     *replay.Record // nil between games
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

// playOnShare is the share of games without resignation, to count how often it would have been wrong.
const playOnShare = 0.1

// begin starts a game. One generator, derived from the seed and the game's number, makes all its random choices.
func (s *liveGame[S]) begin(seed, number, model uint64) {
	s.rng = random.New(seed, random.SelfPlay, number)
	s.game = &replay.Record{Number: number, Seed: seed, Model: model, ResignPly: -1}
	s.game.PlayedOn = s.rng.Float64() < playOnShare
	s.simulations = s.cfg.simulationsFor(model, s.fullSimulations)
	s.surprises = s.surprises[:0]
	s.evaluations = 0
	s.open()
}

func (s *liveGame[S]) done() bool { return !s.opening.waits && s.search.Done() }

// ask returns the next position to evaluate, or false if the simulation ended in a position of known value.
func (s *liveGame[S]) ask() (S, bool) {
	if s.opening.waits {
		return s.position, true
	}
	leaf, status := s.search.Select()
	return leaf, status != mcts.Known
}

// answer continues the game with the evaluation of the position that ask returned.
func (s *liveGame[S]) answer(prior []float32, value float32) {
	s.evaluations.add(prior, value)
	if s.opening.waits {
		s.extendOpening(prior, value)
	} else {
		s.search.Expand(prior, value)
	}
}

// move records and plays the search's decision, or resigns.
func (s *liveGame[S]) move() (over bool) {
	d := &s.decision
	s.search.Decide(s.temperature(), s.rng, d)
	if s.resigns(d.Value) {
		s.game.Resigned = true
		s.finish(-1)
		return true
	}
	s.record(d)
	s.game.Moves = append(s.game.Moves, d.Action)
	s.position = s.position.Play(d.Action)
	if z, over := s.position.Outcome(); over {
		s.finish(z)
		return true
	}
	s.search.Advance(d.Action)
	s.think()
	return false
}

// resigns reports whether the side to move resigns at this value. It records the first such ply in any case.
func (s *liveGame[S]) resigns(value float32) bool {
	if float64(value) >= s.cfg.ResignBelow {
		return false
	}
	if s.game.ResignPly < 0 {
		s.game.ResignPly = len(s.game.Moves)
	}
	return !s.game.PlayedOn
}

// finish completes the record. z is the outcome for the side to move.
func (s *liveGame[S]) finish(z float32) {
	s.game.Outcome = game.FirstPlayerOutcome(z, s.position.ToMove())
	s.game.Evaluations = s.evaluations.sum()
	if s.cfg.SurpriseShare > 0 {
		weightBySurprise(s.game.Weights, s.surprises, s.cfg.SurpriseShare)
	}
}
