package arena

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"tengen/game"
	"tengen/internal/random"
)

// Schedule lists who meets whom on a ladder of players, given by their indices: first the fixed ones, then the
// checkpoints of a run, the oldest first. A fixed player meets those before it. A checkpoint meets all fixed players and
// the checkpoints 1, 2, 4, 8 … before it: neighbours of about its own strength, which tell most about it, and a few far
// ones, which keep small errors from adding up. So n checkpoints meet each other in less than n log2 n + n matches.
//
// Players join one after the other, each with its matches against those before it, who are given as against. So any
// beginning of the schedule connects all that occur in it, and one more checkpoint adds to its end.
func Schedule(fixed, checkpoints int) []Pairing {
	var pairings []Pairing
	for player := range fixed + checkpoints {
		for against := range min(player, fixed) {
			pairings = append(pairings, Pairing{Player: player, Against: against})
		}
		for distance := 1; player-distance >= fixed; distance *= 2 {
			pairings = append(pairings, Pairing{Player: player, Against: player - distance})
		}
	}
	return pairings
}

// Ladder plays the matches of Schedule, one after the other, and rates the players. cfg is the config of each match,
// whose own seed follows from cfg.Seed and the two names: so a match is the same on every ladder that has it, whoever else
// is there. The names must differ. The first player, fixed if there is one, is the anchor of the ratings.
//
// finished, unless nil, is told the result of each match after it, in the order of Schedule. When ctx is cancelled or a
// match fails, Ladder returns the standings after the matches finished so far, with an error that wraps that of Play.
func Ladder[S game.State[S]](ctx context.Context, cfg MatchConfig, g game.Game[S], fixed, checkpoints []Entrant[S],
	finished func(Result)) (Standings, error) {
	start := time.Now()
	players := slices.Concat(fixed, checkpoints)
	names := make([]string, len(players))
	for i, p := range players {
		if slices.Contains(names[:i], p.Name) {
			return Standings{}, fmt.Errorf("ladder: two players are called %q", p.Name)
		}
		names[i] = p.Name
	}
	if len(players) < 2 {
		return Standings{}, errors.New("ladder: it takes two players or more")
	}
	var played []Pairing
	var failure error
	for _, p := range Schedule(len(fixed), len(checkpoints)) {
		match := cfg
		match.Seed = pairingSeed(cfg.Seed, names[p.Player], names[p.Against])
		result, err := Play(ctx, match, g, players[p.Player], players[p.Against], nil)
		if err != nil {
			failure = fmt.Errorf("ladder: %s vs %s: %w", names[p.Player], names[p.Against], err)
			break
		}
		p.Tally = result.Total()
		played = append(played, p)
		if finished != nil {
			finished(result)
		}
	}
	standings, err := newStandings(names, played)
	standings.Game, standings.Seed, standings.OpeningPlies = g.Name(), cfg.Seed, cfg.OpeningPlies
	standings.Elapsed = time.Since(start)
	return standings, errors.Join(failure, err)
}

// pairingSeed is the seed of the match between two players on a ladder of the given seed.
func pairingSeed(seed uint64, player, against string) uint64 {
	hash := func(name string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(name))
		return h.Sum64()
	}
	return random.New(seed, random.Pairing, hash(player), hash(against)).Uint64()
}
