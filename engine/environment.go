package engine

import (
	"runtime"

	"tengen/players"
	"tengen/players/env"
)

// EnvironmentConfig configures Game.Environment.
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

// Environment makes games for reinforcement learning.
func (e Typed[S]) Environment(c EnvironmentConfig) (env.Games, error) {
	if err := c.Config.Validate(); err != nil {
		return nil, InputError{err}
	}
	if c.Opponent.Kind == players.KindRandom {
		c.Workers = 1 // waking a goroutine costs more than a move
	}
	var opponent *players.Player[S]
	if c.Opponent != (players.Spec{}) {
		p, err := e.Player(c.Opponent, c.Players)
		if err != nil {
			return nil, err
		}
		player := p.(players.Player[S])
		opponent = &player
	}
	return env.New(e.Rules, opponent, c.Config)
}
