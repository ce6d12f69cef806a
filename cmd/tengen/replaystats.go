package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/replay"
)

func newReplayStats() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "stats DIR",
		Short:   "Count the games: by model, result, length and worker",
		Example: "  tengen replay stats checkpoints/connect4",
		Args:    exactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, log, err := openRun(cmd.Context(), args[0], warner(cmd))
			if err != nil {
				return err
			}
			defer log.Close()
			stats := newLogStats()
			if err := log.Read(cmd.Context(), 0, stats.add); err != nil {
				return err
			}
			stats.finish()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(stats)
			}
			return stats.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// logStats counts what a log holds.
type logStats struct {
	Games        int            `json:"games"`
	Positions    int            `json:"positions"` // to learn from
	Searches     int            `json:"searches"`  // searched plies, also those not learned from
	Simulations  uint64         `json:"simulations"`
	Oldest       uint64         `json:"oldest"` // sequence number, 0 if there is none
	Newest       uint64         `json:"newest"`
	Results      map[string]int `json:"results"` // by resultNames
	Lengths      lengthStats    `json:"lengths"`
	Resignations resignations   `json:"resignations"`
	Workers      map[string]int `json:"workers"`
	Duplicates   int            `json:"duplicates"`
	Damaged      int            `json:"damaged"`
	Missing      int            `json:"missing"`
	Models       []*modelStats  `json:"models"` // ascending

	byModel  map[uint64]*modelStats
	byLength map[int]int
}

// lengthStats is about the games' numbers of moves.
type lengthStats struct {
	Mean     float64 `json:"mean"`
	Shortest int     `json:"shortest"`
	P10      int     `json:"p10"` // a tenth of the games has at most so many moves
	Median   int     `json:"median"`
	P90      int     `json:"p90"`
	Longest  int     `json:"longest"`
}

type resignations struct {
	Resigned int `json:"resigned"`
	PlayedOn int `json:"played_on"` // games in which nobody could resign
	Tested   int `json:"tested"`    // of those, where a side would have resigned
	False    int `json:"false"`     // of those, where it did not lose
}

// modelStats is about the games that one model has played.
type modelStats struct {
	Model  uint64 `json:"model"` // the iteration that made it
	Games  int    `json:"games"`
	Oldest uint64 `json:"oldest"` // sequence number
	Newest uint64 `json:"newest"`
}

func newLogStats() *logStats {
	s := &logStats{
		Results: map[string]int{}, Workers: map[string]int{}, Models: []*modelStats{},
		byModel: map[uint64]*modelStats{}, byLength: map[int]int{},
	}
	for _, name := range resultNames {
		s.Results[name] = 0
	}
	return s
}

// add takes in the next entry of the log.
func (s *logStats) add(e replay.Entry) error {
	if s.Oldest == 0 {
		s.Oldest = e.Sequence
	}
	s.Newest = e.Sequence
	switch {
	case errors.Is(e.Err, replay.ErrDuplicate):
		s.Duplicates++
	case errors.Is(e.Err, replay.ErrMissing):
		s.Missing++
	case e.Err != nil:
		s.Damaged++
	default:
		s.addGame(e)
	}
	return nil
}

func (s *logStats) addGame(e replay.Entry) {
	g := e.Game
	s.Games++
	s.Positions += g.Positions()
	s.Searches += g.Searched()
	for _, n := range g.Simulations {
		s.Simulations += uint64(n)
	}
	s.Results[resultName(g)]++
	s.Workers[e.Worker]++
	s.byLength[len(g.Moves)]++
	m := s.byModel[g.Model]
	if m == nil {
		m = &modelStats{Model: g.Model, Oldest: e.Sequence}
		s.byModel[g.Model] = m
	}
	m.Games++
	m.Newest = e.Sequence
	if g.Resigned {
		s.Resignations.Resigned++
	}
	if g.PlayedOn {
		s.Resignations.PlayedOn++
	}
	tested, wrong := g.FalseResignation()
	if tested {
		s.Resignations.Tested++
	}
	if wrong {
		s.Resignations.False++
	}
}

// finish works out what can only be told when all games are counted.
func (s *logStats) finish() {
	for _, model := range slices.Sorted(maps.Keys(s.byModel)) {
		s.Models = append(s.Models, s.byModel[model])
	}
	if s.Games == 0 {
		return
	}
	moves := 0
	for length, games := range s.byLength {
		moves += length * games
	}
	s.Lengths = lengthStats{
		Mean:     float64(moves) / float64(s.Games),
		Shortest: s.percentile(0), P10: s.percentile(10), Median: s.percentile(50), P90: s.percentile(90), Longest: s.percentile(100),
	}
}

// percentile is the smallest number of moves that at least p percent of the games, and at least one, do not exceed.
func (s *logStats) percentile(p int) int {
	games := 0
	for _, length := range slices.Sorted(maps.Keys(s.byLength)) {
		games += s.byLength[length]
		if 100*games >= p*s.Games {
			return length
		}
	}
	panic("tengen: a percentile of no games")
}

func (s *logStats) print(w io.Writer) error {
	share := func(n int) string { return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(max(1, s.Games))) }
	var b strings.Builder
	fmt.Fprintf(&b, "%s with %s, sequence numbers %d to %d\n", count(s.Games, "game"), count(s.Positions, "position"), s.Oldest, s.Newest)
	fmt.Fprintf(&b, "searches: %d, mean of %.1f simulations\n", s.Searches, float64(s.Simulations)/float64(max(1, s.Searches)))
	fmt.Fprintf(&b, "results: first %s, draw %s, second %s\n", share(s.Results["first"]), share(s.Results["draw"]), share(s.Results["second"]))
	l := s.Lengths
	fmt.Fprintf(&b, "moves: %d to %d, mean %.1f, median %d; a tenth has at most %d, nine tenths %d\n",
		l.Shortest, l.Longest, l.Mean, l.Median, l.P10, l.P90)
	r := s.Resignations
	fmt.Fprintf(&b, "resigned: %s; played on: %d, of which %d would have been resigned, %d of them wrongly\n",
		share(r.Resigned), r.PlayedOn, r.Tested, r.False)
	for _, worker := range slices.Sorted(maps.Keys(s.Workers)) {
		fmt.Fprintf(&b, "worker %s: %s\n", worker, count(s.Workers[worker], "game"))
	}
	fmt.Fprintf(&b, "duplicates: %d, damaged: %d, missing: %d\n", s.Duplicates, s.Damaged, s.Missing)
	fmt.Fprintf(&b, "%8s %8s %10s %10s\n", "model", "games", "oldest", "newest")
	for _, m := range s.Models {
		fmt.Fprintf(&b, "%8d %8d %10d %10d\n", m.Model, m.Games, m.Oldest, m.Newest)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
