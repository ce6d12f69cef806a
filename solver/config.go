package solver

import (
	"errors"
	"fmt"
)

// Config says what a search remembers.
type Config struct {
	// Transpositions keeps results in a table, so that a position reached by several orders of moves is searched once.
	Transpositions bool
	// Symmetries takes positions that are images of each other for one, by the symmetries that leave the root of the search
	// as it is. It needs Transpositions, and plays each move once for every such symmetry.
	Symmetries bool
	// TableEntries is the size of the table in positions of 32 bytes. A full table forgets: the search gets slower, its
	// results stay the same.
	TableEntries int
}

// Default remembers a million positions in 32 MiB.
func Default() Config {
	return Config{Transpositions: true, Symmetries: true, TableEntries: 1 << 20}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	if c.Symmetries && !c.Transpositions {
		return errors.New("symmetries without transpositions: there is no table to look images up in; set both")
	}
	if c.Transpositions && (c.TableEntries < 1 || c.TableEntries > 1<<32) {
		return fmt.Errorf("table_entries is %d, allowed are 1 to %d", c.TableEntries, 1<<32)
	}
	return nil
}
