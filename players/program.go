package players

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"tengen/game"
	"tengen/players/external"
)

// Forfeit is the error of a player that has lost the game with its move: it resigned, or it is a program with a fault,
// which starts again with the next move.
type Forfeit struct{ Fault error } // nil: it resigned

// Error implements error.
func (f Forfeit) Error() string {
	if f.Fault == nil {
		return "it resigns"
	}
	return f.Fault.Error()
}

// Public returns the error without details for the program's owner alone.
func (f Forfeit) Public() string {
	if p := (external.Private{}); errors.As(f.Fault, &p) {
		return p.Text
	}
	return f.Error()
}

// programSearcher is an external engine. It knows only its best move.
type programSearcher[S game.State[S]] struct {
	rootOnly[S]
	game    game.Game[S]
	program *external.Program
	line    Line[S]
	seed    uint32 // of the game
	found   *Analysis
}

// programs is an Algorithm whose searchers are processes of a program. Limits do not concern it: it has options.
type programs[S game.State[S]] struct {
	game    game.Game[S]
	command *external.Command
	talk    *log.Logger
}

// New implements Algorithm.
func (p programs[S]) New() Searcher[S] {
	board := external.Board{Game: p.game.Name(), Size: p.game.Board()}
	if g, ok := p.game.(game.Compensated); ok {
		board.Komi = new(g.Komi())
	}
	start := p.game.Start()
	if d, ok := any(start).(game.Diagram); ok {
		board.Steps = d.Target(start.Legal(nil)[0]).From >= 0
	}
	return &programSearcher[S]{game: p.game, program: p.command.New(board, p.talk)}
}

// Together implements Algorithm.
func (programs[S]) Together(Limit) int { return 1 }

// Search implements Algorithm.
func (programs[S]) Search(ctx context.Context, on []Searcher[S], _ Limit, _ func(bool)) error {
	for _, s := range on {
		if err := s.(*programSearcher[S]).search(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Reset implements Searcher.
func (p *programSearcher[S]) Reset(l Line[S], rng *rand.Rand) {
	p.line, p.root, p.found, p.seed = l, l.Position, nil, rng.Uint32()
}

// Advance implements Searcher.
func (p *programSearcher[S]) Advance(a game.Action) {
	p.line.Moves = append(slices.Clip(p.line.Moves), a)
	p.rootOnly.Advance(a)
	p.found = nil
}

func (p *programSearcher[S]) search(ctx context.Context) error {
	if p.line.Root.Key() != p.game.Start().Key() {
		return Forfeit{errors.New("external engines play from the start of a game, not from a position that was set up")}
	}
	moves := make([]external.Move, len(p.line.Moves))
	s := p.line.Root
	for i, a := range p.line.Moves {
		moves[i] = p.write(s, a)
		s = s.Play(a)
	}
	legal := p.root.Legal(nil)
	if len(legal) == 1 && p.write(p.root, legal[0]).Pass { // some programs pass by themselves
		p.conclude(legal[0], external.Answer{Value: float32(math.NaN())})
		return nil
	}
	answer, err := p.program.Move(ctx, moves, p.seed)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return Forfeit{err}
	case strings.EqualFold(answer.Text, external.Resign):
		return Forfeit{}
	}
	i := slices.IndexFunc(legal, func(a game.Action) bool { return strings.EqualFold(p.write(p.root, a).Text, answer.Text) })
	if i < 0 {
		p.program.Discard()
		return Forfeit{fmt.Errorf("it plays %.40q, which is not legal after %q", answer.Text, game.FormatMoves(p.line.Root, p.line.Moves))}
	}
	p.conclude(legal[i], answer)
	return nil
}

func (p *programSearcher[S]) write(s S, a game.Action) external.Move {
	target := game.Onto(-1)
	if d, ok := any(s).(game.Diagram); ok {
		target = d.Target(a)
	}
	return external.Move{Text: p.program.Write(target, s.Format(a)), Pass: target.From < 0 && target.To < 0}
}

// conclude keeps the findings: the expected line up to its first illegal move.
func (p *programSearcher[S]) conclude(best game.Action, answer external.Answer) {
	p.found = &Analysis{Value: answer.Value, Moves: p.stats(), Policy: make([]float32, p.game.Actions()), Simulations: answer.Nodes}
	p.found.Policy[best] = 1
	s := p.root
	for _, text := range answer.PV {
		legal := s.Legal(nil)
		i := slices.IndexFunc(legal, func(a game.Action) bool { return strings.EqualFold(p.write(s, a).Text, text) })
		if i < 0 {
			break
		}
		p.found.PV = append(p.found.PV, legal[i])
		s = s.Play(legal[i])
	}
	p.found.conclude(best)
}

// Choose implements Searcher.
func (p *programSearcher[S]) Choose(*rand.Rand) game.Action { return p.found.Best }

// Analysis implements Searcher.
func (p *programSearcher[S]) Analysis(*rand.Rand) *Analysis { return p.found }
