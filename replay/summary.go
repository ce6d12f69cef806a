package replay

import (
	"context"
	"maps"
	"slices"
)

// ResultNames names the outcomes -1, 0 and 1 for the first player.
var ResultNames = [3]string{"second", "draw", "first"}

// Winner returns the outcome's name from ResultNames.
func (g *Record) Winner() string { return ResultNames[g.Outcome+1] }

// Summarize summarises the games in [first, end) of a log.
func Summarize(ctx context.Context, log interface {
	Read(ctx context.Context, first, end uint64, yield func(Entry) error) error
}, first, end uint64) (*Summary, error) {
	s := &Summary{
		Oldest: first, Newest: end - min(end, 1),
		Results: map[string]int{}, Workers: map[string]int{}, Models: []*ModelGames{},
	}
	for _, name := range ResultNames {
		s.Results[name] = 0
	}
	byModel := map[uint64]*ModelGames{}
	var lengths []int
	err := log.Read(ctx, first, end, func(e Entry) error {
		if e.Err != nil {
			s.Damaged++
			return nil
		}
		s.count(e.Worker, e.Game)
		lengths = append(lengths, len(e.Game.Moves))
		m := byModel[e.Game.Model]
		if m == nil {
			m = &ModelGames{Model: e.Game.Model, Oldest: e.Number}
			byModel[m.Model] = m
		}
		m.Games++
		m.Newest = e.Number
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.Missing = int(end-first) - s.Games
	for _, model := range slices.Sorted(maps.Keys(byModel)) {
		s.Models = append(s.Models, byModel[model])
	}
	s.Lengths = lengthsOf(lengths)
	return s, nil
}

// Summary describes the contents of a log.
type Summary struct {
	Games       int            `json:"games"`
	Positions   int            `json:"positions"` // to learn from
	Searches    int            `json:"searches"`  // searched plies, including those not learned from
	Simulations uint64         `json:"simulations"`
	Oldest      uint64         `json:"oldest"` // lowest number, 0 if there are no games
	Newest      uint64         `json:"newest"`
	Results     map[string]int `json:"results"` // by name, see ResultNames
	Lengths     Lengths        `json:"lengths"`
	Workers     map[string]int `json:"workers"`
	Damaged     int            `json:"damaged"` // rows
	Missing     int            `json:"missing"` // numbers from Oldest to Newest without an intact game
	Models      []*ModelGames  `json:"models"`  // ascending
}

// Lengths describes the distribution of moves per game.
type Lengths struct {
	Mean     float64 `json:"mean"`
	Shortest int     `json:"shortest"`
	P10      int     `json:"p10"` // a tenth of the games have at most this many moves
	Median   int     `json:"median"`
	P90      int     `json:"p90"`
	Longest  int     `json:"longest"`
}

// ModelGames counts the games that one model played.
type ModelGames struct {
	Model  uint64 `json:"model"` // the iteration that trained it
	Games  int    `json:"games"`
	Oldest uint64 `json:"oldest"` // number of its first game
	Newest uint64 `json:"newest"`
}

func (s *Summary) count(worker string, g *Record) {
	s.Games++
	s.Positions += g.Positions()
	s.Searches += g.Searched()
	for _, n := range g.Simulations {
		s.Simulations += uint64(n)
	}
	s.Results[g.Winner()]++
	s.Workers[worker]++
}

// lengthsOf sorts the lengths. Without any it returns zeros.
func lengthsOf(lengths []int) Lengths {
	n := len(lengths)
	if n == 0 {
		return Lengths{}
	}
	slices.Sort(lengths)
	moves := 0
	for _, length := range lengths {
		moves += length
	}
	// at returns the smallest length that at least p percent of the games, and at least one, do not exceed.
	at := func(p int) int { return lengths[max(0, (p*n+99)/100-1)] }
	mean := float64(moves) / float64(n)
	return Lengths{Mean: mean, Shortest: at(0), P10: at(10), Median: at(50), P90: at(90), Longest: at(100)}
}
