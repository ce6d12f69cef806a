package gtp

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/players/playertest"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// options returns the options for a game and players.
func options(t testing.TB, name string, specs ...string) Options {
	t.Helper()
	g, err := engine.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Options: manager.Options{Threads: 2, Seed: 1}, Game: g, Name: "tengen", Version: "1.0", Log: t.Output()}
	for _, text := range specs {
		o.Players = append(o.Players, playertest.Spec(t, text))
	}
	return o
}

// atOnce sends text and its end, and returns what comes back.
func atOnce(t testing.TB, o Options, text string) string {
	t.Helper()
	var out strings.Builder
	if err := Run(t.Context(), strings.NewReader(text), &out, o); err != nil {
		t.Error(err)
	}
	return out.String()
}

// controller is the manager's side of a session that runs.
type controller struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
	done  chan error
}

func start(t *testing.T, o Options) *controller {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	c := &controller{t, toEngine, bufio.NewScanner(fromEngine), make(chan error, 1)}
	go func() {
		c.done <- Run(t.Context(), in, out, o)
		out.Close()
		in.Close()
	}()
	return c
}

// send writes a command without waiting for its answer.
func (c *controller) send(command string) {
	if _, err := io.WriteString(c.in, command+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// line returns the next line.
func (c *controller) line() string {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatal("there is no more")
	}
	return c.lines.Text()
}

// ask sends a command and returns the answer, which must not be a failure.
func (c *controller) ask(command string) string {
	c.t.Helper()
	c.send(command)
	return c.answer(command)
}

// answer reads an answer up to its empty line.
func (c *controller) answer(command string) string {
	c.t.Helper()
	text, ok := strings.CutPrefix(c.line(), "=")
	if !ok {
		c.t.Fatalf("%s: %s", command, c.lines.Text())
	}
	for line := c.line(); line != ""; line = c.line() {
		text += "\n" + line
	}
	return strings.TrimSpace(text)
}

// quit ends the session.
func (c *controller) quit() {
	c.t.Helper()
	c.ask("quit")
	if c.lines.Scan() {
		c.t.Errorf("after quit comes %q", c.lines.Text())
	}
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
}
