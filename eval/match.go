// Package eval measures how strong players are: matches, sequential tests and ladders.
//
// Play lets two players meet. They start from Openings, short random beginnings that differ from each other, and play each one
// twice with colours swapped, so neither luck with the opening nor the advantage of the first move decides. Result counts the
// games and says how sure one can be of the score. An SPRT ends a match when it is sure enough. Ladder plays matches among many
// players and rates them.
//
// Every random choice follows from the match's seed, the game's number and the side. So a game can be repeated by itself, and a
// match of players that do not go by the clock ends the same for any number of workers. Package rating has the statistics,
// package grade measures players by positions whose right moves are known.
package eval

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tengen/eval/rating"
	"tengen/game"
	"tengen/internal/limits"
	"tengen/internal/random"
	"tengen/players"
)

// MatchConfig says how a match is played.
type MatchConfig struct {
	// Games is the number of games. They come in pairs of one opening with colours swapped; an odd one has no partner.
	Games int
	// OpeningPlies is the length of the random openings. 0: all games begin in the starting position.
	OpeningPlies int
	// Fixed are openings to play in turn, in place of random ones. The zero value has none.
	Fixed FixedOpenings
	// Seed determines the openings and every random choice of the players.
	Seed uint64
	// Workers is the number of goroutines, each with a pair of players of its own. More than there are cores hurt players
	// that go by the clock.
	Workers int
	// Lockstep is the number of games that a worker plays at the same time.
	Lockstep int
	// SPRT ends the match as soon as it is decided; Games, which must be even, is then their largest number. The zero value
	// plays them all.
	SPRT rating.SPRT
}

// FixedOpenings are openings with a name for reports.
type FixedOpenings struct {
	Name  string
	Moves [][]game.Action // of each opening, from the start; the game must go on after them
}

// Default is a match on all cores that knows the score to within 7 %, which is 50 Elo between equals.
func Default() MatchConfig {
	return MatchConfig{Games: 200, OpeningPlies: 2, Seed: 1, Workers: runtime.GOMAXPROCS(0), Lockstep: 32}
}

// Validate names the first key that is out of range.
func (c MatchConfig) Validate() error {
	err := limits.Check("",
		limits.Int("games", c.Games, 1, 1_000_000),
		limits.Int("opening_plies", c.OpeningPlies, 0, 1000),
		limits.Int("workers", c.Workers, 1, 1024),
		limits.Int("lockstep", c.Lockstep, 1, 4096),
	)
	if err != nil || c.SPRT == (rating.SPRT{}) {
		return err
	}
	if c.Games%2 != 0 {
		return fmt.Errorf("games is %d, but an SPRT counts pairs of games: use an even number", c.Games)
	}
	if err := c.SPRT.Validate(); err != nil {
		return fmt.Errorf("SPRT: %w", err)
	}
	return nil
}

// MatchGame is a finished game of a match. Who receives one may keep and change it.
type MatchGame struct {
	Number      int  // from 0 in the match; games 2k and 2k+1 share an opening
	PlayerFirst bool // Result.Player made the first move
	Opening     int  // the first Opening moves were not chosen by the players
	Moves       []game.Action
	Outcome     int8 // first player's view: +1, 0, -1
}

// playerOutcome is the outcome in the view of Result.Player.
func (r MatchGame) playerOutcome() int8 {
	if r.PlayerFirst {
		return r.Outcome
	}
	return -r.Outcome
}

// Play plays a match between the player and its opponent and returns the player's result. finished, unless nil, is told
// of each game as it counts, in whatever order that is, with the result so far; it is called by one goroutine at a time.
//
// With an SPRT, games count in order of their number, two by two: a pair waits for those before it, and games beyond the
// deciding pair count for nothing. So the decision does not depend on which games happen to end first.
//
// When ctx is cancelled or something fails, Play returns the result of the games counted so far, which favours short
// ones, with ctx.Err() or the failure: an invalid config, an error of a factory or player, an illegal move.
func Play[S game.State[S]](ctx context.Context, cfg MatchConfig, g game.Game[S], player, against players.Factory[S],
	finished func(MatchGame, Result)) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	openings, err := openingsOf(cfg, g)
	if err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	if len(cfg.Fixed.Moves) > 0 {
		cfg.OpeningPlies = 0 // none is random
	}
	m := &match[S]{
		cfg: cfg, game: g, openings: openings, finished: finished, start: time.Now(), waiting: make(map[int]MatchGame),
		result: Result{
			Player: player.Name, Against: against.Name, Game: g.Name(),
			Seed: cfg.Seed, OpeningPlies: cfg.OpeningPlies, FixedOpenings: cfg.Fixed.Name, Openings: len(openings), SPRT: cfg.SPRT,
		},
	}
	err = m.run(ctx, player, against)
	m.result.Elapsed = time.Since(m.start)
	return m.result, err
}

// match is what the workers share.
type match[S game.State[S]] struct {
	cfg      MatchConfig
	game     game.Game[S]
	openings [][]game.Action
	finished func(MatchGame, Result)
	start    time.Time
	begun    atomic.Int64 // games given to workers

	mu      sync.Mutex
	result  Result
	waiting map[int]MatchGame // finished games, by number, that an SPRT cannot count yet
}

