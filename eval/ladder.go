package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tengen/eval/rating"
	"tengen/internal/random"
)

// Schedule returns the pairings of a ladder. Players are indices: first the fixed ones, then a run's checkpoints,
// oldest first. A fixed player meets all fixed players before it. A checkpoint meets all fixed players and the
// checkpoints 1, 2, 4, 8, … before it: neighbours are the most informative, and distant ones keep small errors from
// adding up. So n checkpoints play less than n log2 n + n matches among themselves.
//
// Pairings are in the order of Player, and Against is an earlier player. So every prefix is connected, and a new
// checkpoint adds pairings at the end.
func Schedule(fixed, checkpoints int) []rating.Pairing {
	var pairings []rating.Pairing
	for player := range fixed + checkpoints {
		for against := range min(player, fixed) {
			pairings = append(pairings, rating.Pairing{Player: player, Against: against})
		}
		for distance := 1; player-distance >= fixed; distance *= 2 {
			pairings = append(pairings, rating.Pairing{Player: player, Against: player - distance})
		}
	}
	return pairings
}

// Ladder plays the matches of Schedule in order and rates the players, whose names must differ. The first player is the
// anchor.
//
// match plays a match between two players, given by their indices into fixed followed by checkpoints. cfg.Seed and the
// two names determine its seed, so a match is the same on every ladder. If finished is not nil, Ladder calls it after
// each match. If a match fails, Ladder returns the standings so far with the error.
func Ladder(cfg MatchConfig, game string, fixed, checkpoints []string,
	match func(cfg MatchConfig, player, against int) (Result, error), finished func(Result)) (Standings, error) {
	start := time.Now()
	names := slices.Concat(fixed, checkpoints)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return Standings{}, fmt.Errorf("ladder: two players are called %q", name)
		}
	}
	if len(names) < 2 {
		return Standings{}, errors.New("ladder: name two or more players")
	}
	var played []rating.Pairing
	var failure error
	for _, p := range Schedule(len(fixed), len(checkpoints)) {
		seeded := cfg
		seeded.Seed = pairingSeed(cfg.Seed, names[p.Player], names[p.Against])
		result, err := match(seeded, p.Player, p.Against)
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
	standings.Game, standings.Seed, standings.OpeningPlies = game, cfg.Seed, cfg.OpeningPlies
	standings.Elapsed = time.Since(start)
	return standings, errors.Join(failure, err)
}

func pairingSeed(seed uint64, player, against string) uint64 {
	hash := func(name string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(name))
		return h.Sum64()
	}
	return random.New(seed, random.Pairing, hash(player), hash(against)).Uint64()
}

// Standings is the state of a ladder. Apart from Elapsed it depends only on the players and on MatchConfig without
// Workers.
type Standings struct {
	Game         string
	Seed         uint64
	OpeningPlies int
	Players      []Standing       // in the order of Schedule; the first is at 0 Elo
	Pairings     []rating.Pairing // with results, by indices into Players
	Draws        float64          // share between equal players, from rating.Rate
	Elapsed      time.Duration

	Short map[string]string // shorter names for Text, by name
}

// Standing is one player's place on a ladder.
type Standing struct {
	Name   string
	Tally  rating.Tally  // of all games
	Rating rating.Rating // NaN without games
}

// newStandings rates the players with games. pairings must be a prefix of a Schedule, so these players are connected
// and come first.
func newStandings(names []string, pairings []rating.Pairing) (Standings, error) {
	nan := math.NaN()
	s := Standings{Players: make([]Standing, len(names)), Pairings: pairings, Draws: nan}
	for i, name := range names {
		s.Players[i] = Standing{Name: name, Rating: rating.Rating{Elo: nan, Low: nan, High: nan}}
	}
	present := 0
	for _, p := range pairings {
		player, against := &s.Players[p.Player], &s.Players[p.Against]
		player.Tally = player.Tally.Plus(p.Tally)
		against.Tally = against.Tally.Plus(p.Tally.Reversed())
		present = max(present, p.Player+1)
	}
	if present == 0 {
		return s, nil
	}
	ratings, draws, err := rating.Rate(present, pairings)
	if err != nil {
		return s, err
	}
	s.Draws = draws
	for i, r := range ratings {
		s.Players[i].Rating = r
	}
	return s, nil
}

