// Package gomocup plays gomoku by the Gomocup protocol: a manager, such as Piskvork, Yixin-Board or c-gomoku-cli,
// starts the program and sends commands line by line. docs/interfaces/gomocup.md lists them. They follow Piskvork's
// source/doc/protocl2en.htm or, with the prefix YX, Yixin.
//
// One goroutine reads commands (command.go). The session obeys them in order (session.go). While it thinks (think.go),
// it obeys only END, STOP and INFO. The clock ends a thought (clock.go).
//
// Every request for a move is answered with a move. If a player fails, the next of Options.Players moves; if all fail,
// reflex does. Failures become MESSAGE lines.
package gomocup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"tengen/players"
)

// Limits of a board's sides.
const (
	minSide = 5
	maxSide = 20
)

// Options configure Run.
type Options struct {
	// Players has at least one. The first that can play on a board plays there; if it fails, the next ones do. A
	// network without a number of simulations, or alpha-beta without a limit, thinks as long as the manager allows.
	Players []players.Spec
	Version string // answers ABOUT
	Threads int    // unless the manager sets them; 0: one per core
	Quiet   bool   // suppresses reports of thoughts
	Seed    uint64 // of random choices
}

// DefaultPlayers returns a network and, as its substitute, alpha-beta.
func DefaultPlayers(network string) []players.Spec {
	return []players.Spec{
		{Kind: players.KindNet, Path: network, Limit: players.Unset},
		{Kind: players.KindAlphaBeta},
	}
}

const maxThreads = 256

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
	if o.Threads < 0 || o.Threads > maxThreads {
		return fmt.Errorf("%d threads, but must be 1 to %d, or 0 for one per core", o.Threads, maxThreads)
	}
	return nil
}

// Run obeys in's commands until END or the end of in or ctx, none of which is an error; a line of 64 KiB is one. Its
// reading goroutine ends with in. Run sets the process's memory limit, so only one may run at a time.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if o.Threads == 0 {
		o.Threads = min(runtime.GOMAXPROCS(0), maxThreads)
	}
	memoryLimit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(memoryLimit)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	commands := make(chan command, 256)
	var unread error // valid once commands is closed
	go func() {
		defer close(commands)
		unread = readCommands(ctx, in, commands)
	}()
	s := &session{options: o, out: out, commands: commands, clock: newClock(), memoryLimit: memoryLimit}
	s.run(ctx)
	if s.failed == nil && s.commands == nil {
		return unread
	}
	return s.failed
}