// errDecided ends the work on a match that needs no more games.
var errDecided = errors.New("match: the SPRT is decided")

// run plays all games. The first error stops the other workers.
func (m *match[S]) run(ctx context.Context, player, against players.Factory[S]) error {
	workers := min(m.cfg.Workers, m.cfg.Games)
	size := min(m.cfg.Lockstep, (m.cfg.Games+workers-1)/workers)
	groups := make([]*group[S], workers)
	for i := range groups {
		var err error
		if groups[i], err = newGroup(m, player, against, size); err != nil {
			return err
		}
	}
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for _, g := range groups {
		wg.Go(func() {
			if err := g.run(working); err != nil {
				stop(err)
			}
		})
	}
	wg.Wait()
	switch {
	case m.result.Total().Games() == m.cfg.Games, m.decided():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return context.Cause(working)
}

// nextGame returns the next game of the match, after its opening, or nil when all have begun. It is safe for concurrent use.
func (m *match[S]) nextGame() *liveGame[S] {
	number := int(m.begun.Add(1)) - 1
	if number >= m.cfg.Games {
		return nil
	}
	opening := m.openings[number/2%len(m.openings)]
	l := &liveGame[S]{
		position: m.game.Start(),
		record:   MatchGame{Number: number, PlayerFirst: number%2 == 0, Opening: len(opening)},
	}
	for _, a := range opening {
		l.play(a)
	}
	for side := range l.rngs {
		l.rngs[side] = random.New(m.cfg.Seed, random.Match, uint64(number), uint64(side))
	}
	return l
}

// finish counts a game that is over, or lets it wait. It returns errDecided when the match is.
func (m *match[S]) finish(r MatchGame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cfg.SPRT == (rating.SPRT{}) {
		m.count(r)
		return nil
	}
	m.waiting[r.Number] = r
	for !m.decided() {
		number := 2 * m.result.Pairs.Total()
		first, ok1 := m.waiting[number]
		second, ok2 := m.waiting[number+1]
		if !ok1 || !ok2 {
			return nil
		}
		delete(m.waiting, number)
		delete(m.waiting, number+1)
		m.count(first)
		m.result.Pairs.Add(first.playerOutcome(), second.playerOutcome())
		m.count(second)
	}
	return errDecided
}

// decided reports whether there is an SPRT that has accepted one of its hypotheses.
func (m *match[S]) decided() bool {
	return m.cfg.SPRT != (rating.SPRT{}) && m.cfg.SPRT.Verdict(m.result.Pairs) != rating.Undecided
}

// count adds a game to the result.
func (m *match[S]) count(r MatchGame) {
	m.result.add(r)
	m.result.Elapsed = time.Since(m.start)
	if m.finished != nil {
		m.finished(r, m.result)
	}
}

// addPace counts moves of a side and the time that choosing them took.
func (m *match[S]) addPace(side, moves int, spent time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pace := &m.result.PlayerPace
	if side == sideAgainst {
		pace = &m.result.AgainstPace
	}
	pace.Moves += moves
	pace.Time += spent
}

// openingsOf returns the openings of a match, as many as it has pairs of games or fewer.
func openingsOf[S game.State[S]](cfg MatchConfig, g game.Game[S]) ([][]game.Action, error) {
	pairs := (cfg.Games + 1) / 2
	if len(cfg.Fixed.Moves) == 0 {
		return Openings(g, cfg.OpeningPlies, pairs, cfg.Seed)
	}
	fixed := cfg.Fixed.Moves[:min(pairs, len(cfg.Fixed.Moves))]
	for _, moves := range fixed {
		s, err := game.Replay(g, moves)
		if err != nil {
			return nil, fmt.Errorf("opening %q: %w", g.FormatMoves(moves), err)
		}
		if _, over := s.Outcome(); over {
			return nil, fmt.Errorf("opening %q: the game is over after it", g.FormatMoves(moves))
		}
	}
	return fixed, nil
}

// Openings returns up to n sequences of that many random legal moves from the starting position. They lead to different
// positions, by game.Key, none of which is over. The seed determines them, and the first k are the same for every n >= k.
//
// Fewer than n come back when there are no more: tic-tac-toe has 72 openings of two plies. That is taken to be so after
// 1000 draws and 100 for each opening found have brought nothing new. It is an error if not one is found.
func Openings[S game.State[S]](g game.Game[S], plies, n int, seed uint64) ([][]game.Action, error) {
	rng := random.New(seed, random.Openings)
	seen := make(map[game.Key]bool)
	var openings [][]game.Action
	var legal []game.Action
	for misses := 0; len(openings) < n && misses < 1000+100*len(openings); misses++ {
		s := g.Start()
		moves := make([]game.Action, 0, plies)
		for legal = s.Legal(legal[:0]); len(moves) < plies && len(legal) > 0; legal = s.Legal(legal[:0]) {
			a := legal[rng.IntN(len(legal))]
			moves = append(moves, a)
			s = s.Play(a)
		}
		if len(legal) > 0 && !seen[s.Key()] {
			seen[s.Key()] = true
			openings = append(openings, moves)
			misses = 0
		}
	}
	if len(openings) == 0 {
		return nil, fmt.Errorf("no game of %s is still going on after %d random plies: use shorter openings", g.Name(), plies)
	}
	return openings, nil
}
