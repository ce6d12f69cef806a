package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tengen/game"
	"tengen/internal/random"
)

// MatchGame is a finished game of a match. It belongs to whom it is given to.
type MatchGame struct {
	Number      int  // from 0 in the match; games 2k and 2k+1 share an opening
	PlayerFirst bool // Result.Player made the first move
	Opening     int  // the first Opening moves were drawn at random
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
func Play[S game.State[S]](ctx context.Context, cfg MatchConfig, g game.Game[S], player, against Entrant[S],
	finished func(MatchGame, Result)) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	openings, err := Openings(g, cfg.OpeningPlies, (cfg.Games+1)/2, cfg.Seed)
	if err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	m := &match[S]{
		cfg: cfg, game: g, openings: openings, finished: finished, start: time.Now(), waiting: make(map[int]MatchGame),
		result: Result{
			Player: player.Name, Against: against.Name, Game: g.Name(),
			Seed: cfg.Seed, OpeningPlies: cfg.OpeningPlies, Openings: len(openings), SPRT: cfg.SPRT,
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
	dealt    atomic.Int64 // games given to workers

	mu      sync.Mutex
	result  Result
	waiting map[int]MatchGame // finished games, by number, that an SPRT cannot count yet
}

// errDecided ends the work on a match that needs no more games.
var errDecided = errors.New("match: the SPRT is decided")

// run plays all games. The first error stops the other workers.
func (m *match[S]) run(ctx context.Context, player, against Entrant[S]) error {
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

// deal returns the next game of the match, after its opening, or nil when all have been dealt.
func (m *match[S]) deal() *table[S] {
	number := int(m.dealt.Add(1)) - 1
	if number >= m.cfg.Games {
		return nil
	}
	opening := m.openings[number/2%len(m.openings)]
	t := &table[S]{
		position: m.game.Start(),
		record:   MatchGame{Number: number, PlayerFirst: number%2 == 0, Opening: len(opening)},
	}
	for _, a := range opening {
		t.play(a)
	}
	for side := range t.rngs {
		t.rngs[side] = random.New(m.cfg.Seed, random.Match, uint64(number), uint64(side))
	}
	return t
}

// finish counts a game that is over, or lets it wait. It returns errDecided when the match is.
func (m *match[S]) finish(r MatchGame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cfg.SPRT == (SPRT{}) {
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
		m.result.Pairs.add(first.playerOutcome(), second.playerOutcome())
		m.count(second)
	}
	return errDecided
}

// decided reports whether there is an SPRT that has accepted one of its hypotheses.
func (m *match[S]) decided() bool {
	return m.cfg.SPRT != (SPRT{}) && m.cfg.SPRT.Verdict(m.result.Pairs) != Undecided
}

// count adds a game to the result.
func (m *match[S]) count(r MatchGame) {
	m.result.add(r)
	m.result.Elapsed = time.Since(m.start)
	if m.finished != nil {
		m.finished(r, m.result)
	}
}

// thought adds to the pace of a side.
func (m *match[S]) thought(side, moves int, spent time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pace := &m.result.PlayerPace
	if side == sideAgainst {
		pace = &m.result.AgainstPace
	}
	pace.Moves += moves
	pace.Time += spent
}
