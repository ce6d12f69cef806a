package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"tengen/eval/rating"
	"tengen/players/external"
)

// Result is the state of a match from Player's point of view. Apart from paces and times it depends only on the players
// and on MatchConfig without Workers.
type Result struct {
	Player, Against string
	Game            string
	Seed            uint64
	OpeningPlies    int    // 0 if openings are fixed
	FixedOpenings   string // "" for random ones
	Openings        int    // half the games, rounded up, or fewer if fewer exist

	AsFirst, AsSecond rating.Tally // Player as first or second side from the start of the opening

	// External engines by side, nil for other players.
	PlayerProgram, AgainstProgram *Program

	SPRT  rating.SPRT  // zero without a test
	Pairs rating.Pairs // from Player's point of view; empty without an SPRT

	PlayerPace, AgainstPace Pace
	Elapsed                 time.Duration // since the match began
}

// Total returns the tally of all games.
func (r Result) Total() rating.Tally { return r.AsFirst.Plus(r.AsSecond) }

// Pace is the speed of one player.
type Pace struct {
	Moves int           // chosen, including games that do not count
	Time  time.Duration // spent choosing, summed over workers
}

// MovesPerSecond returns moves per second of one worker, NaN without moves.
func (p Pace) MovesPerSecond() float64 { return float64(p.Moves) / p.Time.Seconds() }

// Program describes an external engine, by the names that it gives itself.
type Program struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Command []string          `json:"command"`
	Options map[string]string `json:"options"`
	Faults  int               `json:"faults"` // games lost by a fault, which count as losses, too
}

func newProgram(c *external.Command) *Program {
	if c == nil {
		return nil
	}
	p := &Program{Command: c.Words, Options: map[string]string{}}
	for _, o := range c.Options {
		p.Options[o.Name] = o.Value
	}
	if c.Time > 0 {
		p.Options["time"] = c.Time.String()
	}
	return p
}

// identify adds what the program has said of itself.
func (p *Program) identify(c *external.Command) {
	if p != nil {
		p.Name, p.Version = c.Identity()
	}
}

func (r *Result) add(game MatchGame) {
	program := r.AgainstProgram
	if game.playerOutcome() < 0 {
		program = r.PlayerProgram
	}
	if game.Fault && program != nil {
		program.Faults++
	}
	tally := &r.AsFirst
	if !game.PlayerFirst {
		tally = &r.AsSecond
	}
	tally.Add(game.playerOutcome())
}

// MarshalJSON writes infinite or undefined numbers, such as an Elo difference without a loss, as null.
func (r Result) MarshalJSON() ([]byte, error) {
	total := r.Total()
	score := total.ScoreInterval()
	var reproducible *bool
	if r.PlayerProgram != nil || r.AgainstProgram != nil {
		reproducible = new(false)
	}
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
		PlayerProgram         *Program     `json:"player_program,omitempty"`
		AgainstProgram        *Program     `json:"against_program,omitempty"`
		Reproducible          *bool        `json:"reproducible,omitempty"` // false: a program plays
	}{
		Player: r.Player, Against: r.Against, Game: r.Game,
		Games: total.Games(), Wins: total.Wins, Draws: total.Draws, Losses: total.Losses,
		AsFirst: r.AsFirst, AsSecond: r.AsSecond,
		Score: rating.Finite(score.Share), ScoreLow: rating.Finite(score.Low), ScoreHigh: rating.Finite(score.High),
		Elo:                   rating.Finite(rating.Elo(score.Share)),
		EloLow:                rating.Finite(rating.Elo(score.Low)),
		EloHigh:               rating.Finite(rating.Elo(score.High)),
		MovesPerSecond:        rating.Finite(r.PlayerPace.MovesPerSecond()),
		AgainstMovesPerSecond: rating.Finite(r.AgainstPace.MovesPerSecond()),
		Seed:                  r.Seed, OpeningPlies: r.OpeningPlies, FixedOpenings: r.FixedOpenings, Openings: r.Openings,
		SPRT:    r.sprtJSON(),
		Seconds: r.Elapsed.Seconds(),

		PlayerProgram: r.PlayerProgram, AgainstProgram: r.AgainstProgram, Reproducible: reproducible,
	})
}

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

