package gomocup

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"tengen/doors/manager"
	"tengen/players/playertest"
	"tengen/run/runtest"
)

func TestMain(m *testing.M) { runtest.Main(m) }

// quiet are options for a player that answers the same everywhere.
func quiet(t testing.TB, names ...string) Options {
	t.Helper()
	o := Options{Options: manager.Options{Threads: 2, Seed: 1}, Quiet: true}
	for _, text := range names {
		o.Players = append(o.Players, playertest.Spec(t, text))
	}
	return o
}

// talk sends text and returns the first n lines that come back, before it sends END.
func talk(t *testing.T, o Options, text string, n int) (answers []string) {
	t.Helper()
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Run(t.Context(), in, out, o)
		out.Close()
		in.Close()
	}()
	go func() { _, _ = io.WriteString(toEngine, text+"\n") }() // the error says that the engine has ended
	lines := bufio.NewScanner(fromEngine)
	for range n {
		if !lines.Scan() {
			t.Fatalf("after %q there is no more", answers)
		}
		answers = append(answers, lines.Text())
	}
	go func() { _, _ = io.WriteString(toEngine, "END\n") }()
	if lines.Scan() {
		t.Fatalf("after %q comes %q", answers, lines.Text())
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	return answers
}

// atOnce sends text and its end, so that nothing is thought over, and returns what comes back.
func atOnce(t testing.TB, o Options, text string) string {
	t.Helper()
	var out strings.Builder
	if err := Run(t.Context(), strings.NewReader(text), &out, o); err != nil {
		t.Error(err)
	}
	return out.String()
}
