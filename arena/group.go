package arena

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tengen/game"
)

// The sides of a match, apart from who moves first in a game.
const (
	sidePlayer = iota
	sideAgainst
)

// table is a game being played.
type table[S game.State[S]] struct {
	record   MatchGame
	position S
	over     bool
	rngs     [2]*rand.Rand // by side
}

// toMove is the side whose turn it is.
func (t *table[S]) toMove() int {
	if (t.position.ToMove() == game.First) == t.record.PlayerFirst {
		return sidePlayer
	}
	return sideAgainst
}

// play makes a legal move, and notes the outcome when it ends the game.
func (t *table[S]) play(a game.Action) {
	t.position = t.position.Play(a)
	t.record.Moves = append(t.record.Moves, a)
	var z float32
	if z, t.over = t.position.Outcome(); t.over {
		t.record.Outcome = game.FirstPlayerOutcome(z, t.position.ToMove())
	}
}

// group is one worker: its two players and the games it plays in lockstep.
type group[S game.State[S]] struct {
	match   *match[S]
	names   [2]string
	players [2]Player[S]
	size    int
	tables  []*table[S]

	// The question to a player, reused from call to call: the tables where it is its turn.
	asked     []*table[S]
	positions []S
	rngs      []*rand.Rand
	moves     []game.Action
	legal     []game.Action // scratch
}

func newGroup[S game.State[S]](m *match[S], player, against Entrant[S], size int) (*group[S], error) {
	g := &group[S]{match: m, size: size}
	for side, entrant := range [2]Entrant[S]{sidePlayer: player, sideAgainst: against} {
		p, err := entrant.New()
		if err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
		g.names[side], g.players[side] = entrant.Name, p
	}
	return g, nil
}

// run plays games until there are none left. A game that is over makes room for the next, so that calls stay large.
//
// The player moves wherever it is its turn, then the opponent wherever it is its own. So a game is in step with the others
// after one round at most, and a call is about nearly all of them.
func (g *group[S]) run(ctx context.Context) error {
	for {
		for len(g.tables) < g.size {
			t := g.match.deal()
			if t == nil {
				break
			}
			g.tables = append(g.tables, t)
		}
		if len(g.tables) == 0 {
			return nil
		}
		for side := range g.players {
			if err := g.move(ctx, side); err != nil {
				return err
			}
		}
	}
}

// move makes one move of a side at each table where it is its turn.
func (g *group[S]) move(ctx context.Context, side int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.asked, g.positions, g.rngs, g.moves = g.asked[:0], g.positions[:0], g.rngs[:0], g.moves[:0]
	for _, t := range g.tables {
		if t.toMove() == side {
			g.asked = append(g.asked, t)
			g.positions = append(g.positions, t.position)
			g.rngs = append(g.rngs, t.rngs[side])
			g.moves = append(g.moves, game.None)
		}
	}
	if len(g.asked) == 0 {
		return nil
	}
	start := time.Now()
	if err := g.players[side].Choose(ctx, g.positions, g.rngs, g.moves); err != nil {
		return fmt.Errorf("match: move of %s: %w", g.names[side], err)
	}
	g.match.thought(side, len(g.asked), time.Since(start))
	for i, t := range g.asked {
		if err := g.check(t, side, g.moves[i]); err != nil {
			return err
		}
		t.play(g.moves[i])
		if !t.over {
			continue
		}
		if err := g.match.finish(t.record); err != nil {
			return err
		}
	}
	g.tables = slices.DeleteFunc(g.tables, func(t *table[S]) bool { return t.over })
	return nil
}

// check refuses an illegal move.
func (g *group[S]) check(t *table[S], side int, a game.Action) error {
	g.legal = t.position.Legal(g.legal[:0])
	if slices.Contains(g.legal, a) {
		return nil
	}
	board := g.match.game
	move := fmt.Sprintf("action %d", a)
	if a >= 0 && int(a) < board.Actions() {
		move = fmt.Sprintf("%s (action %d)", board.FormatAction(a), a)
	}
	return fmt.Errorf("match: %s plays the illegal move %s in game %d after moves %q",
		g.names[side], move, t.record.Number, board.FormatMoves(t.record.Moves))
}
