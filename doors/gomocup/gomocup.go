// Package gomocup plays gomoku by the Gomocup protocol, also called Piskvork's or "pbrain": a manager, such as Piskvork,
// Yixin-Board or c-gomoku-cli, starts the program and talks to it line by line. docs/gomocup.md lists the commands.
//
// Two goroutines share the work: one reads commands and notes when (command.go), the other, the session, obeys them one after
// the other and writes what there is to say (session.go). While the session thinks (think.go), it looks only at the commands that
// cannot wait: END, STOP and INFO. A thought ends when the clock says so (clock.go).
//
// A move is answered whatever happens: if a player fails, the next one of Options.Players plays, and at last any legal move. What
// went wrong is a MESSAGE; nothing is written but to out.
//
// The protocol is that of Piskvork's source/doc/protocl2en.htm; the commands that begin with YX are those of Yixin's protocol.
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

// The sides of boards.
const (
	MinSide = 5
	MaxSide = 20
)

// Options say who plays, and how.
type Options struct {
	// Players has at least one. The first that can play on a board plays there, and the ones after it if it fails. A network
	// whose SPEC names no simulations, or alpha-beta without a limit, thinks as long as the manager allows.
	Players []players.Spec
	// Version is told to managers.
	Version string
	// Threads that think, where the manager does not say. 0: one for each core.
	Threads int
	// Quiet leaves out what the engine thinks.
	Quiet bool
	// Seed is that of random choices.
	Seed uint64
}

// DefaultPlayers returns a network and, in case it cannot play, alpha-beta.
func DefaultPlayers(network string) []players.Spec {
	return []players.Spec{
		{Kind: players.KindNet, Path: network, Limit: players.Unset},
		{Kind: players.KindAlphaBeta},
	}
}

const maxThreads = 256

// Validate names the first option that makes no sense.
func (o Options) Validate() error {
	if len(o.Players) == 0 {
		return errors.New("no player is named")
	}
	for _, p := range o.Players {
		switch p.Kind {
		case players.KindNet, players.KindAlphaBeta, players.KindUCT, players.KindRandom:
		default:
			return fmt.Errorf("player %q cannot play in tournaments: name a net, alphabeta, uct or random", p)
		}
	}
	if o.Threads < 0 || o.Threads > maxThreads {
		return fmt.Errorf("%d threads, allowed are 1 to %d, and 0 for one for each core", o.Threads, maxThreads)
	}
	return nil
}

// Run obeys the commands of in until END, the end of in, or until ctx ends: none of them is an error. The goroutine that reads in
// ends with in. Run keeps to the manager's limit of memory for the whole process while it runs; there can be one at a time.
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
	go readCommands(ctx, in, commands)
	s := &session{options: o, out: out, commands: commands, clock: newClock(), memoryLimit: memoryLimit}
	s.run(ctx)
	return s.failed
}
