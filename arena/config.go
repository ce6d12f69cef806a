package arena

import (
	"fmt"
	"runtime"

	"tengen/internal/limits"
)

// MatchConfig says how a match is played.
type MatchConfig struct {
	// Games is their number. They come in pairs of one opening with colours swapped; an odd one has no partner.
	Games int
	// OpeningPlies is the length of the random openings. 0: all games begin in the starting position.
	OpeningPlies int
	// Seed determines the openings and every random choice of the players.
	Seed uint64
	// Workers is the number of goroutines, each with a pair of players of its own. More than there are cores hurt players
	// that go by the clock.
	Workers int
	// Lockstep is the number of games that a worker plays at the same time.
	Lockstep int
	// SPRT ends the match as soon as it is decided; Games, which must be even, is then their largest number. The zero value
	// plays them all.
	SPRT SPRT
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
	if err != nil || c.SPRT == (SPRT{}) {
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
