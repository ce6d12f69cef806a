package arena

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// MarshalJSON writes the result for other programs. Numbers that are infinite or undefined, such as the Elo difference
// of a match without a loss, are null.
func (r Result) MarshalJSON() ([]byte, error) {
	total := r.Total()
	low, high := total.ScoreInterval()
	return json.Marshal(struct {
		Player  string `json:"player"`
		Against string `json:"against"`
		Game    string `json:"game"`
		Games   int    `json:"games"`
		Tally
		AsFirst               Tally     `json:"as_first"`
		AsSecond              Tally     `json:"as_second"`
		Score                 *float64  `json:"score"`
		ScoreLow              *float64  `json:"score_low"`
		ScoreHigh             *float64  `json:"score_high"`
		Elo                   *float64  `json:"elo"`
		EloLow                *float64  `json:"elo_low"`
		EloHigh               *float64  `json:"elo_high"`
		MovesPerSecond        *float64  `json:"moves_per_second"`
		AgainstMovesPerSecond *float64  `json:"against_moves_per_second"`
		Seed                  uint64    `json:"seed"`
		OpeningPlies          int       `json:"opening_plies"`
		Openings              int       `json:"openings"`
		SPRT                  *sprtJSON `json:"sprt"`
		Seconds               float64   `json:"seconds"`
	}{
		Player: r.Player, Against: r.Against, Game: r.Game,
		Games: total.Games(), Tally: total, AsFirst: r.AsFirst, AsSecond: r.AsSecond,
		Score: finite(total.Score()), ScoreLow: finite(low), ScoreHigh: finite(high),
		Elo: finite(Elo(total.Score())), EloLow: finite(Elo(low)), EloHigh: finite(Elo(high)),
		MovesPerSecond:        finite(r.PlayerPace.MovesPerSecond()),
		AgainstMovesPerSecond: finite(r.AgainstPace.MovesPerSecond()),
		Seed:                  r.Seed, OpeningPlies: r.OpeningPlies, Openings: r.Openings,
		SPRT:    r.sprtJSON(),
		Seconds: r.Elapsed.Seconds(),
	})
}

// sprtJSON is a test in JSON: its question, the pairs of games by points, and the answer.
type sprtJSON struct {
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	Alpha   float64 `json:"alpha"`
	Beta    float64 `json:"beta"`
	Pairs   Pairs   `json:"pairs"`
	LLR     float64 `json:"llr"`
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Verdict Verdict `json:"verdict"`
}

// sprtJSON is nil for a match without a test.
func (r Result) sprtJSON() *sprtJSON {
	s := r.SPRT
	if s == (SPRT{}) {
		return nil
	}
	lower, upper := s.Bounds()
	return &sprtJSON{s.Elo0, s.Elo1, s.Alpha, s.Beta, r.Pairs, s.LLR(r.Pairs), lower, upper, s.Verdict(r.Pairs)}
}

// finite is nil, JSON's null, for a number that JSON does not know.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
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

// Table is the result in several lines, by colour, with the 95 % intervals in brackets.
func (r Result) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s vs %s, %s\n\n", r.Player, r.Against, r.Game)
	fmt.Fprintf(&b, "%-10s %6s %6s %6s %6s   %-21s  %s\n", "", "games", "wins", "draws", "losses", "score", "Elo")
	for _, row := range []struct {
		label string
		tally Tally
	}{{"all", r.Total()}, {"as first", r.AsFirst}, {"as second", r.AsSecond}} {
		t := row.tally
		fmt.Fprintf(&b, "%-10s %6d %6d %6d %6d", row.label, t.Games(), t.Wins, t.Draws, t.Losses)
		if t.Games() > 0 {
			fmt.Fprintf(&b, "   %-21s  %s", formatScore(t), formatElo(t))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\nopenings   %d of %d plies, seed %d\n", r.Openings, r.OpeningPlies, r.Seed)
	if s := r.SPRT; s != (SPRT{}) {
		lower, upper := s.Bounds()
		fmt.Fprintf(&b, "SPRT       %s after %d pairs: LLR %.2f (%.2f – %.2f), H0: %v Elo, H1: %v Elo\n",
			s.Verdict(r.Pairs), r.Pairs.Total(), s.LLR(r.Pairs), lower, upper, s.Elo0, s.Elo1)
	}
	fmt.Fprintf(&b, "moves/s    %s %.1f, %s %.1f\n",
		r.Player, r.PlayerPace.MovesPerSecond(), r.Against, r.AgainstPace.MovesPerSecond())
	fmt.Fprintf(&b, "time       %.1f s\n", r.Elapsed.Seconds())
	return b.String()
}

func formatScore(t Tally) string {
	low, high := t.ScoreInterval()
	return fmt.Sprintf("%.1f %% (%.1f – %.1f)", 100*t.Score(), 100*low, 100*high)
}

func formatElo(t Tally) string {
	low, high := t.ScoreInterval()
	return fmt.Sprintf("%s (%s – %s)", signed(Elo(t.Score())), signed(Elo(low)), signed(Elo(high)))
}

// signed is x as a whole number with its sign, "+0" for what rounds to 0 and "+Inf" or "-Inf" for the infinite.
func signed(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) }
