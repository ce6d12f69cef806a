// Package gomocup plays gomoku by the Gomocup protocol: a manager, such as Piskvork, Yixin-Board or c-gomoku-cli,
// starts the program and sends commands line by line. docs/interfaces/gomocup.md lists them. They follow Piskvork's
// source/doc/protocl2en.htm or, with the prefix YX, Yixin.
//
// Package manager reads the commands (command.go) and has the session obey them in order (session.go). While it thinks
// (think.go), it obeys only END, STOP and INFO.
//
// Every request for a move is answered with a move. Failures of players become MESSAGE lines.
package gomocup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/players"
)

// reportInterval is the least time between reports of a search.
const reportInterval = 500 * time.Millisecond

// Limits of a board's sides.
const (
	minSide = 5
	maxSide = 20
)

// Options configure Run.
type Options struct {
	// Players has at least one. A network without a number of simulations, or alpha-beta without a limit, thinks as long
	// as the manager allows.
	manager.Options
	Version string // answers ABOUT
	Quiet   bool   // suppresses reports of thoughts
}

// DefaultPlayers returns a network and, as its substitute, alpha-beta.
func DefaultPlayers(network string) []players.Spec {
	return []players.Spec{
		{Kind: players.KindNet, Path: network, Limit: players.Unset},
		{Kind: players.KindAlphaBeta},
	}
}

// Validate returns an error about the first invalid option.
func (o Options) Validate() error {
	if len(o.Players) == 0 {
		return errors.New("no player: name one")
	}
	for _, p := range o.Players {
		switch p.Kind {
		case players.KindNet, players.KindAlphaBeta, players.KindUCT, players.KindRandom:
		default:
			return fmt.Errorf("player %q cannot play in tournaments: name a net, alphabeta, uct or random", p)
		}
	}
	return manager.CheckThreads(o.Threads)
}

// Run obeys in's commands until END or the end of in or ctx, none of which is an error; a line of 64 KiB is one. Its
// reading goroutine ends with in. Run sets the process's memory limit, so only one may run at a time.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if err := o.Validate(); err != nil {
		return engine.InputError{Err: err}
	}
	return newSession(out, o).Run(ctx, in)
}
