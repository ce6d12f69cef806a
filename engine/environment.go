package engine

import (
	"runtime"

	"tengen/game"
	"tengen/players"
	"tengen/players/env"
)

// EnvironmentConfig configures an Environment.
type EnvironmentConfig struct {
	Opponent players.Spec // zero: the caller plays both sides
	Players  PlayerOptions
	env.Config
}

// DefaultEnvironment returns the config for one game without an opponent.
func DefaultEnvironment() EnvironmentConfig {
	c := EnvironmentConfig{Config: env.Default()}
	c.Workers = runtime.GOMAXPROCS(0)
	return c
}

// Environment is a set of games for reinforcement learning (see env.Games).
type Environment interface {
	env.Games
	// Position returns game i's position.
	Position(i int) Position
}

// Environment implements Game.
func (e Typed[S]) Environment(c EnvironmentConfig) (Environment, error) {
	if err := c.Config.Validate(); err != nil {
		return nil, InputError{err}
	}
	if c.Opponent.Kind == "" || c.Opponent.Kind == players.KindRandom {
		c.Workers = 1 // waking a goroutine costs more than a move
	}
	var opponent *players.Factory[S]
	if c.Opponent != (players.Spec{}) {
		player, err := e.Player(c.Opponent, c.Players)
		if err != nil {
			return nil, err
		}
		factory := player.(typedPlayer[S]).Factory
		opponent = &factory
	}
	games, err := env.New(e.Rules, opponent, c.Config)
	if err != nil {
		return nil, err
	}
	return environment[S]{games, e}, nil
}

type environment[S game.State[S]] struct {
	*env.Vector[S]
	engine Typed[S]
}

// Position implements Environment.
func (v environment[S]) Position(i int) Position {
	return v.engine.after(v.engine.Start(), v.Moves(i))
}
