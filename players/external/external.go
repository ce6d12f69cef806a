// Package external runs external engines: by the Go Text Protocol (gtp.go), the Universal Chess Interface
// (uci.go) and the protocol of Gomocup (gomocup.go).
//
// A Command says which program to start, and a Program is one process of it. Programs have faults: they crash, hang,
// play illegal moves. An error of Move is such a fault. It ends the process, and the next Move starts another.
package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tengen/game"
)

// Limits of programs' patience.
const (
	startTime = 30 * time.Second // for the start
	moveTime  = 60 * time.Second // for a move, unless the command limits it
	grace     = time.Second      // for a move beyond its limit
)

// Resign is the answer of a program that gives the game up.
const Resign = "resign"

// The protocols, which are the first words of a SPEC.
const (
	GTP     = "gtp"
	UCI     = "uci"
	Gomocup = "gomocup"
)

// Command is how to start a program. It is safe for concurrent use.
type Command struct {
	Protocol string        // GTP, UCI or Gomocup
	Words    []string      // the program and its arguments
	Options  []Option      // in the order given
	Time     time.Duration // for a move; 0: moveTime

	startTime time.Duration // for the start

	mu            sync.Mutex
	name, version string
	running       map[*process]bool
}

// Option is a setting NAME=VALUE of a program.
type Option struct{ Name, Value string }

// limits reports whether the option limits a move of UCI.
func (o Option) limits() bool { return o.Name == "nodes" || o.Name == "depth" }

// ParseCommand parses [OPTIONS:]COMMAND. Options are separated by commas: NAME=VALUE, or a duration, the time for a
// move. What precedes the first colon is a part of the command unless it consists of options. Names of UCI alone have
// blanks. Quotation marks in OPTIONS keep colons and commas in a value. splitWords says how COMMAND is read.
func ParseCommand(protocol, text string) (*Command, error) {
	c := &Command{Protocol: protocol, startTime: startTime, running: map[*process]bool{}}
	options, command, found := cutUnquoted(text, ':')
	if !found || !c.parseOptions(options) {
		command = text
	}
	words, err := splitWords(command, runtime.GOOS == "windows")
	if err == nil && len(words) == 0 {
		err = errors.New("the command is missing")
	}
	if c.Words = words; err != nil {
		return nil, err
	}
	if protocol == UCI && c.Time == 0 && !slices.ContainsFunc(c.Options, Option.limits) {
		return nil, errors.New("nothing limits a move, neither nodes=NUMBER, depth=NUMBER nor a duration")
	}
	for _, o := range c.Options {
		if n, err := strconv.ParseUint(o.Value, 10, 63); protocol == UCI && o.limits() && (err != nil || n == 0) {
			return nil, fmt.Errorf("%s is %q, but must be a whole number above 0", o.Name, o.Value)
		}
	}
	return c, nil
}

// parseOptions reports whether the text consists of options.
func (c *Command) parseOptions(text string) bool {
	var options []Option
	limit, foreign := time.Duration(0), `'" `
	if c.Protocol == UCI {
		foreign = `'"`
	}
	for more := text != ""; more; {
		var part string
		part, text, more = cutUnquoted(text, ',')
		part = strings.TrimSpace(part)
		name, value, assigned := strings.Cut(part, "=")
		if assigned && name != "" && !strings.ContainsAny(name, foreign) {
			words, _ := splitWords(value, true) // its quotation marks are in pairs
			options = append(options, Option{name, strings.Join(words, " ")})
			continue
		}
		var err error
		if limit, err = time.ParseDuration(part); err != nil || limit <= 0 {
			return false
		}
	}
	c.Options, c.Time = options, limit
	return true
}

