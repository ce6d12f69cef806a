package env

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"tengen/game"
	"tengen/internal/random"
	"tengen/players"
)

// Vector implements Games for positions of type S.
type Vector[S game.State[S]] struct {
	game      game.Game[S]
	placement bool
	config    Config
	opponents []players.Answerer[S] // each answers in its share of the games; none: the caller plays both sides
	name      string                // the opponent's
	begun     bool                  // all games are in a known state
	games     []slot[S]
}

// slot is one game.
type slot[S game.State[S]] struct {
	position S
	legal    []game.Action // empty if the game is over
	moves    []game.Action // since the start
	over     bool
	outcome  int8      // for the first player, if over
	reward   float32   // from the last step
	caller   game.Side // the caller's side; Nobody: both sides

	seed, number uint64 // together determine the randomness of the next game
	rng          *rand.Rand
}

// New returns games against an opponent, one instance per worker. If opponent is nil, the caller plays both sides. The
// config must be valid. The error is from making the opponent.
func New[S game.State[S]](g game.Game[S], opponent *players.Player[S], c Config) (*Vector[S], error) {
	v := &Vector[S]{game: g, config: c, games: make([]slot[S], c.Games)}
	_, v.placement = any(g.Start()).(game.Placement)
	for i := range v.games {
		v.games[i].position, v.games[i].seed = g.Start(), c.Seed+uint64(i)
	}
	if opponent == nil {
		return v, nil
	}
	v.name = opponent.Name
	for range min(c.Workers, c.Games) {
		a, err := opponent.New()
		if err != nil {
			return nil, fmt.Errorf("env: %w", err)
		}
		v.opponents = append(v.opponents, a)
	}
	return v, nil
}

var errNotBegun = errors.New("no game has begun: reset all of them first")

// Step implements Games.
func (v *Vector[S]) Step(ctx context.Context, actions []game.Action) error {
	if err := v.check(actions); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, a := range actions {
		s := &v.games[i]
		s.reward = 0
		switch mover := s.mover(); {
		case a == game.None:
		case s.over:
			v.begin(s)
		case !s.allows(a): // an illegal move loses
			s.end(-int8(mover), mover)
		default:
			s.play(a, mover)
		}
	}
	return v.answer(ctx)
}

// check checks the actions of a step.
func (v *Vector[S]) check(actions []game.Action) error {
	if !v.begun {
		return errNotBegun
	}
	if len(actions) != len(v.games) {
		return fmt.Errorf("%d actions for %d games: give one for each", len(actions), len(v.games))
	}
	for i, a := range actions {
		s := &v.games[i]
		switch {
		case a == game.None, s.over && v.config.AutoReset:
		case s.over:
			return fmt.Errorf("game %d: it is over: reset it before the next move", i)
		case a < 0 || int(a) >= v.game.Actions():
			return fmt.Errorf("game %d: action %d does not exist: there are 0 to %d", i, a, v.game.Actions()-1)
		case !s.allows(a) && !v.config.IllegalLoses:
			return fmt.Errorf("game %d: action %d is illegal after %q", i, a, game.FormatMoves(v.game.Start(), s.moves))
		}
	}
	return nil
}

// Reset implements Games.
func (v *Vector[S]) Reset(ctx context.Context, seed *uint64, which []int) error {
	if which == nil {
		v.begun = true
		for i := range v.games {
			which = append(which, i)
		}
	}
	if !v.begun {
		return errNotBegun
	}
	for _, i := range which {
		if i < 0 || i >= len(v.games) {
			return fmt.Errorf("game %d does not exist: there are 0 to %d", i, len(v.games)-1)
		}
	}
	for i := range v.games {
		v.games[i].reward = 0
	}
	for _, i := range which {
		s := &v.games[i]
		if seed != nil {
			s.seed, s.number = *seed+uint64(i), 0
		}
		v.begin(s)
	}
	return v.answer(ctx)
}

