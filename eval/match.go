// Package eval measures the strength of players by matches, sequential tests and ladders.
//
// Play plays a match between two players. It plays each of its Openings twice, with colours swapped, to cancel luck and
// the advantage of the first move. An SPRT ends a match once it is decided. Ladder rates many players by matches.
//
// The match's seed, the game's number and the side determine every random choice, so a match without time limits has
// the same result for any number of workers, unless an external engine plays. Package rating has the statistics.
// Package grade measures players on positions with known right moves.
package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"tengen/eval/rating"
	"tengen/game"
	"tengen/internal/limits"
	"tengen/internal/random"
	"tengen/players"
)

// MatchConfig configures Play.
type MatchConfig struct {
	// Games is the number of games. Pairs share an opening; an odd last game has no partner.
	Games int
	// Played holds games that were played before, in any order. They count, and are not played again.
	Played []MatchGame
	// Settings are what the players' names do not say of them, for OpenGames.
	Settings string
	// OpeningPlies is the length of the random openings; 0 means the starting position.
	OpeningPlies int
	// Fixed, unless empty, holds openings to play in turn instead of random ones.
	Fixed FixedOpenings
	// Seed determines the openings and the players' random choices.
	Seed uint64
	// Workers is the number of goroutines, each with its own players. More workers than cores weaken players with a
	// time limit.
	Workers int
	// SPRT ends the match once decided, or when each opening has been played. Games, which must be even, is then the
	// maximum. The zero value plays all games.
	SPRT rating.SPRT
}

// FixedOpenings is a named list of openings.
type FixedOpenings struct {
	Name  string
	Moves [][]game.Action // from the start; they must not end the game
}

// Default returns the config for a match on all cores. Between equal players, its 200 games measure the score to within
// 7 percentage points or 50 Elo.
func Default() MatchConfig {
	return MatchConfig{Games: 200, OpeningPlies: 2, Seed: 1, Workers: runtime.GOMAXPROCS(0)}
}

