package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/replay"
)

// streamGame is the label of a game's generator.
const streamGame = 1

// seat is the place of one game in a worker's lockstep. It keeps its search tree's memory from game to game.
type seat[S game.State[S]] struct {
	rules       game.Game[S]
	cfg         Config
	simulations int
	seed        uint64
	search      *mcts.Search[S]
	prior       []float32 // [actions], scratch
	policy      []float32 // [actions], scratch
	legal       []game.Action

	// The game being played: nil when the seat is free.
	game  *replay.Record
	state S
	rng   *rand.Rand
}

func newSeat[S game.State[S]](g game.Game[S], cfg Config, search mcts.Config, seed uint64) *seat[S] {
	return &seat[S]{
		rules:       g,
		cfg:         cfg,
		simulations: search.Simulations,
		seed:        seed,
		search:      mcts.New[S](search, g.Actions()),
		prior:       make([]float32, g.Actions()),
		policy:      make([]float32, g.Actions()),
	}
}

// begin starts a game with its random opening, all of it drawn from the generator of its number.
func (s *seat[S]) begin(number, model uint64) {
	s.rng = random.New(s.seed, streamGame, number)
	s.state = s.rules.Start()
	s.game = &replay.Record{Number: number, Seed: s.seed, Model: model, ResignPly: -1}
	s.game.PlayedOn = s.rng.Float64() < s.cfg.PlayOnShare
	s.open(s.rng.IntN(s.cfg.OpeningPlies + 1))
	s.search.Reset(s.state)
	s.search.AddNoise(s.rng)
}

// open plays up to plies random moves, stopping short of the end of the game.
func (s *seat[S]) open(plies int) {
	for range plies {
		s.legal = s.state.Legal(s.legal[:0])
		a := s.legal[s.rng.IntN(len(s.legal))]
		next := s.state.Play(a)
		if _, over := next.Outcome(); over {
			return
		}
		s.state = next
		s.game.Moves = append(s.game.Moves, a)
		s.game.Opening++
	}
}

// decided reports whether the search for the next move is finished.
func (s *seat[S]) decided() bool {
	return s.search.Simulations() >= s.simulations || s.search.Proven() != mcts.Unknown
}

// move records what the search found, then draws and plays a move, or resigns. It reports whether the game is over.
func (s *seat[S]) move() (over bool) {
	s.search.Policy(s.policy)
	value := s.search.Value()
	if s.resigns(value) {
		s.game.Resigned = true
		s.finish(-1)
		return true
	}
	s.game.AppendSearch(s.policy, value, s.search.Simulations(), replay.FullWeight)
	a := mcts.SelectMove(s.policy, s.temperature(), s.rng)
	s.game.Moves = append(s.game.Moves, a)
	s.state = s.state.Play(a)
	if z, over := s.state.Outcome(); over {
		s.finish(int8(z))
		return true
	}
	s.search.Advance(a)
	s.search.AddNoise(s.rng)
	return false
}

// resigns reports whether the side to move gives up a position of the given value. It notes the first time it would, also
// in a game that is played on.
func (s *seat[S]) resigns(value float32) bool {
	if float64(value) >= s.cfg.ResignBelow {
		return false
	}
	if s.game.ResignPly < 0 {
		s.game.ResignPly = len(s.game.Moves)
	}
	return !s.game.PlayedOn
}

// finish sets the outcome, given as z for the side to move at the end.
func (s *seat[S]) finish(z int8) {
	if len(s.game.Moves)%2 == 1 {
		z = -z
	}
	s.game.Outcome = z
}

func (s *seat[S]) temperature() float64 {
	if len(s.game.Moves) < s.cfg.TemperaturePlies {
		return s.cfg.Temperature
	}
	return s.cfg.FinalTemperature
}
