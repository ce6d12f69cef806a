package rating

import (
	"fmt"
	"maps"
	"slices"
)

// Matches holds the results of matches by the players' names.
type Matches struct {
	names    []string // the anchor first
	pairings []Pairing
}

// NewMatches returns no matches yet. The anchor is at 0 Elo.
func NewMatches(anchor string) *Matches { return &Matches{names: []string{anchor}} }

// Add adds a player's results by opponent. It ignores results against itself.
func (m *Matches) Add(player string, results map[string]Tally) {
	i := m.index(player)
	for _, name := range slices.Sorted(maps.Keys(results)) {
		if name != player {
			m.pairings = append(m.pairings, Pairing{Player: i, Against: m.index(name), Tally: results[name]})
		}
	}
}

func (m *Matches) index(name string) int {
	if i := slices.Index(m.names, name); i >= 0 {
		return i
	}
	m.names = append(m.names, name)
	return len(m.names) - 1
}

// Rate rates a player whom matches link to the anchor. It ignores players who are not linked.
func (m *Matches) Rate(player string) (*Rating, error) {
	linked := make([]bool, len(m.names)) // to the anchor
	linked[0] = true
	for range m.names { // the longest chain
		for _, p := range m.pairings {
			if linked[p.Player] || linked[p.Against] {
				linked[p.Player], linked[p.Against] = true, true
			}
		}
	}
	rated := NewMatches(m.names[0])
	for _, p := range m.pairings {
		if linked[p.Player] {
			p.Player, p.Against = rated.index(m.names[p.Player]), rated.index(m.names[p.Against])
			rated.pairings = append(rated.pairings, p)
		}
	}
	ratings, _, err := Rate(len(rated.names), rated.pairings)
	if err != nil {
		return nil, fmt.Errorf("cannot rate %s: %w", player, err)
	}
	return &ratings[rated.index(player)], nil
}