// inTable returns the name or short name that fits Text's table, "" if neither does.
func (s Standings) inTable(name string) string {
	const width = 23 // left by 80 columns
	for _, fits := range []string{name, s.Short[name]} {
		if utf8.RuneCountInString(fits) <= width {
			return fits
		}
	}
	return ""
}

// Text returns the standings as a table, strongest first, with 95 % intervals. A name too long for 80 columns gives way
// to its short name, or stands on a line above its row.
func (s Standings) Text() string {
	players := slices.Clone(s.Players)
	slices.SortStableFunc(players, func(a, b Standing) int { return cmp.Compare(b.Rating.Elo, a.Rating.Elo) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", s.Game)
	fmt.Fprintf(&b, "%5s %5s %5s %6s %6s  %5s  %-15s  %s\n", "games", "wins", "draws", "losses", "score", "Elo", "95 %", "player")
	legend := "" // for one short name, which explains the others
	for _, p := range players {
		t, r, name := p.Tally, p.Rating, s.inTable(p.Name)
		if name == "" {
			fmt.Fprintln(&b, p.Name)
		} else if name != p.Name && legend == "" {
			legend = fmt.Sprintf("names      %s is short for\n           %s\n", name, p.Name)
		}
		score, elo, interval := "", "", ""
		if t.Games() > 0 {
			score, elo = fmt.Sprintf("%.1f %%", 100*t.Score()), signed(r.Elo)
			interval = fmt.Sprintf("%s – %s", signed(r.Low), signed(r.High))
		}
		row := fmt.Sprintf("%5d %5d %5d %6d %6s  %5s  %-15s  %s", t.Games(), t.Wins, t.Draws, t.Losses, score, elo, interval, name)
		fmt.Fprintln(&b, strings.TrimRight(row, " "))
	}
	b.WriteString("\n" + legend)
	if len(s.Pairings) > 0 {
		fmt.Fprintf(&b, "anchor     %s\n", s.Players[0].Name)
		fmt.Fprintf(&b, "draws      %.1f %% expected between equal players\n", 100*s.Draws)
	}
	fmt.Fprintf(&b, "matches    %d\n", len(s.Pairings))
	fmt.Fprintf(&b, "openings   %d plies each, seed %d\n", s.OpeningPlies, s.Seed)
	fmt.Fprintf(&b, "time       %.1f s\n", s.Elapsed.Seconds())
	return b.String()
}

// MarshalJSON writes the players in the order of Schedule, with null for undefined numbers.
func (s Standings) MarshalJSON() ([]byte, error) {
	type player struct {
		Name    string   `json:"name"`
		Games   int      `json:"games"`
		Wins    int      `json:"wins"`
		Draws   int      `json:"draws"`
		Losses  int      `json:"losses"`
		Score   *float64 `json:"score"`
		Elo     *float64 `json:"elo"`
		EloLow  *float64 `json:"elo_low"`
		EloHigh *float64 `json:"elo_high"`
	}
	type pairing struct {
		Player  string `json:"player"`
		Against string `json:"against"`
		Games   int    `json:"games"`
		Wins    int    `json:"wins"`
		Draws   int    `json:"draws"`
		Losses  int    `json:"losses"`
	}
	players, pairings := make([]player, len(s.Players)), make([]pairing, len(s.Pairings))
	for i, p := range s.Players {
		t, r := p.Tally, p.Rating
		players[i] = player{
			p.Name, t.Games(), t.Wins, t.Draws, t.Losses, rating.Finite(t.Score()),
			rating.Finite(r.Elo), rating.Finite(r.Low), rating.Finite(r.High),
		}
	}
	for i, p := range s.Pairings {
		t := p.Tally
		pairings[i] = pairing{s.Players[p.Player].Name, s.Players[p.Against].Name, t.Games(), t.Wins, t.Draws, t.Losses}
	}
	return json.Marshal(struct {
		Game         string    `json:"game"`
		Players      []player  `json:"players"`
		Pairings     []pairing `json:"pairings"`
		Draws        *float64  `json:"draws_between_equals"`
		Seed         uint64    `json:"seed"`
		OpeningPlies int       `json:"opening_plies"`
		Seconds      float64   `json:"seconds"`
	}{s.Game, players, pairings, rating.Finite(s.Draws), s.Seed, s.OpeningPlies, s.Elapsed.Seconds()})
}
