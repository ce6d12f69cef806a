package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tengen/internal/files"
)

// lineReader reads lines ahead in a goroutine, so that waiting for one can be interrupted.
type lineReader struct {
	lines chan string
	err   error // why there are no more lines; valid once lines is closed
}

// readLines starts reading. The goroutine ends with the input or, at the next line, with ctx.
func readLines(ctx context.Context, in io.Reader) *lineReader {
	r := &lineReader{lines: make(chan string)}
	go func() {
		defer close(r.lines)
		scanner := bufio.NewScanner(files.TextReader(in))
		for scanner.Scan() {
			select {
			case r.lines <- scanner.Text():
			case <-ctx.Done():
				r.err = ctx.Err()
				return
			}
		}
		if r.err = scanner.Err(); r.err == nil {
			r.err = io.EOF
		}
	}()
	return r
}

// next returns the next line without its newline. After the last line, the error is io.EOF.
func (r *lineReader) next(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line, ok := <-r.lines:
		if !ok {
			return "", r.err
		}
		return line, nil
	}
}

// typed returns a line if one can be had without waiting.
func (r *lineReader) typed() (line string, ok bool) {
	select {
	case line, ok = <-r.lines:
	default:
	}
	return line, ok
}

// prompter returns a function that writes a prompt and reads a line.
func (r *lineReader) prompter(out io.Writer) func(ctx context.Context, prompt string) (string, error) {
	return func(ctx context.Context, prompt string) (string, error) {
		fmt.Fprint(out, prompt)
		return r.next(ctx)
	}
}

// prompter returns a function that writes a prompt and reads a line. On a terminal it supports editing and history, and
// Ctrl-C ends the input.
func prompter(ctx context.Context, in io.Reader, out io.Writer) func(ctx context.Context, prompt string) (string, error) {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) && isTerminal(out) {
		screen := struct {
			io.Reader
			io.Writer
		}{in, out}
		return editor{int(f.Fd()), term.NewTerminal(screen, ""), out}.ask
	}
	return readLines(ctx, in).prompter(out)
}

// editor reads lines from a terminal. Raw mode is on only during ask, so that Ctrl-C is a signal at other times.
type editor struct {
	fd       int
	terminal *term.Terminal
	out      io.Writer
}

func (e editor) ask(ctx context.Context, prompt string) (string, error) {
	before, err := term.MakeRaw(e.fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(e.fd, before)
	e.terminal.SetSize(width(e.out), 24)
	e.terminal.SetPrompt(prompt)
	type answer struct {
		line string
		err  error
	}
	typed := make(chan answer, 1)
	go func() { // may outlive ask if ctx ends, but then so does the program
		line, err := e.terminal.ReadLine()
		typed <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-typed:
		return a.line, a.err
	}
}

// eachLine calls do with each line of in. Errors name the line, from 1.
func eachLine(ctx context.Context, in io.Reader, do func(text string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lines := readLines(ctx, in)
	for number := 1; ; number++ {
		text, err := lines.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("line %d: cannot read the position: %w", number, err)
		}
		if err := do(text); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// noPositions is a cobra.PositionalArgs for commands that read positions from standard input.
func noPositions(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageErrorf("unknown argument %q: positions come on standard input: echo %[1]q | tengen %s", args[0], cmd.Use)
}
