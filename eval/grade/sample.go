package grade

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tengen/eval"
	"tengen/game"
	"tengen/internal/random"
	"tengen/players"
)

// SampleConfig says which positions Sample draws.
type SampleConfig struct {
	// Positions is the number of positions. Fewer come back when there are no more.
	Positions int
	// FromPly leaves out positions of earlier plies, which the solver may need too long for.
	FromPly int
	// RandomMoves is the probability of a random move in place of a player's own. 0: players that leave nothing to chance
	// play the same game for ever.
	RandomMoves float64
	// Seed determines the games and what is drawn from them.
	Seed uint64
	// Workers is the number of goroutines that play the games. It changes nothing else.
	Workers int
}

// Validate names the first key that is out of range.
func (c SampleConfig) Validate() error {
	switch {
	case c.Positions < 1:
		return fmt.Errorf("positions is %d, allowed are 1 and more", c.Positions)
	case c.FromPly < 0:
		return fmt.Errorf("from_ply is %d, allowed are 0 and more", c.FromPly)
	case !(c.RandomMoves >= 0 && c.RandomMoves <= 1):
		return fmt.Errorf("random_moves is %v, allowed are 0 to 1", c.RandomMoves)
	case c.Workers < 1:
		return fmt.Errorf("workers is %d, allowed are 1 and more", c.Workers)
	}
	return nil
}

const (
	gamesPerRound = 32 // that a source plays in lockstep
	idleRounds    = 10 // rounds without a new position after which there are taken to be no more
)

// Sample draws positions from games of random moves and from games of each player against itself, as many from each source
// and, from each source, as many from each third of the board: beginning, middle and end. A game gives one position of
// each third at most. All differ, by game.Key, and have a choice of moves. It returns the moves that lead to them.
//
// They depend on cfg and on players that do not go by the clock. It is an error if there are no such positions at all.
func Sample[S game.State[S]](ctx context.Context, cfg SampleConfig, g game.Game[S], entrants ...players.Factory[S]) ([][]game.Action, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	s := sampler[S]{cfg: cfg, game: g, plies: g.MaxPlies(), seen: map[game.Key]bool{}}
	chance, err := players.Builder[S]{Game: g}.Build(players.Spec{Kind: players.KindRandom})
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	sources := append([]players.Factory[S]{chance}, entrants...)
	for i, n := range split(cfg.Positions, len(sources)) {
		if err := s.draw(ctx, uint64(i), withRandomMoves(sources[i], cfg.RandomMoves), n); err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
	}
	if len(s.drawn) == 0 {
		return nil, fmt.Errorf("sample: no position of %s with %d stones or more has a choice of moves", g.Name(), cfg.FromPly)
	}
	return s.drawn, nil
}

// split divides n into parts that differ by 1 at most.
func split(n, parts int) []int {
	sizes := make([]int, parts)
	for i := range sizes {
		sizes[i] = n*(i+1)/parts - n*i/parts
	}
	return sizes
}

type sampler[S game.State[S]] struct {
	cfg   SampleConfig
	game  game.Game[S]
	plies int // of the longest game
	seen  map[game.Key]bool
	drawn [][]game.Action
}

// draw adds n positions from games of the entrant against itself.
func (s *sampler[S]) draw(ctx context.Context, source uint64, e players.Factory[S], n int) error {
	first := third(s.cfg.FromPly, s.plies) // the first that FromPly leaves something of
	var missing [3]int
	copy(missing[first:], split(n, 3-first))
	for round, idle := uint64(0), 0; missing != [3]int{} && idle < idleRounds; round++ {
		rng := random.New(s.cfg.Seed, random.Problems, source, round)
		games, err := s.play(ctx, e, rng.Uint64())
		if err != nil {
			return err
		}
		before := len(s.drawn)
		for _, moves := range games {
			s.pick(moves, &missing, rng)
		}
		idle++
		if len(s.drawn) > before {
			idle = 0
		}
	}
	return nil
}

// play is a round of games, in the order of their numbers.
func (s *sampler[S]) play(ctx context.Context, e players.Factory[S], seed uint64) ([][]game.Action, error) {
	games := make([][]game.Action, gamesPerRound)
	cfg := eval.MatchConfig{Games: gamesPerRound, Seed: seed, Workers: s.cfg.Workers, Lockstep: gamesPerRound}
	_, err := eval.Play(ctx, cfg, s.game, e, e, func(r eval.MatchGame, _ eval.Result) { games[r.Number] = r.Moves })
	return games, err
}

// pick draws a new position of each third that misses some, if the game has one.
func (s *sampler[S]) pick(moves []game.Action, missing *[3]int, rng *rand.Rand) {
	var fresh [3][]S
	position := s.game.Start()
	var legal []game.Action
	for ply, a := range moves {
		legal = position.Legal(legal[:0])
		if ply >= s.cfg.FromPly && len(legal) > 1 && !s.seen[position.Key()] {
			i := third(ply, s.plies)
			fresh[i] = append(fresh[i], position)
		}
		position = position.Play(a)
	}
	for i, positions := range fresh {
		if missing[i] == 0 || len(positions) == 0 {
			continue
		}
		drawn := positions[rng.IntN(len(positions))]
		s.seen[drawn.Key()] = true
		s.drawn = append(s.drawn, moves[:drawn.Ply():drawn.Ply()])
		missing[i]--
	}
}

// withRandomMoves makes the entrant play a random move with the given probability.
func withRandomMoves[S game.State[S]](e players.Factory[S], probability float64) players.Factory[S] {
	return players.Factory[S]{Name: e.Name, New: func() (players.Answerer[S], error) {
		p, err := e.New()
		return &randomMover[S]{Answerer: p, probability: probability}, err
	}}
}

// randomMover plays games as the player does but for some random moves. Its analyses are the player's own.
type randomMover[S game.State[S]] struct {
	players.Answerer[S]
	probability float64
	legal       []game.Action // scratch
}

// Choose implements Answerer.
func (p *randomMover[S]) Choose(ctx context.Context, positions []S, rngs []*rand.Rand, moves []game.Action) error {
	if err := p.Answerer.Choose(ctx, positions, rngs, moves); err != nil {
		return err
	}
	for i, rng := range rngs {
		if rng.Float64() < p.probability {
			p.legal = positions[i].Legal(p.legal[:0])
			moves[i] = p.legal[rng.IntN(len(p.legal))]
		}
	}
	return nil
}
