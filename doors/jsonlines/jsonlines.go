// Package jsonlines lets programs in other languages step games, by lines of JSON that
// docs/interfaces/environments.md describes.
package jsonlines

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"tengen/engine"
	"tengen/game"
	"tengen/internal/files"
	"tengen/internal/printable"
	"tengen/players/env"
)

// Version is the protocol's version. It changes when clients of an earlier one would not understand the answers.
const Version = 1

// Serve answers each request from in, in order, with a line on out, until in ends. A request that fails gets an error
// and, unless the opponent failed, changes nothing. Serve's own error is about in, out or ctx.
func Serve(ctx context.Context, e engine.Game, c engine.EnvironmentConfig, in io.Reader, out io.Writer) error {
	games, err := e.Environment(c)
	if err != nil {
		return err
	}
	s := &server{engine: e, info: e.Info(), config: c, games: games}
	encoder := json.NewEncoder(out)
	for line, err := range files.Lines(ctx, in) {
		if err != nil {
			return fmt.Errorf("cannot read a request: %w", err)
		}
		if err := encoder.Encode(s.answer(ctx, line)); err != nil {
			return fmt.Errorf("cannot answer: %w", err)
		}
	}
	return ctx.Err()
}

type server struct {
	engine engine.Game
	info   engine.Info
	config engine.EnvironmentConfig
	games  env.Games
	solver engine.Solver // nil before the first solve
}

func (s *server) answer(ctx context.Context, line []byte) answer {
	r, err := parse(line)
	a := answer{ID: r.ID}
	switch {
	case err != nil:
	case r.Describe:
		a.description = s.describe()
	case r.Reset != nil:
		if err = s.games.Reset(ctx, r.Reset.Seed, r.Reset.Games); err == nil {
			a.observation = s.observe(s.games.Viewer)
		}
	case r.Step != nil:
		if err = s.step(ctx, r.Step); err == nil {
			a.observation = s.observe(s.games.Viewer)
		}
	case r.Observe != "":
		if side := engine.ParseSide(r.Observe); side != game.Nobody {
			a.observation = s.observe(func(int) game.Side { return side })
		} else {
			err = fmt.Errorf("side %q: write first or second", printable.Text(r.Observe, 40))
		}
	case r.Legal != nil:
		a.choice, err = s.legal(*r.Legal)
	case r.Render != nil:
		a.rendering, err = s.render(*r.Render)
	case r.Solve:
		a.solution, err = s.solve(ctx)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

func (s *server) step(ctx context.Context, played moves) error {
	actions := make([]game.Action, len(played))
	for i, m := range played {
		actions[i] = m.action
		if m.name == nil || i >= s.games.Len() {
			continue // Step checks it
		}
		actions[i] = 0
		if _, over := s.games.Outcome(i); over {
			continue // Step refuses or ignores it
		}
		var err error
		if actions[i], err = s.position(i).ParseMove(*m.name); err != nil {
			return fmt.Errorf("game %d: %w", i, err)
		}
	}
	return s.games.Step(ctx, actions)
}
