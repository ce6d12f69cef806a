package env

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"tengen/game"
	"tengen/players"
)

// Vector implements Games for positions of type S.
type Vector[S game.State[S]] struct {
	game      game.Game[S]
	placement bool
	config    Config
	workers   []*worker[S]
	begun     bool

	// A call writes the new state to next and swaps the two if nothing failed.
	now, next []slot[S]

	// The current call's arguments.
	ctx    context.Context
	orders []order
	seed   uint64
	wait   sync.WaitGroup
}

// order is a move to play or one of the constants below.
type order game.Action

const (
	leave   = order(game.None)
	begin   = leave - 1 // begin the next game
	beginAt = leave - 2 // begin the first game of Vector.seed plus the index
)

// New returns games against an opponent, one instance per worker. If opponent is nil, the caller plays both sides. The
// config must be valid. The error is from making the opponent.
func New[S game.State[S]](g game.Game[S], opponent *players.Player[S], c Config) (*Vector[S], error) {
	if opponent == nil {
		c.Side = game.Nobody
	}
	v := &Vector[S]{
		game: g, config: c,
		now: make([]slot[S], c.Games), next: make([]slot[S], c.Games), orders: make([]order, c.Games),
	}
	_, v.placement = any(g.Start()).(game.Placement)
	for i := range v.now {
		v.now[i], v.next[i] = newSlot(g, c.Seed+uint64(i)), newSlot(g, 0)
	}
	workers := min(c.Workers, c.Games)
	for k := range workers {
		w, err := newWorker(v, k*c.Games/workers, (k+1)*c.Games/workers, opponent)
		if err != nil {
			return nil, fmt.Errorf("env: %w", err)
		}
		v.workers = append(v.workers, w)
	}
	return v, nil
}

var errNotBegun = errors.New("no game has begun: reset all of them first")

func (v *Vector[S]) Step(ctx context.Context, actions []game.Action) error {
	if !v.begun {
		return errNotBegun
	}
	if len(actions) != len(v.now) {
		return fmt.Errorf("%d actions for %d games: give one for each", len(actions), len(v.now))
	}
	for i, a := range actions {
		s := &v.now[i]
		switch {
		case a == game.None:
			v.orders[i] = leave
		case s.over && v.config.AutoReset:
			v.orders[i] = begin
		case s.over:
			return fmt.Errorf("game %d: it is over: reset it before the next move", i)
		case a < 0 || int(a) >= v.game.Actions():
			return fmt.Errorf("game %d: action %d does not exist: there are 0 to %d", i, a, v.game.Actions()-1)
		case !s.allows(a) && !v.config.IllegalLoses:
			return fmt.Errorf("game %d: action %d is illegal after %q", i, a, game.FormatMoves(v.game.Start(), s.moves))
		default:
			v.orders[i] = order(a)
		}
	}
	return v.obey(ctx)
}

func (v *Vector[S]) Reset(ctx context.Context, which []int) error {
	return v.reset(ctx, begin, which)
}

func (v *Vector[S]) ResetTo(ctx context.Context, seed uint64, which []int) error {
	v.seed = seed
	return v.reset(ctx, beginAt, which)
}

func (v *Vector[S]) reset(ctx context.Context, how order, which []int) error {
	other := how
	if which != nil {
		if !v.begun {
			return errNotBegun
		}
		other = leave
	}
	for i := range v.orders {
		v.orders[i] = other
	}
	for _, i := range which {
		if i < 0 || i >= len(v.orders) {
			return fmt.Errorf("game %d does not exist: there are 0 to %d", i, len(v.orders)-1)
		}
		v.orders[i] = how
	}
	if err := v.obey(ctx); err != nil {
		return err
	}
	v.begun = true
	return nil
}

// obey carries out v.orders in all games or, after an error, in none.
func (v *Vector[S]) obey(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	v.ctx = ctx
	v.wait.Add(len(v.workers) - 1)
	for _, w := range v.workers[1:] {
		go w.start()
	}
	v.workers[0].work()
	v.wait.Wait()
	for _, w := range v.workers {
		if w.err != nil {
			return w.err
		}
	}
	v.now, v.next = v.next, v.now
	return nil
}

func (v *Vector[S]) Len() int { return len(v.now) }

func (v *Vector[S]) Shape() (planes int, board game.Size) { return v.game.Planes(), v.game.Board() }

func (v *Vector[S]) Legal(i int) []game.Action { return v.now[i].legal }

func (v *Vector[S]) Viewer(i int) game.Side { return v.now[i].mover() }

func (v *Vector[S]) Reward(i int) float32 { return v.now[i].reward }

func (v *Vector[S]) Outcome(i int) (first int8, over bool) { return v.now[i].outcome, v.now[i].over }

func (v *Vector[S]) Moves(i int) []game.Action { return v.now[i].moves }

func (v *Vector[S]) Observe(i int, side game.Side, planes []float32) {
	s := v.now[i].position
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
