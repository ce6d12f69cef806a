package grade

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"tengen/eval"
	"tengen/game"
	"tengen/internal/random"
	"tengen/players"
)

// SampleConfig configures Sample.
type SampleConfig struct {
	// Positions is the maximum number of positions.
	Positions int
	// FromPly is the first ply to draw from. Earlier positions may take too long to solve.
	FromPly int
	// Seed determines the games and the choice of positions.
	Seed uint64
	// Workers is the number of goroutines. Without time limits, it does not affect the result.
	Workers int
}

// Validate returns an error that names the first key out of range.
func (c SampleConfig) Validate() error {
	switch {
	case c.Positions < 1:
		return fmt.Errorf("positions is %d, but must be 1 or more", c.Positions)
	case c.FromPly < 0:
		return fmt.Errorf("from_ply is %d, but must be 0 or more", c.FromPly)
	case c.Workers < 1:
		return fmt.Errorf("workers is %d, but must be 1 or more", c.Workers)
	}
	return nil
}

const (
	gamesPerRound = 32 // of a single source
	idleRounds    = 10 // rounds without a new position before Sample gives up on a source

	// randomMoves is the probability that a random move replaces a player's, so that even those that always play alike
	// play many games.
	randomMoves = 0.1

	lastPlies = 14  // at the end of a game that are tried
	vainTries = 100 // in a row before Sample gives up on a source
)

// Sample draws positions and returns the moves that lead to each. Its sources are random games and, for each entrant,
// games against itself. Sample spreads the positions evenly over the sources and, within a source, over the thirds of
// MaxPlies, except those before FromPly and those that run out of new positions. It draws fewer if all run out. A game
// gives at most one position per third. All positions have distinct Keys and at least two legal moves. cfg must be
// valid. Sample returns an error if it finds no position.
//
// If try is not nil, it decides which positions are quick to solve, and FromPly does not count: Sample takes the
// positions that try accepts, in the order of the draw, from the last lastPlies plies of games. A source ends after
// vainTries refusals in a row.
func Sample[S game.State[S]](ctx context.Context, cfg SampleConfig, g game.Game[S], try func(context.Context, S) bool, entrants ...players.Player[S]) ([][]game.Action, error) {
	s := sampler[S]{cfg: cfg, game: g, try: try, plies: g.MaxPlies(), seen: map[game.Key]bool{}}
	randomPlayer, err := players.Builder[S]{Game: g}.Build(players.Spec{Kind: players.KindRandom})
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	sources := append([]players.Player[S]{randomPlayer}, entrants...)
	for i, n := range split(cfg.Positions, len(sources)) {
		if err := s.draw(ctx, uint64(i), withRandomMoves(sources[i]), n); err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
	}
	switch {
	case len(s.drawn) > 0:
		return s.drawn, nil
	case try != nil:
		return nil, fmt.Errorf("sample: found no position of %s in the last %d plies of games that is quick to solve", g.Name(), lastPlies)
	}
	return nil, fmt.Errorf("sample: found no position of %s from ply %d on with a choice of moves", g.Name(), cfg.FromPly)
}

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
	try   func(context.Context, S) bool // see Sample
	vain  int                           // tries of the source in a row that found nothing
	plies int                           // game.MaxPlies()
	seen  map[game.Key]bool
	drawn [][]game.Action
}

func (s *sampler[S]) draw(ctx context.Context, source uint64, e players.Player[S], n int) error {
	first := third(s.cfg.FromPly, s.plies) // the first third to draw from
	if s.try != nil {
		first = 2 // all are from the end
	}
	s.vain = 0
	round := uint64(0)
	for open := []int{0, 1, 2}[first:]; n > 0 && len(open) > 0; {
		var missing [3]int
		for i, quota := range split(n, len(open)) {
			missing[open[i]] = quota
		}
		for idle := 0; missing != [3]int{} && idle < idleRounds && s.vain < vainTries; round++ {
			rng := random.New(s.cfg.Seed, random.Problems, source, round)
			games, err := s.play(ctx, e, rng.Uint64())
			if err != nil {
				return err
			}
			before := len(s.drawn)
			for _, moves := range games {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				s.pick(ctx, moves, &missing, rng)
			}
			idle++
			if len(s.drawn) > before {
				idle = 0
			}
		}
		n = 0 // what the thirds that have run out lack
		open = slices.DeleteFunc(open, func(i int) bool { n += missing[i]; return missing[i] > 0 })
	}
	return nil
}

func (s *sampler[S]) play(ctx context.Context, e players.Player[S], seed uint64) ([][]game.Action, error) {
	games := make([][]game.Action, gamesPerRound)
	cfg := eval.MatchConfig{Games: gamesPerRound, Seed: seed, Workers: s.cfg.Workers}
	_, err := eval.Play(ctx, cfg, s.game, e, e, func(r eval.MatchGame, _ eval.Result) { games[r.Number] = r.Moves })
	return games, err
}

// pick draws at most one new position of a game for each third that needs more.
func (s *sampler[S]) pick(ctx context.Context, moves []game.Action, missing *[3]int, rng *rand.Rand) {
	var fresh [3][]S
	position := s.game.Start()
	var legal []game.Action
	for ply, a := range moves {
		legal = position.Legal(legal[:0])
		if i := s.stage(ply, len(moves)); i >= 0 && len(legal) > 1 && !s.seen[position.Key()] {
			fresh[i] = append(fresh[i], position)
		}
		position = position.Play(a)
	}
	for i, positions := range fresh {
		for found := missing[i] == 0; len(positions) > 0 && !found && s.vain < vainTries; {
			n := rng.IntN(len(positions))
			drawn := positions[n]
			positions = slices.Delete(positions, n, n+1)
			s.vain++
			if found = s.try == nil || s.try(ctx, drawn); found {
				s.vain = 0
				s.seen[drawn.Key()] = true
				s.drawn = append(s.drawn, moves[:drawn.Ply():drawn.Ply()])
				missing[i]--
			}
		}
	}
}

// stage returns the third to which a ply of a game with the given number of plies belongs, or -1 if that is too early.
func (s *sampler[S]) stage(ply, plies int) int {
	switch {
	case s.try == nil && ply >= s.cfg.FromPly:
		return third(ply, s.plies)
	case s.try != nil && ply >= plies-lastPlies:
		return 2
	}
	return -1
}

func withRandomMoves[S game.State[S]](e players.Player[S]) players.Player[S] {
	return players.Player[S]{Name: e.Name, New: func() (players.Answerer[S], error) {
		p, err := e.New()
		return &randomMover[S]{Answerer: p}, err
	}}
}

// randomMover randomizes some of a player's moves, but not its analyses.
type randomMover[S game.State[S]] struct {
	players.Answerer[S]
	legal []game.Action // scratch
}

// Choose implements players.Answerer.
func (p *randomMover[S]) Choose(ctx context.Context, lines []players.Line[S], rngs []*rand.Rand, moves []game.Action) error {
	if err := p.Answerer.Choose(ctx, lines, rngs, moves); err != nil {
		return err
	}
	for i, rng := range rngs {
		if rng.Float64() < randomMoves {
			p.legal = lines[i].Position.Legal(p.legal[:0])
			moves[i] = p.legal[rng.IntN(len(p.legal))]
		}
	}
	return nil
}