// Validate returns an error that names the first key out of range.
func (c MatchConfig) Validate() error {
	err := cmp.Or(
		limits.Int("games", c.Games, 1, 1_000_000),
		limits.Int("opening_plies", c.OpeningPlies, 0, 1000),
		limits.Int("workers", c.Workers, 1, 1024),
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

// MatchGame is a finished game of a match. Its receiver owns it.
type MatchGame struct {
	Number      int  // counts from 0; games 2k and 2k+1 share an opening
	PlayerFirst bool // Result.Player made the first move
	Opening     int  // number of moves not chosen by the players
	Moves       []game.Action
	Outcome     int8 // for the first player: +1, 0, -1
	// Forfeit says why the side to move lost before the game was over (see players.Forfeit); "" if it was over.
	Forfeit string
	Fault   bool // the forfeit was a fault of a program
}

func (r MatchGame) playerOutcome() int8 {
	if r.PlayerFirst {
		return r.Outcome
	}
	return -r.Outcome
}

// Play plays a match and returns the result for player. If finished is not nil, Play calls it for each game counted, in
// any order, with the result so far, from one goroutine at a time.
//
// With an SPRT, games count in pairs by number, and games after the deciding pair do not count. So the decision does
// not depend on which games end first. After an error, the result so far is biased towards short games.
func Play[S game.State[S]](ctx context.Context, cfg MatchConfig, g game.Game[S], player, against players.Player[S],
	finished func(MatchGame, Result)) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	openings, err := openingsOf(cfg, g)
	if err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	if len(cfg.Fixed.Moves) > 0 {
		cfg.OpeningPlies = 0
	}
	if cfg.SPRT != (rating.SPRT{}) {
		cfg.Games = min(cfg.Games, 2*len(openings)) // a pair that repeats another tells nothing new
	}
	m := &match[S]{
		cfg: cfg, game: g, openings: openings, finished: finished, start: time.Now(), waiting: make(map[int]MatchGame), played: make(map[int]bool),
		result: Result{
			Player: player.Name, Against: against.Name, Game: g.Name(),
			PlayerProgram: newProgram(player.Program), AgainstProgram: newProgram(against.Program),
			Seed: cfg.Seed, OpeningPlies: cfg.OpeningPlies, FixedOpenings: cfg.Fixed.Name, Openings: len(openings), SPRT: cfg.SPRT,
		},
	}
	err = m.run(ctx, player, against)
	m.result.PlayerProgram.identify(player.Program)
	m.result.AgainstProgram.identify(against.Program)
	m.result.Elapsed = time.Since(m.start)
	return m.result, err
}

type match[S game.State[S]] struct {
	cfg      MatchConfig
	game     game.Game[S]
	openings [][]game.Action
	finished func(MatchGame, Result)
	start    time.Time

	mu      sync.Mutex
	begun   int          // games given to workers or played before
	played  map[int]bool // before
	result  Result
	faults  [2]int            // by side
	waiting map[int]MatchGame // finished games, by number, not yet counted by an SPRT
}

// lockstep is the number of games that a worker plays at once.
const lockstep = 32

var errDecided = errors.New("match: the SPRT is decided")

// run plays all games. The first error stops the other workers.
func (m *match[S]) run(ctx context.Context, player, against players.Player[S]) error {
	for _, r := range m.cfg.Played {
		if r.Number >= m.cfg.Games {
			continue
		}
		m.played[r.Number] = true
		if m.endGame(r) != nil {
			return nil // it is decided
		}
	}
	games := m.cfg.Games - len(m.played)
	if games == 0 {
		return nil
	}
	workers := min(m.cfg.Workers, games)
	size := min(lockstep, (games+workers-1)/workers)
	if player.Program != nil || against.Program != nil {
		size = 1 // a program knows one game
	}
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

// nextGame returns the next game after its opening, or nil if all have begun. It is safe for concurrent use.
func (m *match[S]) nextGame() *liveGame[S] {
	m.mu.Lock()
	for m.played[m.begun] {
		m.begun++
	}
	number := m.begun
	m.begun++
	m.mu.Unlock()
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

// endGame counts a finished game or keeps it waiting. It returns errDecided if the SPRT is decided.
func (m *match[S]) endGame(r MatchGame) error {
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

func (m *match[S]) decided() bool {
	return m.cfg.SPRT != (rating.SPRT{}) && m.cfg.SPRT.Verdict(m.result.Pairs) != rating.Undecided
}

func (m *match[S]) count(r MatchGame) {
	m.result.add(r)
	m.result.Elapsed = time.Since(m.start)
	if m.finished != nil && !m.played[r.Number] {
		m.finished(r, m.result)
	}
}

// pace returns a side's pace. The caller holds the lock.
func (m *match[S]) pace(side int) *Pace {
	if side == sideAgainst {
		return &m.result.AgainstPace
	}
	return &m.result.PlayerPace
}

// maxFaults is how many games a program may lose by faults before the match ends.
const maxFaults = 3

// addFault counts a fault, with which a side has lost a game. It returns an error if the match must end.
func (m *match[S]) addFault(side int, game MatchGame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults[side]++
	switch {
	case m.pace(side).Moves == 0:
		return errors.New("fails before its first move")
	case m.faults[side] == maxFaults:
		return fmt.Errorf("fails in %d games: game %d, move %d", maxFaults, game.Number, len(game.Moves)+1)
	}
	return nil
}

func (m *match[S]) addPace(side, moves int, spent time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pace := m.pace(side)
	pace.Moves += moves
	pace.Time += spent
}

func openingsOf[S game.State[S]](cfg MatchConfig, g game.Game[S]) ([][]game.Action, error) {
	pairs := (cfg.Games + 1) / 2
	if len(cfg.Fixed.Moves) == 0 {
		return Openings(g, cfg.OpeningPlies, pairs, cfg.Seed)
	}
	fixed := cfg.Fixed.Moves[:min(pairs, len(cfg.Fixed.Moves))]
	for _, moves := range fixed {
		s, err := game.Replay(g, moves)
		if err != nil {
			return nil, fmt.Errorf("opening %q: %w", game.FormatMoves(g.Start(), moves), err)
		}
		if _, over := s.Outcome(); over {
			return nil, fmt.Errorf("opening %q: the game is over after it", game.FormatMoves(g.Start(), moves))
		}
	}
	return fixed, nil
}

// Openings returns up to n random legal sequences of plies moves from the starting position to unfinished positions
// that differ by game.Key. The seed determines them, and the first k are the same for every n >= k.
//
// It stops early after 1000 draws without a new opening, plus 100 for each opening found. It returns an error if it
// finds none.
func Openings[S game.State[S]](g game.Game[S], plies, n int, seed uint64) ([][]game.Action, error) {
	rng := random.New(seed, random.Openings)
	seen := make(map[game.Key]bool)
	var openings [][]game.Action
	var legal []game.Action
	for misses := 0; len(openings) < n && misses < 1000+100*len(openings); misses++ {
		s := g.Start()
		moves := make([]game.Action, 0, plies)
		for legal = game.RandomMoves(s, legal[:0]); len(moves) < plies && len(legal) > 0; legal = game.RandomMoves(s, legal[:0]) {
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
		return nil, fmt.Errorf("every game of %s ends within %d random plies: use shorter openings", g.Name(), plies)
	}
	return openings, nil
}
