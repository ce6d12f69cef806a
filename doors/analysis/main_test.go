package analysis_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"tengen/doors/analysis"
	"tengen/engine"
	"tengen/players/playertest"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// open returns a game and a configuration of a player of it.
func open(t testing.TB, game, player string, workers int) (engine.Game, analysis.Config) {
	t.Helper()
	e, err := engine.Open(game)
	if err != nil {
		t.Fatal(err)
	}
	return e, analysis.Config{Player: playertest.Spec(t, player), AnalyzeConfig: engine.AnalyzeConfig{Workers: workers, Seed: 1}, Threads: 1}
}

// answer is any line that is answered.
type answer struct {
	analysis.Answer
	NoResults   bool   `json:"no_results"`
	Error       string `json:"error"`
	Action      string `json:"action"`
	TerminateID string `json:"terminate_id"`
}

// client talks to Serve as another program does.
type client struct {
	t       *testing.T
	in      *io.PipeWriter
	out     *io.PipeReader
	answers *bufio.Scanner
	ended   chan error
}

// connect starts Serve for Connect Four, which the test's end ends.
func connect(ctx context.Context, t *testing.T, player string, workers int) *client {
	t.Helper()
	e, config := open(t, "connect4", player, workers)
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	c := &client{t: t, in: in, out: out, answers: bufio.NewScanner(out), ended: make(chan error, 1)}
	go func() {
		err := analysis.Serve(ctx, e, config, requests, answers)
		answers.Close()
		requests.Close()
		c.ended <- err
	}()
	t.Cleanup(func() {
		in.Close()
		out.Close()
	})
	return c
}

// ask writes lines.
func (c *client) ask(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Error(err)
		}
	}
}

// next reads an answer.
func (c *client) next() (a answer) {
	c.t.Helper()
	if !c.answers.Scan() {
		c.t.Fatalf("no answer: %v", c.answers.Err())
	}
	return decode(c.t, c.answers.Text())
}

func decode(t *testing.T, text string) (a answer) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// serve returns the lines that answer requests.
func serve(t *testing.T, game, player string, workers int, requests string) []string {
	t.Helper()
	e, config := open(t, game, player, workers)
	var out strings.Builder
	if err := analysis.Serve(t.Context(), e, config, strings.NewReader(requests), &out); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(out.String()))
}

// final reads answers until one that is not during a search.
func (c *client) final() answer {
	c.t.Helper()
	for {
		if a := c.next(); !a.DuringSearch {
			return a
		}
	}
}

// endsWell waits for the end of Serve.
func (c *client) endsWell() {
	c.t.Helper()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
}
