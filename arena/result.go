package arena

import "time"

// Tally counts finished games in the view of one player.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games is the number of games counted.
func (t Tally) Games() int { return t.Wins + t.Draws + t.Losses }

// Score is the share of the points won, in [0, 1]: 1 for a win, half a point for a draw. It is NaN without games.
func (t Tally) Score() float64 {
	return (float64(t.Wins) + float64(t.Draws)/2) / float64(t.Games())
}

// ScoreInterval is the 95 % Wilson interval of Score, [0, 1] without games. It takes each game for a trial that is won
// with the probability of the score, as if half of the draws were wins and half losses. Draws vary less than that, so the
// interval is on the wide side. It is too narrow where games repeat, as they do when players that leave nothing to chance
// have run out of openings.
func (t Tally) ScoreInterval() (low, high float64) { return wilson(t.Score(), t.Games()) }

// add counts a game of the given outcome: -1, 0 or +1.
func (t *Tally) add(outcome int8) {
	switch {
	case outcome > 0:
		t.Wins++
	case outcome < 0:
		t.Losses++
	default:
		t.Draws++
	}
}

// merge adds the games of another tally.
func (t *Tally) merge(other Tally) {
	t.Wins += other.Wins
	t.Draws += other.Draws
	t.Losses += other.Losses
}

// Result is the state of a match: its games in the view of Player. The paces and times are for reports; the rest depends
// on the players and the MatchConfig alone, not on Workers and Lockstep.
type Result struct {
	Player, Against string // names of the entrants
	Game            string // name of the game
	Seed            uint64
	OpeningPlies    int
	Openings        int // different ones that the games go round: half the games, rounded up, or all that the board has

	AsFirst, AsSecond Tally // games in which Player made the first move, and the second; opening moves count as moves

	SPRT  SPRT  // zero where the match has none
	Pairs Pairs // what the SPRT goes by, in the view of Player; empty where there is none

	PlayerPace, AgainstPace Pace
	Elapsed                 time.Duration // since the match began
}

// Total is the tally of all games.
func (r Result) Total() Tally {
	total := r.AsFirst
	total.merge(r.AsSecond)
	return total
}

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
	tally.add(game.playerOutcome())
}
