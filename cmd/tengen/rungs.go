package main

import (
	"fmt"
	"maps"
	"slices"

	"tengen/arena/rating"
	"tengen/train"
)

// rungs collects the matches of a run, to rate its models by all of them.
type rungs struct {
	names    []string // the anchor first
	pairings []rating.Pairing
}

func newRungs(anchor string) *rungs { return &rungs{names: []string{anchor}} }

// add takes in the matches of a player against others, by their names.
func (r *rungs) add(player string, matches map[string]train.Score) {
	i := r.index(player)
	for _, name := range slices.Sorted(maps.Keys(matches)) {
		m := matches[name]
		tally := rating.Tally{Wins: m.Wins, Draws: m.Draws, Losses: m.Losses}
		r.pairings = append(r.pairings, rating.Pairing{Player: i, Against: r.index(name), Tally: tally})
	}
}

// index is the place of a name, which is new perhaps.
func (r *rungs) index(name string) int {
	if i := slices.Index(r.names, name); i >= 0 {
		return i
	}
	r.names = append(r.names, name)
	return len(r.names) - 1
}

// rating is that of a player, above the anchor.
func (r *rungs) rating(player string) (*train.Rating, error) {
	const virtualGames = 1
	ratings, _, err := rating.Rate(r.names, r.pairings, 0, virtualGames)
	if err != nil {
		return nil, fmt.Errorf("cannot rate %s: %w", player, err)
	}
	own := train.Rating(ratings[r.index(player)])
	return &own, nil
}
