// Package gtp plays by the Go Text Protocol, version 2: a manager, such as Sabaki or Lizzie, starts the program and sends
// commands line by line. docs/interfaces/gtp.md lists them. They follow Gunnar Farnebäck's "Specification of the Go Text
// Protocol, version 2, draft 2" (https://www.lysator.liu.se/~gunnar/gtp/), for any game with cells. Black is the first
// player. Analyses have the form of Leela Zero or KataGo.
//
// Package manager reads the commands (command.go) and has the session obey them in order (session.go) on a board
// (board.go). Moves and analyses are in think.go.
package gtp

import (
	"context"
	"io"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/players"
)

// Options configure Run.
type Options struct {
	manager.Options             // without Players, DefaultPlayers of each game play
	Game            engine.Game // at the start
	Name, Version   string      // answer the commands of these names
	Log             io.Writer   // gets failures of players
}

// DefaultPlayers returns the network that comes with tengen for a game, if any, and a substitute.
func DefaultPlayers(g engine.Game) []players.Spec {
	search := players.Spec{Kind: players.KindUCT, Limit: 10_000}
	model, err := engine.PretrainedFor(g)
	if err != nil {
		return []players.Spec{search}
	}
	return []players.Spec{{Kind: players.KindNet, Path: model, Limit: players.Unset}, search}
}

// Run obeys in's commands until quit or the end of in or ctx, none of which is an error; a line of 64 KiB is one, and so
// is a game that no player can play. Only one Run may run at a time, see manager.Session.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if err := manager.CheckThreads(o.Threads); err != nil {
		return engine.InputError{Err: err}
	}
	s, err := newSession(out, o)
	if err != nil {
		return err
	}
	defer s.end()
	return s.Run(ctx, in)
}
