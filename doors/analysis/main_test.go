package analysis_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"

	"go.uber.org/goleak"

	"tengen/doors/analysis"
	"tengen/engine"
	"tengen/players"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns the engine of a game and the configuration of a player of it.
func open(t testing.TB, game, player string) (engine.Game, analysis.Config) {
	t.Helper()
	e, err := engine.Open(game)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := players.ParseSpec(player)
	if err != nil {
		t.Fatal(err)
	}
	return e, analysis.Config{Player: spec, AnalyzeConfig: engine.AnalyzeConfig{Workers: 1, Seed: 1}, Threads: 1}
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

// connect starts Serve, which the test's end ends.
func connect(ctx context.Context, t *testing.T, game, player string, change func(*analysis.Config)) *client {
	t.Helper()
	e, config := open(t, game, player)
	if change != nil {
		change(&config)
	}
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

// ask writes a line.
func (c *client) ask(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Error(err)
	}
}

// next reads an answer.
func (c *client) next() (a answer) {
	c.t.Helper()
	if !c.answers.Scan() {
		c.t.Fatalf("no answer: %v", c.answers.Err())
	}
	if err := json.Unmarshal(c.answers.Bytes(), &a); err != nil {
		c.t.Fatalf("%v: %s", err, c.answers.Bytes())
	}
	return a
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