func (r Result) sprtJSON() *sprtJSON {
	s := r.SPRT
	if s == (rating.SPRT{}) {
		return nil
	}
	lower, upper := s.Bounds()
	return &sprtJSON{s.Elo0, s.Elo1, rating.Risk, rating.Risk, r.Pairs, s.LLR(r.Pairs), lower, upper, s.Verdict(r.Pairs)}
}

// String returns the result in one line:
//
//	net:m:400 vs uct:1000: 142 wins, 8 draws, 50 losses of 200; score 73.0 % (66.5 – 78.7); Elo +173 (+119 – +227)
func (r Result) String() string {
	t := r.Total()
	if t.Games() == 0 {
		return fmt.Sprintf("%s vs %s: no game finished", r.Player, r.Against)
	}
	return fmt.Sprintf("%s vs %s: %v of %d; score %s; Elo %s",
		r.Player, r.Against, t, t.Games(), t.ScoreInterval(), formatElo(t))
}

// Text returns the result as a table by colour, with 95 % intervals.
func (r Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s vs %s, %s\n\n", r.Player, r.Against, r.Game)
	fmt.Fprintf(&b, "%-9s %5s %5s %5s %6s   %-21s  %s\n", "", "games", "wins", "draws", "losses", "score", "Elo")
	for _, row := range []struct {
		label string
		tally rating.Tally
	}{{"all", r.Total()}, {"as first", r.AsFirst}, {"as second", r.AsSecond}} {
		t := row.tally
		fmt.Fprintf(&b, "%-9s %5d %5d %5d %6d", row.label, t.Games(), t.Wins, t.Draws, t.Losses)
		if t.Games() > 0 {
			fmt.Fprintf(&b, "   %-21s  %s", t.ScoreInterval(), formatElo(t))
		}
		b.WriteByte('\n')
	}
	for _, side := range []struct {
		name string
		*Program
	}{{r.Player, r.PlayerProgram}, {r.Against, r.AgainstProgram}} {
		if p := side.Program; p != nil {
			fmt.Fprintf(&b, "\n%s is %s and lost %d games by faults\n", side.name, cmp.Or(strings.TrimSpace(p.Name+" "+p.Version), "a program without a name"), p.Faults)
		}
	}
	kind := r.FixedOpenings
	if kind == "" {
		kind = fmt.Sprintf("%d plies each", r.OpeningPlies)
	}
	repeated := ""
	if r.Total().Games() > 2*r.Openings {
		repeated = "; openings repeat: if games do, the intervals are too narrow"
	}
	fmt.Fprintf(&b, "\nopenings   %d (%s), seed %d%s\n", r.Openings, kind, r.Seed, repeated)
	if s := r.SPRT; s != (rating.SPRT{}) {
		lower, upper := s.Bounds()
		all := ""
		if r.Pairs.Total() == r.Openings {
			all = ", all openings"
		}
		fmt.Fprintf(&b, "SPRT       %s after %d pairs%s: LLR %.2f (%.2f – %.2f), H0: %v Elo, H1: %v Elo\n",
			s.Verdict(r.Pairs), r.Pairs.Total(), all, s.LLR(r.Pairs), lower, upper, s.Elo0, s.Elo1)
	}
	if r.PlayerPace.Moves > 0 && r.AgainstPace.Moves > 0 {
		fmt.Fprintf(&b, "moves/s    %s %.1f, %s %.1f\n",
			r.Player, r.PlayerPace.MovesPerSecond(), r.Against, r.AgainstPace.MovesPerSecond())
	}
	fmt.Fprintf(&b, "time       %.1f s\n", r.Elapsed.Seconds())
	return b.String()
}

// formatElo returns the difference with its interval, or its bound without a single point lost or won.
func formatElo(t rating.Tally) string {
	score := t.ScoreInterval()
	elo, low, high := signed(rating.Elo(score.Share)), signed(rating.Elo(score.Low)), signed(rating.Elo(score.High))
	switch score.Share {
	case 0:
		return "below " + high
	case 1:
		return "above " + low
	}
	return fmt.Sprintf("%s (%s – %s)", elo, low, high)
}

// signed formats x rounded, with its sign, but never "-0".
func signed(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) }
