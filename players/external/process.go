package external

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// maxLine is the longest line of a program in bytes.
const maxLine = 1 << 20

// process is a running program. Those who talk to it may have to wait: see within.
type process struct {
	cmd   *exec.Cmd
	in    *os.File      // the program's input
	lines chan string   // its output; closed at its end
	dead  chan struct{} // closed by kill
	ended chan struct{} // closed when the program has ended
	wrong error         // of its output; valid once lines is closed
	err   error         // of the talk: after it, nothing more is said or heard
	last  lastWords
	log   *log.Logger
	kill  func() // ends the program and its children at once; may be called often and by others

	farewell string // the command to end
}

func start(words []string, log *log.Logger) (*process, error) {
	p := &process{
		cmd: exec.Command(words[0], words[1:]...), lines: make(chan string), dead: make(chan struct{}), ended: make(chan struct{}), log: log,
	}
	input, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	out, output, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer output.Close()
	p.in, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, input, output, &p.last
	p.cmd.WaitDelay = time.Second // children may keep standard error open
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	p.kill = sync.OnceFunc(func() {
		close(p.dead)
		in.Close()
		out.Close()
		select {
		case <-p.ended: // its group may be another's by now
		default:
			killGroup(p.cmd)
			<-p.ended
		}
	})
	go func() {
		p.cmd.Wait()     // its error is in ProcessState
		killGroup(p.cmd) // its children may hold its output open
		close(p.ended)
	}()
	go p.read(out)
	return p, nil
}

func (p *process) read(out io.Reader) {
	defer close(p.lines)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		p.log.Printf("%d < %s", p.cmd.Process.Pid, line)
		select {
		case p.lines <- line:
		case <-p.dead:
			return
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		p.wrong = fmt.Errorf("it wrote a line of over %d bytes", maxLine)
	}
}

// within calls do, which talks to the program, and returns the error that the talk met. If it takes longer than limit or
// ctx ends, within kills the program and returns the cause.
func (p *process) within(ctx context.Context, limit time.Duration, late error, do func()) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	stop := context.AfterFunc(ctx, p.kill)
	do()
	if !stop() {
		return context.Cause(ctx)
	}
	return p.err
}

// say writes a line.
func (p *process) say(format string, a ...any) {
	if p.err != nil {
		return
	}
	line := fmt.Sprintf(format, a...)
	p.log.Printf("%d > %s", p.cmd.Process.Pid, line)
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.err = p.end()
	}
}

// hear returns the program's next line, "" after an error.
func (p *process) hear() string {
	if p.err == nil {
		select {
		case line, ok := <-p.lines:
			if ok {
				return line
			}
		case <-p.dead:
		}
		p.err = p.end()
	}
	return ""
}

// fail is an error of the talk, unless it has met one before.
func (p *process) fail(err error) { p.err = cmp.Or(p.err, err) }

// end kills the program, unless it ends by itself, and says why it has no more to say.
func (p *process) end() error {
	text := "it ended"
	select {
	case <-p.ended:
	case <-p.dead:
	case <-time.After(time.Second / 10):
		text = "it hung up"
	}
	p.kill()
	for range p.lines {
	}
	if p.wrong != nil {
		return p.wrong
	}
	fault := Private{Text: fmt.Sprintf("%s (%v)", text, p.cmd.ProcessState)}
	if words := p.last.String(); words != "" {
		fault.Detail = fmt.Sprintf(" with the words %q", words)
	}
	return fault
}

// quit lets the program end by itself for a moment, then kills it.
func (p *process) quit() {
	overdue := time.AfterFunc(time.Second, p.kill)
	defer overdue.Stop()
	p.say("%s", p.farewell)
	p.in.Close()
	for range p.lines {
	}
	p.kill()
}

// lastWords keeps the end of what is written to it.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (l *lastWords) Write(text []byte) (int, error) {
	const kept = 200
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text...)
	l.text = append(l.text[:0], l.text[max(0, len(l.text)-kept):]...)
	return len(text), nil
}

// String returns the last words on one line.
func (l *lastWords) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(strings.Fields(string(l.text)), " ")
}
