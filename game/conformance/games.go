package conformance

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tengen/game"
	"tengen/internal/random"
)

// everywhere returns a check of holds in every position of visit.
func everywhere[S game.State[S]](
	holds func(g game.Game[S], moves []game.Action, s S) error,
) func(g game.Game[S]) error {
	return func(g game.Game[S]) error {
		return visit(g, func(moves []game.Action, s S) error { return holds(g, moves, s) })
	}
}

// visit plays random games and calls f for every position, with the moves to it. f must neither keep nor modify moves.
// Errors end with the position, whose moves may be many.
func visit[S game.State[S]](g game.Game[S], f func(moves []game.Action, s S) error) error {
	for n := range 8 + 400/g.MaxPlies() {
		if err := randomGame(g, n, f); err != nil {
			return err
		}
	}
	return nil
}

// randomGame is visit for one game.
func randomGame[S game.State[S]](g game.Game[S], n int, f func(moves []game.Action, s S) error) error {
	rng := random.New(1, random.Suite, uint64(n))
	s := g.Start()
	var moves, legal []game.Action
	step := func() (over bool, err error) {
		err = guard(func() error { return f(moves, s) })
		if _, over := s.Outcome(); over || err != nil {
			return true, err
		}
		legal = s.Legal(legal[:0])
		if len(legal) == 0 || len(moves) == g.MaxPlies() {
			return true, fmt.Errorf("the game continues with %d legal moves, after %d plies of at most %d", len(legal), len(moves), g.MaxPlies())
		}
		a := legal[rng.IntN(len(legal))]
		before := s
		if err := guard(func() error { s = s.Play(a); return nil }); err != nil {
			return true, fmt.Errorf("playing %s: %w", before.Format(a), err)
		}
		moves = append(moves, a)
		return false, nil
	}
	for {
		if over, err := step(); err != nil {
			return fmt.Errorf("%w (%s)", err, after(g.Start(), moves))
		} else if over {
			return nil
		}
	}
}

// after names the position after moves.
func after[S game.State[S]](from S, moves []game.Action) string {
	if len(moves) == 0 {
		return "at the start"
	}
	return fmt.Sprintf("after %q", game.FormatMoves(from, moves))
}

// guard returns a panic as an error that names the line.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic at %s: %v", panicked(), p)
		}
	}()
	return do()
}

// panicked returns the line that panicked, such as "state.go:33", in a deferred function.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for below := false; ; {
		frame, more := frames.Next()
		inside := strings.HasPrefix(frame.Function, "runtime.")
		if below && !inside || !more {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		below = below || inside
	}
}

// sampled is the number of random games in Games.
const sampled = 200

// Games describes random games.
type Games struct {
	Number     int           `json:"number"`
	Plies      float64       `json:"plies"` // mean
	Shortest   int           `json:"shortest"`
	Longest    int           `json:"longest"`
	LegalMoves float64       `json:"legal_moves"` // mean, over unfinished positions
	FirstWins  int           `json:"first_wins"`
	SecondWins int           `json:"second_wins"`
	PerSecond  float64       `json:"per_second"` // games played
	Example    string        `json:"example"`    // a game with its moves, its last board and its result; several lines
	moves      []game.Action // of the example
	moverWins  int           // won by the side that has not moved last
}

// sample plays random games. The example is the first that somebody wins, or else the first.
func sample[S game.State[S]](g game.Game[S]) *Games {
	r := &Games{Number: sampled, Shortest: g.MaxPlies()}
	plies, legalMoves, begin := 0, 0, time.Now()
	var moves, legal []game.Action
	for n := range sampled {
		rng, s := random.New(1, random.Suite, uint64(n)), g.Start()
		moves = moves[:0]
		z, over := s.Outcome()
		for ; !over; z, over = s.Outcome() {
			legal = s.Legal(legal[:0])
			a := legal[rng.IntN(len(legal))]
			moves, s = append(moves, a), s.Play(a)
			legalMoves += len(legal)
		}
		plies += len(moves)
		r.Shortest, r.Longest = min(r.Shortest, len(moves)), max(r.Longest, len(moves))
		outcome := game.FirstPlayerOutcome(z, s.ToMove())
		if r.moves == nil || outcome != 0 && r.FirstWins+r.SecondWins == 0 {
			r.moves = slices.Clone(moves)
		}
		r.FirstWins += int(max(outcome, 0))
		r.SecondWins += int(max(-outcome, 0))
		r.moverWins += int(max(z, 0))
	}
	r.PerSecond = sampled / time.Since(begin).Seconds()
	r.Plies, r.LegalMoves = float64(plies)/sampled, float64(legalMoves)/float64(plies)
	r.Example = example(g, r.moves)
	return r
}

// example describes a finished game, so that a person sees whether its result is right.
func example[S game.State[S]](g game.Game[S], moves []game.Action) string {
	s, _ := game.Replay(g, moves)
	result := outcomeText(s)
	if scored, ok := any(s).(game.Scored); ok {
		result += fmt.Sprintf(", with a margin of %v for the first player", scored.Margin())
	}
	return fmt.Sprintf("%s\n%s%s\nThe last move is the %v's.\n", game.FormatMoves(g.Start(), moves), board(g, s), result, s.ToMove().Opponent())
}

// outcomeText says who has won.
func outcomeText[S game.State[S]](s S) string {
	z, over := s.Outcome()
	switch winner := game.Side(game.FirstPlayerOutcome(z, s.ToMove())); {
	case !over:
		return "the game is not over"
	case winner == game.Nobody:
		return "the game is a draw"
	default:
		return fmt.Sprintf("the %v has won", winner)
	}
}

// board draws a position.
func board[S game.State[S]](g game.Game[S], s S) string {
	diagram, ok := any(s).(game.Diagram)
	if !ok {
		return fmt.Sprintln(any(s))
	}
	d := game.Drawing{Size: g.Board(), Cells: stones(g, s), Joins: game.JoinsOf(g), Last: -1}
	d.Columns, d.Rows = g.Labels()
	if inscribed, ok := diagram.(game.Inscribed); ok {
		for cell := range d.Cells {
			d.Texts = append(d.Texts, inscribed.Text(cell))
		}
	}
	return d.String()
}