// cutUnquoted is strings.Cut at the first separator outside quotation marks.
func cutUnquoted(text string, separator rune) (before, after string, found bool) {
	quote := rune(0)
	for i, r := range text {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
		case r == '\'' || r == '"':
			quote = r
		case r == separator:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// Identity returns what the program says of itself, "" before its first start.
func (c *Command) Identity() (name, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name, c.version
}

// Close ends the processes of all Programs, which must not move any more.
func (c *Command) Close() {
	c.mu.Lock()
	running := slices.Collect(maps.Keys(c.running))
	clear(c.running)
	c.mu.Unlock()
	var ended sync.WaitGroup
	for _, p := range running {
		ended.Go(p.quit) // each may take a second
	}
	ended.Wait()
}

func (c *Command) identify(name, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name, c.version = name, version
}

// Board is the board to play on.
type Board struct {
	Game  string // full name, such as "breakthrough:6,6"
	Size  game.Size
	Komi  *float64 // see game.Compensated; nil if the game has none
	Steps bool     // moves go from cell to cell
}

func (b Board) family() string {
	family, _, _ := strings.Cut(b.Game, ":")
	return family
}

// Move is a move of a game, as Program.Write writes it.
type Move struct {
	Text string
	Pass bool // it puts no stone and moves no piece
}

func sameMove(a, b Move) bool { return strings.EqualFold(a.Text, b.Text) }

// Private is a fault with details for the program's owner alone, such as its command or what it wrote last.
type Private struct{ Text, Detail string }

// Error implements error.
func (p Private) Error() string { return p.Text + p.Detail }

// Answer is a program's move.
type Answer struct {
	Text  string   // of the move; Resign in any case of letters
	Value float32  // in [-1, 1], for the side to move; NaN if the program gives none
	Nodes int      // visited; 0 if unknown
	PV    []string // the line that it expects, perhaps empty
}

// talk is a protocol.
type talk interface {
	// write returns the text of a move.
	write(move game.Target, notation string) string
	// begin greets the program and opens the board.
	begin(p *process, c *Command, b Board)
	// move asks for a move after these moves, of which the program knows the first known; -1: of another game, which
	// seed tells from others.
	move(p *process, c *Command, moves []Move, known int, seed uint32, answer *Answer)
}

// Program is a process of a Command for one board. It is not safe for concurrent use.
type Program struct {
	command *Command
	board   Board
	log     *log.Logger
	talk    talk
	process *process // nil before the start and after a fault
	known   []Move   // those that the process knows
}

// New returns a Program, which starts with its first move. The log gets what both sides say; nil: no log.
func (c *Command) New(b Board, l *log.Logger) *Program {
	if l == nil {
		l = log.New(io.Discard, "", 0)
	}
	p := &Program{command: c, board: b, log: l}
	switch c.Protocol {
	case UCI:
		p.talk = &uci{}
	case Gomocup:
		p.talk = &gomocup{size: b.Size}
	default:
		p.talk = &gtp{board: b}
	}
	return p
}

// Write returns how the protocol writes a move. notation is the game's.
func (p *Program) Write(move game.Target, notation string) string {
	return p.talk.write(move, notation)
}

// Move asks for the move after these moves from the start. seed determines the program's random choices in this game, if
// the program lets it. If ctx ends, Move returns its cause; any other error is a fault of the program.
func (p *Program) Move(ctx context.Context, moves []Move, seed uint32) (Answer, error) {
	if p.process == nil {
		if err := p.start(ctx); err != nil {
			return Answer{}, err
		}
	}
	limit := moveTime
	if p.command.Time > 0 {
		limit = p.command.Time
	}
	known := len(p.known)
	if known == 0 || known > len(moves) || !slices.EqualFunc(moves[:known], p.known, sameMove) {
		known = -1
	}
	answer := Answer{Value: float32(math.NaN())}
	late := fmt.Errorf("it has not moved within %v and %v of grace", limit, grace)
	err := p.process.within(ctx, limit+grace, late, func() { p.talk.move(p.process, p.command, moves, known, seed, &answer) })
	if err != nil {
		p.Discard()
		return answer, err
	}
	p.known = append(append(p.known[:0], moves...), Move{Text: answer.Text})
	return answer, nil
}

func (p *Program) start(ctx context.Context) error {
	process, err := start(p.command.Words, p.log)
	if err != nil {
		return Private{"it does not start", ": " + whyNot(p.command.Words[0], err)}
	}
	p.process, p.known = process, nil
	p.command.mu.Lock()
	p.command.running[process] = true
	p.command.mu.Unlock()
	limit := p.command.startTime
	late := fmt.Errorf("it has not begun within %v: does it speak this protocol?", limit)
	if err := process.within(ctx, limit, late, func() { p.talk.begin(process, p.command, p.board) }); err != nil {
		p.Discard()
		return err
	}
	return nil
}

// whyNot says why a program has not started. An existing script may lack the program that runs it.
func whyNot(name string, err error) string {
	_, missing := os.Stat(name)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) && missing != nil {
		return fmt.Sprintf("there is no program %s: install it, or write its path", name)
	}
	return err.Error()
}

// Discard kills the process. The next Move starts another.
func (p *Program) Discard() {
	if p.process != nil {
		p.process.kill()
		p.command.mu.Lock()
		delete(p.command.running, p.process)
		p.command.mu.Unlock()
		p.process = nil
	}
}
