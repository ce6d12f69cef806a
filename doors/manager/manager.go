// Package manager is what the doors for managers share. A manager is a program that starts an engine and sends it
// commands, one in a line. A door translates them: doors/gomocup the protocol of gomoku tournaments, doors/gtp the Go
// Text Protocol.
//
// One goroutine reads commands. The Session has its Door obey them in order. During a thought (think.go), it asks the
// Door which of them end the thought and which must wait. The Clock ends a thought (clock.go).
//
// Every thought finds a move. If a player fails, the next one thinks (brain.go); if all fail, reflex chooses.
package manager

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"tengen/internal/files"
	"tengen/players"
)

// MaxThreads is the largest number of search goroutines.
const MaxThreads = 256

// Options are a door's players.
type Options struct {
	Players  []players.Spec // the first that can play on a board plays there; if it fails, the next ones do
	Threads  int            // search goroutines, unless the manager sets them; 0: one per core
	Seed     uint64         // of random choices
	Interval time.Duration  // least time between reports of a search
}

// CheckThreads returns an error unless n may be Options.Threads.
func CheckThreads(n int) error {
	if n < 0 || n > MaxThreads {
		return fmt.Errorf("%d threads, but must be 1 to %d, or 0 for one per core", n, MaxThreads)
	}
	return nil
}

// Door is a protocol. Its methods are called by one goroutine at a time, except Read.
type Door[C fmt.Stringer] interface {
	// Read reads the command that begins in the scanned line, and perhaps more lines of it. A line without a command is
	// not ok.
	Read(lines *bufio.Scanner) (c C, ok bool)
	// Obey obeys a command between thoughts.
	Obey(ctx context.Context, c C) error
	// Refuse answers a command that Obey could not obey.
	Refuse(c C, err error)
	// Hear is called for each command that arrives during a thought. It returns whether the command ends the thought, and
	// whether it must be obeyed afterwards.
	Hear(c C) (ends, waits bool)
	// Note reports that a player failed.
	Note(err error)
	// Resources returns what the manager allows now.
	Resources() Resources
}

// Session serves a manager through a Door, whose commands have type C and are written as their names. It is not safe for
// concurrent use.
type Session[C fmt.Stringer] struct {
	Options
	Over  bool   // the session must end
	Brain *Brain // nil before the first thought

	door        Door[C]
	out         io.Writer
	failed      error  // a write error
	commands    chan C // nil after its end
	waiting     []C    // received during a thought, not obeyed yet
	memoryLimit int64  // unless the manager sets one
}

// New returns a session that answers on out.
func New[C fmt.Stringer](d Door[C], out io.Writer, o Options) *Session[C] {
	if o.Threads == 0 {
		o.Threads = min(runtime.GOMAXPROCS(0), MaxThreads)
	}
	return &Session[C]{Options: o, door: d, out: out, commands: make(chan C, 256), memoryLimit: debug.SetMemoryLimit(-1)}
}

// Run obeys in's commands until Over or the end of in or ctx, none of which is an error; a line of 64 KiB is one. Its
// reading goroutine ends with in. Run sets the process's memory limit, so only one may run at a time.
func (s *Session[C]) Run(ctx context.Context, in io.Reader) error {
	defer debug.SetMemoryLimit(s.memoryLimit)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var unread error // valid once commands is closed
	go func(commands chan<- C) {
		defer close(commands)
		unread = s.read(ctx, in, commands)
	}(s.commands)
	for !s.Over {
		if len(s.waiting) > 0 {
			c := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.Do(ctx, c)
			continue
		}
		if s.commands == nil {
			break
		}
		select {
		case c, ok := <-s.commands:
			if ok {
				s.Do(ctx, c)
			} else {
				s.commands = nil
			}
		case <-ctx.Done():
			s.Over = true
		}
	}
	s.Forget()
	if s.failed == nil && s.commands == nil {
		return unread
	}
	return s.failed
}

// read sends in's commands until the end of in or, at the next command, of ctx. Its error is in's.
func (s *Session[C]) read(ctx context.Context, in io.Reader, commands chan<- C) error {
	lines := bufio.NewScanner(in)
	lines.Split(files.ScanLines)
	for lines.Err() == nil && lines.Scan() { // after an error, Scan would take half a line for a whole one
		c, ok := s.door.Read(lines)
		if !ok {
			continue
		}
		select {
		case commands <- c:
		case <-ctx.Done():
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read a command of at most %d bytes: %w", bufio.MaxScanTokenSize-1, err)
	}
	return nil
}

// Do has the door obey a command, and refuse it after an error or a panic.
func (s *Session[C]) Do(ctx context.Context, c C) {
	defer func() {
		if p := recover(); p != nil {
			s.door.Note(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			s.door.Refuse(c, fmt.Errorf("%v failed", c))
		}
	}()
	if err := s.door.Obey(ctx, c); err != nil {
		s.door.Refuse(c, err)
	}
}

// Say writes a line. A failed write ends the session.
func (s *Session[C]) Say(format string, a ...any) {
	if _, err := fmt.Fprintf(s.out, format+"\n", a...); err != nil {
		s.Over, s.failed = true, err
	}
}

// OneLine joins the lines of a text.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
