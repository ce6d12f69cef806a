package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tengen/game"
	"tengen/players"
)

// The sides of a match, whatever the colours.
const (
	sidePlayer = iota
	sideAgainst
)

type liveGame[S game.State[S]] struct {
	record   MatchGame
	position S
	over     bool
	rngs     [2]*rand.Rand // by side
}

func (l *liveGame[S]) toMove() int {
	if (l.position.ToMove() == game.First) == l.record.PlayerFirst {
		return sidePlayer
	}
	return sideAgainst
}

func (l *liveGame[S]) play(a game.Action) {
	l.position = l.position.Play(a)
	l.record.Moves = append(l.record.Moves, a)
	var z float32
	if z, l.over = l.position.Outcome(); l.over {
		l.record.Outcome = game.FirstPlayerOutcome(z, l.position.ToMove())
	}
}

// group is one worker. Its two players play its games in lockstep.
type group[S game.State[S]] struct {
	match   *match[S]
	names   [2]string
	players [2]players.Answerer[S]
	size    int
	games   []*liveGame[S]

	// The games in which a side is to move, and scratch memory.
	asked []*liveGame[S]
	lines []players.Line[S]
	rngs  []*rand.Rand
	moves []game.Action
	legal []game.Action // scratch
}

func newGroup[S game.State[S]](m *match[S], player, against players.Player[S], size int) (*group[S], error) {
	g := &group[S]{match: m, size: size}
	for side, entrant := range [2]players.Player[S]{sidePlayer: player, sideAgainst: against} {
		p, err := entrant.New()
		if err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
		g.names[side], g.players[side] = entrant.Name, p
	}
	return g, nil
}

// run plays games until none are left. It replaces finished games at once to keep calls to players large. In each
// round, first one side and then the other moves in all games where it has the turn. So a new game is in step with the
// others after at most one round.
func (g *group[S]) run(ctx context.Context) error {
	for {
		for len(g.games) < g.size {
			l := g.match.nextGame()
			if l == nil {
				break
			}
			g.games = append(g.games, l)
		}
		if len(g.games) == 0 {
			return nil
		}
		for side := range g.players {
			if err := g.move(ctx, side); err != nil {
				return err
			}
		}
	}
}

func (g *group[S]) move(ctx context.Context, side int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.asked, g.lines, g.rngs, g.moves = g.asked[:0], g.lines[:0], g.rngs[:0], g.moves[:0]
	for _, l := range g.games {
		if l.toMove() == side {
			g.asked = append(g.asked, l)
			g.lines = append(g.lines, players.Line[S]{Root: g.match.game.Start(), Moves: l.record.Moves, Position: l.position})
			g.rngs = append(g.rngs, l.rngs[side])
			g.moves = append(g.moves, game.None)
		}
	}
	if len(g.asked) == 0 {
		return nil
	}
	start := time.Now()
	err := g.players[side].Choose(ctx, g.lines, g.rngs, g.moves)
	if forfeit := (players.Forfeit{}); errors.As(err, &forfeit) {
		return g.forfeit(side, forfeit)
	}
	if err != nil {
		return fmt.Errorf("match: move of %s: %w", g.names[side], err)
	}
	g.match.addPace(side, len(g.asked), time.Since(start))
	for i, l := range g.asked {
		if err := g.check(l, side, g.moves[i]); err != nil {
			return err
		}
		l.play(g.moves[i])
		if !l.over {
			continue
		}
		if err := g.match.endGame(l.record); err != nil {
			return err
		}
	}
	g.games = slices.DeleteFunc(g.games, func(l *liveGame[S]) bool { return l.over })
	return nil
}

// forfeit ends the game in which a side has lost with its move. A program that fails before its first move or in
// maxFaults games ends the match.
func (g *group[S]) forfeit(side int, f players.Forfeit) error {
	l := g.games[0]
	l.record.Outcome = -int8(l.position.ToMove())
	l.record.Forfeit, l.record.Fault = f.Error(), f.Fault != nil
	g.games = g.games[:0]
	if f.Fault != nil {
		if err := g.match.addFault(side, l.record); err != nil {
			return fmt.Errorf("match: %s %w: %w", g.names[side], err, f)
		}
	}
	return g.match.endGame(l.record)
}

func (g *group[S]) check(l *liveGame[S], side int, a game.Action) error {
	g.legal = l.position.Legal(g.legal[:0])
	if slices.Contains(g.legal, a) {
		return nil
	}
	return fmt.Errorf("match: %s plays the illegal move #%d in game %d after moves %q",
		g.names[side], a, l.record.Number, game.FormatMoves(g.match.game.Start(), l.record.Moves))
}
