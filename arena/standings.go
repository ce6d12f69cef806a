package arena

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Standings is the state of a ladder. All but Elapsed depends on the players and the MatchConfig alone, not on Workers
// and Lockstep.
type Standings struct {
	Game         string
	Seed         uint64
	OpeningPlies int
	Players      []Standing // in the order of Schedule; the first is the anchor, at 0 Elo
	Pairings     []Pairing  // played, by indices into Players
	Draws        float64    // share of draws between equal players, by the model of Rate
	Elapsed      time.Duration
}

// Standing is one player's place on a ladder.
type Standing struct {
	Name   string
	Tally  // of all its games
	Rating // NaN without games
}

// virtualGames is the prior of Rate on a ladder.
const virtualGames = 1

// newStandings rates the players that have played. The pairings must be a beginning of a Schedule, in which they are
// connected and come before all others.
func newStandings(names []string, pairings []Pairing) (Standings, error) {
	nan := math.NaN()
	s := Standings{Players: make([]Standing, len(names)), Pairings: pairings, Draws: nan}
	for i, name := range names {
		s.Players[i] = Standing{Name: name, Rating: Rating{Elo: nan, Low: nan, High: nan}}
	}
	present := 0
	for _, p := range pairings {
		s.Players[p.Player].merge(p.Tally)
		s.Players[p.Against].merge(Tally{Wins: p.Losses, Draws: p.Draws, Losses: p.Wins})
		present = max(present, p.Player+1)
	}
	if present == 0 {
		return s, nil
	}
	ratings, draws, err := Rate(names[:present], pairings, 0, virtualGames)
	if err != nil {
		return s, err
	}
	s.Draws = draws
	for i, r := range ratings {
		s.Players[i].Rating = r
	}
	return s, nil
}

// Table is the standings in several lines, the strongest first, with the 95 % intervals in brackets.
func (s Standings) Table() string {
	players := slices.Clone(s.Players)
	slices.SortStableFunc(players, func(a, b Standing) int { return cmp.Compare(b.Elo, a.Elo) }) // NaN comes last
	width := len("player")
	for _, p := range players {
		width = max(width, len([]rune(p.Name)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", s.Game)
	fmt.Fprintf(&b, "%-*s %6s %6s %6s %6s   %6s   %s\n", width, "player", "games", "wins", "draws", "losses", "score", "Elo")
	for _, p := range players {
		fmt.Fprintf(&b, "%-*s %6d %6d %6d %6d", width, p.Name, p.Games(), p.Wins, p.Draws, p.Losses)
		if p.Games() > 0 {
			fmt.Fprintf(&b, "   %4.1f %%   %s (%s – %s)", 100*p.Score(), signed(p.Elo), signed(p.Low), signed(p.High))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	if len(s.Pairings) > 0 {
		fmt.Fprintf(&b, "anchor     %s\n", s.Players[0].Name)
		fmt.Fprintf(&b, "draws      %.1f %% between equals\n", 100*s.Draws)
	}
	fmt.Fprintf(&b, "matches    %d\n", len(s.Pairings))
	fmt.Fprintf(&b, "openings   of %d plies, seed %d\n", s.OpeningPlies, s.Seed)
	fmt.Fprintf(&b, "time       %.1f s\n", s.Elapsed.Seconds())
	return b.String()
}

// MarshalJSON writes the standings for other programs, the players in the order of Schedule. Numbers that are undefined,
// such as the Elo of a player without games, are null.
func (s Standings) MarshalJSON() ([]byte, error) {
	type player struct {
		Name  string `json:"name"`
		Games int    `json:"games"`
		Tally
		Score   *float64 `json:"score"`
		Elo     *float64 `json:"elo"`
		EloLow  *float64 `json:"elo_low"`
		EloHigh *float64 `json:"elo_high"`
	}
	type pairing struct {
		Player  string `json:"player"`
		Against string `json:"against"`
		Games   int    `json:"games"`
		Tally
	}
	players, pairings := make([]player, len(s.Players)), make([]pairing, len(s.Pairings))
	for i, p := range s.Players {
		players[i] = player{
			Name: p.Name, Games: p.Games(), Tally: p.Tally, Score: finite(p.Score()),
			Elo: finite(p.Elo), EloLow: finite(p.Low), EloHigh: finite(p.High),
		}
	}
	for i, p := range s.Pairings {
		pairings[i] = pairing{s.Players[p.Player].Name, s.Players[p.Against].Name, p.Games(), p.Tally}
	}
	return json.Marshal(struct {
		Game         string    `json:"game"`
		Players      []player  `json:"players"`
		Pairings     []pairing `json:"pairings"`
		Draws        *float64  `json:"draws_between_equals"`
		Seed         uint64    `json:"seed"`
		OpeningPlies int       `json:"opening_plies"`
		Seconds      float64   `json:"seconds"`
	}{s.Game, players, pairings, finite(s.Draws), s.Seed, s.OpeningPlies, s.Elapsed.Seconds()})
}
