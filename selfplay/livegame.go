package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/replay"
)

// liveGame is one of the games that a worker plays in lockstep, one after another in the same memory. It keeps its
// search tree's memory from game to game.
type liveGame[S game.State[S]] struct {
	rules       game.Game[S]
	cfg         Config
	simulations int // of a full search, when they have grown
	search      *mcts.Search[S]
	decision    mcts.Decision // scratch
	prior       []float32     // [actions], scratch
	legal       []game.Action
	stats       []mcts.Stat // scratch

	// The game being played: nil between two games.
	game    *replay.Record
	state   S
	rng     *rand.Rand
	opening opening

	budget  int  // simulations of a full search, by the model that plays
	full    bool // the search under way is a full one
	decided bool // its root was proven before it began

	surprises   []float32 // [Searched], of the game's searches, see weightBySurprise
	evaluations checksum  // of the game's
}

func newLiveGame[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config) *liveGame[S] {
	search.LCB = 0 // it chooses moves in play, and a fast search must not differ from a full one in that
	if cfg.LearnForcedMoves {
		search.ForcedNodes = 0
	}
	return &liveGame[S]{
		rules:       g,
		cfg:         cfg,
		simulations: search.Simulations,
		search:      mcts.New[S](search, g.Actions()),
		prior:       make([]float32, g.Actions()),
	}
}

// begin starts a game, all of whose random choices are drawn from the generator of its seed and number.
func (s *liveGame[S]) begin(id ID, model uint64) {
	s.rng = random.New(id.Seed, random.SelfPlay, id.Number)
	s.game = &replay.Record{Number: id.Number, Seed: id.Seed, Model: model, ResignPly: -1}
	s.game.PlayedOn = s.rng.Float64() < s.cfg.PlayOnShare
	s.budget = s.cfg.simulations(model, s.simulations)
	s.surprises = s.surprises[:0]
	s.evaluations = 0
	s.open()
}

// done reports whether the next move can be decided.
func (s *liveGame[S]) done() bool { return !s.opening.waits && s.search.Done() }

// ask returns the position whose evaluation the game needs next, for answer. It reports false if a simulation ended
// without one.
func (s *liveGame[S]) ask() (S, bool) {
	if s.opening.waits {
		return s.state, true
	}
	leaf, status := s.search.Select()
	return leaf, status != mcts.Known
}

// answer takes the evaluation of the position that was asked for.
func (s *liveGame[S]) answer(prior []float32, value float32) {
	s.evaluations.add(prior, value)
	if s.opening.waits {
		s.openOn(prior, value)
	} else {
		s.search.Expand(prior, value)
	}
}

// move records and plays what the search has decided, or resigns. It reports whether the game is over.
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
	s.state = s.state.Play(d.Action)
	if z, over := s.state.Outcome(); over {
		s.finish(z)
		return true
	}
	s.search.Advance(d.Action)
	s.think()
	return false
}

// resigns reports whether the side to move gives up a position of the given value. It notes the first time it would,
// also in a game that is played on.
func (s *liveGame[S]) resigns(value float32) bool {
	if float64(value) >= s.cfg.ResignBelow {
		return false
	}
	if s.game.ResignPly < 0 {
		s.game.ResignPly = len(s.game.Moves)
	}
	return !s.game.PlayedOn
}

// finish sets the outcome, given as z for the side to move at the end, and what is known only then.
func (s *liveGame[S]) finish(z float32) {
	s.game.Outcome = game.FirstPlayerOutcome(z, s.state.ToMove())
	s.game.Evaluations = s.evaluations.sum()
	if s.cfg.SurpriseShare > 0 {
		weightBySurprise(s.game.Weights, s.surprises, s.cfg.SurpriseShare)
	}
}