func (v *Vector[S]) begin(s *slot[S]) {
	*s = slot[S]{
		position: v.game.Start(), legal: v.game.Start().Legal(s.legal[:0]), moves: s.moves[:0], seed: s.seed, number: s.number + 1,
	}
	if len(v.opponents) == 0 {
		return
	}
	s.rng = random.New(s.seed, random.Games, s.number-1)
	if s.caller = v.config.Side; s.caller == game.Nobody {
		s.caller = game.Mover(s.rng.IntN(2))
	}
}

// answer lets the opponents move where it is their turn.
func (v *Vector[S]) answer(ctx context.Context) error {
	var group errgroup.Group
	n, workers := len(v.games), len(v.opponents)
	for k, by := range v.opponents {
		group.Go(func() error { return v.answerIn(ctx, by, v.games[k*n/workers:(k+1)*n/workers]) })
	}
	err := group.Wait()
	if err != nil {
		v.begun = false // some opponents may have moved
	}
	return err
}

func (v *Vector[S]) answerIn(ctx context.Context, by players.Answerer[S], games []slot[S]) error {
	var asked []*slot[S]
	var lines []players.Line[S]
	var rngs []*rand.Rand
	for i := range games {
		if s := &games[i]; !s.over && s.position.ToMove() != s.caller {
			asked, lines, rngs = append(asked, s), append(lines, players.Line[S]{Root: v.game.Start(), Moves: s.moves, Position: s.position}), append(rngs, s.rng)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	moves := make([]game.Action, len(asked))
	if err := by.Choose(ctx, lines, rngs, moves); err != nil {
		return fmt.Errorf("opponent %s: %w", v.name, err)
	}
	for k, s := range asked {
		if !s.allows(moves[k]) {
			return fmt.Errorf("opponent %s plays the illegal move %d after %q", v.name, moves[k], game.FormatMoves(v.game.Start(), s.moves))
		}
		s.play(moves[k], s.caller)
	}
	return nil
}

// mover returns the side rewarded for a move made now.
func (s *slot[S]) mover() game.Side {
	if s.caller == game.Nobody {
		return s.position.ToMove()
	}
	return s.caller
}

func (s *slot[S]) allows(a game.Action) bool {
	_, legal := slices.BinarySearch(s.legal, a)
	return legal
}

// play makes a legal move. The reward is for viewer.
func (s *slot[S]) play(a game.Action, viewer game.Side) {
	s.position = s.position.Play(a)
	s.moves = append(s.moves, a)
	s.legal = s.position.Legal(s.legal[:0])
	if z, over := s.position.Outcome(); over {
		s.end(game.FirstPlayerOutcome(z, s.position.ToMove()), viewer)
	}
}

func (s *slot[S]) end(outcome int8, viewer game.Side) {
	s.over, s.outcome, s.legal = true, outcome, s.legal[:0]
	s.reward = float32(outcome) * float32(viewer)
}

// Len implements Games.
func (v *Vector[S]) Len() int { return len(v.games) }

// Shape implements Games.
func (v *Vector[S]) Shape() (planes int, board game.Size) { return v.game.Planes(), v.game.Board() }

// Legal implements Games.
func (v *Vector[S]) Legal(i int) []game.Action { return v.games[i].legal }

// Viewer implements Games.
func (v *Vector[S]) Viewer(i int) game.Side { return v.games[i].mover() }

// Reward implements Games.
func (v *Vector[S]) Reward(i int) float32 { return v.games[i].reward }

// Outcome implements Games.
func (v *Vector[S]) Outcome(i int) (first int8, over bool) {
	return v.games[i].outcome, v.games[i].over
}

// Moves implements Games.
func (v *Vector[S]) Moves(i int) []game.Action { return v.games[i].moves }

// Observe implements Games.
func (v *Vector[S]) Observe(i int, side game.Side, planes []float32) {
	s := v.games[i].position
	s.Encode(planes)
	if v.placement && side != s.ToMove() {
		changeSides(planes, v.game.Board().Cells())
	}
}

// changeSides turns the planes of a placement game into the other side's view, as if it were to move.
func changeSides(planes []float32, cells int) {
	own, opponent, first := planes[:cells], planes[cells:2*cells], planes[3*cells:]
	for i := range cells {
		own[i], opponent[i] = opponent[i], own[i]
		first[i] = 1 - first[i]
	}
}
