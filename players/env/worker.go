package env

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/players"
)

// worker carries out the orders for games [from, to).
type worker[S game.State[S]] struct {
	vector   *Vector[S]
	from, to int
	opponent players.Answerer[S] // nil: none
	name     string              // the opponent's
	start    func()              // a goroutine that runs work; made once to avoid allocations
	err      error               // from the last work

	// The games in which the opponent is to move, and scratch memory.
	asked     []*slot[S]
	positions []S
	rngs      []*rand.Rand
	moves     []game.Action
}

func newWorker[S game.State[S]](v *Vector[S], from, to int, opponent *players.Player[S]) (*worker[S], error) {
	w := &worker[S]{vector: v, from: from, to: to, moves: make([]game.Action, to-from)}
	w.start = func() {
		defer v.wait.Done()
		w.work()
	}
	if opponent == nil {
		return w, nil
	}
	var err error
	w.name = opponent.Name
	w.opponent, err = opponent.New()
	return w, err
}

func (w *worker[S]) work() {
	w.asked, w.positions, w.rngs = w.asked[:0], w.positions[:0], w.rngs[:0]
	for i := w.from; i < w.to; i++ {
		s := &w.vector.next[i]
		s.copy(&w.vector.now[i])
		s.reward = 0
		w.do(s, i)
		if s.caller != game.Nobody && !s.over && s.position.ToMove() != s.caller {
			w.asked = append(w.asked, s)
			w.positions = append(w.positions, s.position)
			w.rngs = append(w.rngs, s.rng)
		}
	}
	w.err = nil
	if len(w.asked) > 0 {
		w.err = w.answer()
	}
}

func (w *worker[S]) do(s *slot[S], i int) {
	v := w.vector
	switch o := v.orders[i]; {
	case o == leave:
	case o == begin, o == beginAt:
		if o == beginAt {
			s.seed, s.number = v.seed+uint64(i), 0
		}
		s.begin(v.game.Start(), v.config.Side, w.opponent == nil)
	case !s.allows(game.Action(o)): // an illegal move loses
		mover := s.mover()
		s.end(-int8(mover), mover)
	default:
		s.play(game.Action(o), s.mover())
	}
}

func (w *worker[S]) answer() error {
	moves := w.moves[:len(w.asked)]
	if err := w.opponent.Choose(w.vector.ctx, w.positions, w.rngs, moves); err != nil {
		return fmt.Errorf("opponent %s: %w", w.name, err)
	}
	for k, s := range w.asked {
		if !s.allows(moves[k]) {
			return fmt.Errorf("opponent %s plays the illegal move %d after %q", w.name, moves[k], game.FormatMoves(w.vector.game.Start(), s.moves))
		}
		s.play(moves[k], s.caller)
	}
	return nil
}
