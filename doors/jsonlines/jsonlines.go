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
	"tengen/internal/jsonline"
	"tengen/players/env"
)

// Version is the protocol's version. It changes when clients of an earlier one would not understand the answers.
const Version = 1

// Serve answers each request from in, in order, with a line on out, until in ends. A request that fails gets an error
// and changes nothing. Serve's own error is about in, out or ctx.
func Serve(ctx context.Context, e engine.Game, c engine.EnvironmentConfig, in io.Reader, out io.Writer) error {
	s, err := newServer(e, c)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	for line, err := range jsonline.Lines(ctx, in) {
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

	planes []float32    // scratch: one game's planes
	seen   *observation // the last answer of observe, reused
}

func newServer(e engine.Game, c engine.EnvironmentConfig) (*server, error) {
	games, err := e.Environment(c)
	if err != nil {
		return nil, err
	}
	info := e.Info()
	planes, board := games.Shape()
	return &server{
		engine: e, info: info, config: c, games: games,
		planes: make([]float32, planes*board.Cells()), seen: newObservation(games, info.Actions),
	}, nil
}

func (s *server) answer(ctx context.Context, line []byte) answer {
	r, err := parse(line)
	a := answer{ID: r.ID}
	switch {
	case err != nil:
	case r.Describe:
		a.description = s.describe()
	case r.Reset != nil:
		if err = s.reset(ctx, r.Reset); err == nil {
			a.observation = s.observe(s.games.Viewer)
		}
	case r.Step != nil:
		if err = s.games.Step(ctx, r.Step); err == nil {
			a.observation = s.observe(s.games.Viewer)
		}
	case r.Observe != "":
		var side game.Side
		if side, err = parseSide(r.Observe); err == nil {
			a.observation = s.observe(func(int) game.Side { return side })
		}
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

func (s *server) reset(ctx context.Context, r *reset) error {
	if r.Seed != nil {
		return s.games.ResetTo(ctx, *r.Seed, r.Games)
	}
	return s.games.Reset(ctx, r.Games)
}
