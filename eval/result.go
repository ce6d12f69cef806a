package eval

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"tengen/eval/rating"
)

// Result is the state of a match: its games in the view of Player. The paces and times are for reports; the rest depends
// on the players and the MatchConfig alone, not on Workers and Lockstep.
type Result struct {
	Player, Against string // names of the entrants
	Game            string // name of the game
	Seed            uint64
	OpeningPlies    int    // 0 where they are fixed
	FixedOpenings   string // the name of fixed openings, "" where they are random
	Openings        int    // different ones that the games go round: half the games, rounded up, or all that there are

	AsFirst, AsSecond rating.Tally // games in which Player made the first move, and the second; opening moves count as moves

	SPRT  rating.SPRT  // zero where the match has none
	Pairs rating.Pairs // what the SPRT goes by, in the view of Player; empty where there is none

	PlayerPace, AgainstPace Pace
	Elapsed                 time.Duration // since the match began
}

// Total is the tally of all games.
func (r Result) Total() rating.Tally { return r.AsFirst.Plus(r.AsSecond) }

// Pace is how fast one side plays.
type Pace struct {
	Moves int           // chosen, those of games that do not count included
	Time  time.Duration // spent choosing them, summed over the workers
}

// MovesPerSecond is the pace of one worker, NaN without moves.
func (p Pace) MovesPerSecond() float64 { return float64(p.Moves) / p.Time.Seconds() }

// add counts a game into the tally of its colour.
func (r *Result) add(game MatchGame) {
	tally := &r.AsFirst
	if !game.PlayerFirst {
		tally = &r.AsSecond
	}
	tally.Add(game.playerOutcome())
}

// MarshalJSON writes the result for other programs. Numbers that are infinite or undefined, such as the Elo difference
// of a match without a loss, are null.
func (r Result) MarshalJSON() ([]byte, error) {
	total := r.Total()
	low, high := total.ScoreInterval()
	return json.Marshal(struct {
		Player                string       `json:"player"`
		Against               string       `json:"against"`
		Game                  string       `json:"game"`
		Games                 int          `json:"games"`
		Wins                  int          `json:"wins"`
		Draws                 int          `json:"draws"`
		Losses                int          `json:"losses"`
		AsFirst               rating.Tally `json:"as_first"`
		AsSecond              rating.Tally `json:"as_second"`
		Score                 *float64     `json:"score"`
		ScoreLow              *float64     `json:"score_low"`
		ScoreHigh             *float64     `json:"score_high"`
		Elo                   *float64     `json:"elo"`
		EloLow                *float64     `json:"elo_low"`
		EloHigh               *float64     `json:"elo_high"`
		MovesPerSecond        *float64     `json:"moves_per_second"`
		AgainstMovesPerSecond *float64     `json:"against_moves_per_second"`
		Seed                  uint64       `json:"seed"`
		OpeningPlies          int          `json:"opening_plies"`
		FixedOpenings         string       `json:"fixed_openings,omitempty"`
		Openings              int          `json:"openings"`
		SPRT                  *sprtJSON    `json:"sprt"`
		Seconds               float64      `json:"seconds"`
	}{
		Player: r.Player, Against: r.Against, Game: r.Game,
		Games: total.Games(), Wins: total.Wins, Draws: total.Draws, Losses: total.Losses,
		AsFirst: r.AsFirst, AsSecond: r.AsSecond,
		Score: rating.Finite(total.Score()), ScoreLow: rating.Finite(low), ScoreHigh: rating.Finite(high),
		Elo: rating.Finite(rating.Elo(total.Score())), EloLow: rating.Finite(rating.Elo(low)), EloHigh: rating.Finite(rating.Elo(high)),
		MovesPerSecond:        rating.Finite(r.PlayerPace.MovesPerSecond()),
		AgainstMovesPerSecond: rating.Finite(r.AgainstPace.MovesPerSecond()),
		Seed:                  r.Seed, OpeningPlies: r.OpeningPlies, FixedOpenings: r.FixedOpenings, Openings: r.Openings,
		SPRT:    r.sprtJSON(),
		Seconds: r.Elapsed.Seconds(),
	})
}

// sprtJSON is a test in JSON: its question, the pairs of games by points, and the answer.
type sprtJSON struct {
	Elo0    float64        `json:"elo0"`
	Elo1    float64        `json:"elo1"`
	Alpha   float64        `json:"alpha"`
	Beta    float64        `json:"beta"`
	Pairs   rating.Pairs   `json:"pairs"`
	LLR     float64        `json:"llr"`
	Lower   float64        `json:"lower"`
	Upper   float64        `json:"upper"`
	Verdict rating.Verdict `json:"verdict"`
}

// sprtJSON is nil for a match without a test.
func (r Result) sprtJSON() *sprtJSON {
	s := r.SPRT
	if s == (rating.SPRT{}) {
		return nil
	}
	lower, upper := s.Bounds()
	return &sprtJSON{s.Elo0, s.Elo1, s.Alpha, s.Beta, r.Pairs, s.LLR(r.Pairs), lower, upper, s.Verdict(r.Pairs)}
}

// String is the result in one line:
//
//	net:m:400 vs uct:1000: 142 wins, 8 draws, 50 losses of 200; score 73.0 % (66.5 – 78.7); Elo +173 (+119 – +227)
func (r Result) String() string {
	t := r.Total()
	if t.Games() == 0 {
		return fmt.Sprintf("%s vs %s: no game finished", r.Player, r.Against)
	}
	return fmt.Sprintf("%s vs %s: %d wins, %d draws, %d losses of %d; score %s; Elo %s",
		r.Player, r.Against, t.Wins, t.Draws, t.Losses, t.Games(), formatScore(t), formatElo(t))
}

// Text is the result in several lines, by colour, with the 95 % intervals in brackets.
func (r Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s vs %s, %s\n\n", r.Player, r.Against, r.Game)
	fmt.Fprintf(&b, "%-10s %6s %6s %6s %6s   %-21s  %s\n", "", "games", "wins", "draws", "losses", "score", "Elo")
	for _, row := range []struct {
		label string
		tally rating.Tally
	}{{"all", r.Total()}, {"as first", r.AsFirst}, {"as second", r.AsSecond}} {
		t := row.tally
		fmt.Fprintf(&b, "%-10s %6d %6d %6d %6d", row.label, t.Games(), t.Wins, t.Draws, t.Losses)
		if t.Games() > 0 {
			fmt.Fprintf(&b, "   %-21s  %s", formatScore(t), formatElo(t))
		}
		b.WriteByte('\n')
	}
	kind := r.FixedOpenings
	if kind == "" {
		kind = fmt.Sprintf("%d plies", r.OpeningPlies)
	}
	fmt.Fprintf(&b, "\nopenings   %d of %s, seed %d\n", r.Openings, kind, r.Seed)
	if s := r.SPRT; s != (rating.SPRT{}) {
		lower, upper := s.Bounds()
		fmt.Fprintf(&b, "SPRT       %s after %d pairs: LLR %.2f (%.2f – %.2f), H0: %v Elo, H1: %v Elo\n",
			s.Verdict(r.Pairs), r.Pairs.Total(), s.LLR(r.Pairs), lower, upper, s.Elo0, s.Elo1)
	}
	fmt.Fprintf(&b, "moves/s    %s %.1f, %s %.1f\n",
		r.Player, r.PlayerPace.MovesPerSecond(), r.Against, r.AgainstPace.MovesPerSecond())
	fmt.Fprintf(&b, "time       %.1f s\n", r.Elapsed.Seconds())
	return b.String()
}

func formatScore(t rating.Tally) string {
	low, high := t.ScoreInterval()
	return fmt.Sprintf("%.1f %% (%.1f – %.1f)", 100*t.Score(), 100*low, 100*high)
}

func formatElo(t rating.Tally) string {
	low, high := t.ScoreInterval()
	return fmt.Sprintf("%s (%s – %s)", signed(rating.Elo(t.Score())), signed(rating.Elo(low)), signed(rating.Elo(high)))
}

// signed is x as a whole number with its sign, "+0" for what rounds to 0 and "+Inf" or "-Inf" for the infinite.
func signed(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) }
