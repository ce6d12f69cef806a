package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/engine"
	"tengen/players"
)

// lifeVariable has an address where a connection stays open as long as an engine lives.
const lifeVariable = "TENGEN_TEST_LIFE"

// playEngine speaks GTP: it plays the first free cell of tic-tac-toe, unless role says what else it does when asked for
// a move.
func playEngine(role string) {
	if life, err := net.Dial("tcp", os.Getenv(lifeVariable)); err == nil {
		defer life.Close()
	}
	free := []string{}
	for commands := bufio.NewScanner(os.Stdin); commands.Scan(); {
		words, answer := strings.Fields(commands.Text()), "="
		switch do := words[0] + " " + role; {
		case words[0] == "clear_board":
			free = strings.Fields("A1 A2 A3 B1 B2 B3 C1 C2 C3")
		case words[0] == "play":
			free = slices.DeleteFunc(free, func(cell string) bool { return strings.EqualFold(cell, words[2]) })
		case do == "boardsize refuse":
			answer = "? unacceptable size"
		case do == "genmove hang":
			_, _ = io.Copy(io.Discard, os.Stdin)
		case do == "genmove crash":
			fmt.Fprintln(os.Stderr, "no file /secret/weights")
			os.Exit(3)
		case do == "genmove resign":
			answer = "= resign"
		case words[0] == "genmove":
			answer, free = "= "+free[0], free[1:]
		}
		fmt.Printf("%s\n\n", answer)
	}
}

// newEngine returns an engine with a role, which is its name: this program, started again.
func newEngine(t *testing.T, role string) Engine {
	t.Helper()
	spec, err := players.ParseSpec(fmt.Sprintf("gtp:'%s' engine %s", os.Args[0], role))
	if err != nil {
		t.Fatal(err)
	}
	return Engine{Name: role, Spec: spec}
}

// lives counts the engines that run. Engines that start later know where to be counted.
func lives(t *testing.T) (alive, started *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	t.Setenv(lifeVariable, listener.Addr().String())
	alive, started = new(atomic.Int32), new(atomic.Int32)
	go func() {
		for life, err := listener.Accept(); err == nil; life, err = listener.Accept() {
			started.Add(1)
			alive.Add(1)
			go func() {
				_, _ = io.Copy(io.Discard, life)
				life.Close()
				alive.Add(-1)
			}()
		}
	}()
	return alive, started
}

// An engine plays and analyzes under its name, without a value.
func TestEngine(t *testing.T) {
	gomocup := newEngine(t, "five")
	gomocup.Spec.Kind = players.KindGomocup
	s := newServer(t, func(o *Options) { o.Engines = []Engine{newEngine(t, "mine"), gomocup} })
	t.Cleanup(s.Close)
	const mine = `{"name":"mine","kind":"gtp","note":"given by --engine","limits":[],"simulations":null,"milliseconds":null,"depth":null,` +
		`"network":false,"run":null,"iteration":null}`
	if body := ask(s, request("/api/players?game=tictactoe")).Body.String(); !strings.Contains(body, `"players":[`+mine) {
		t.Errorf("/api/players says %s, want %s first", body, mine)
	}
	for game, offers := range map[string]bool{"tictactoe": false, "gomoku": true, "mnk:9,9,5": true, "mnk:9,9,4": false, "connect4:9,7,5": false} {
		if body := ask(s, request("/api/players?game="+game)).Body.String(); strings.Contains(body, `"five"`) != offers {
			t.Errorf("%s: an engine of Gomocup is offered: %v, want %v", game, !offers, offers)
		}
	}
	for moves, want := range map[string]string{"a1": "a2", "a1+a2+b2": "a3"} {
		name, a := analyze(t, s, "player=mine&game=tictactoe&moves="+moves)
		if best := a.Candidates[0]; name != "done" || a.Best != want || a.Value != nil || best.Move != want || best.Value != nil || a.Next == nil {
			t.Errorf("%s: %s %+v", moves, name, a)
		}
	}
	wantError(t, s, request("/api/analysis?game=tictactoe&player=mine&simulations=9"), 400, "mine has no limit simulations")
}

// Clients learn what an engine does wrong, and its owner learns more. Neither its command nor what it says is theirs.
func TestEngineFaults(t *testing.T) {
	absent := newEngine(t, "absent")
	absent.Spec.Path = "/secret/program"
	told := make(chan string, 1)
	s := newServer(t, func(o *Options) {
		o.Engines = []Engine{newEngine(t, "crash"), newEngine(t, "refuse"), newEngine(t, "resign"), absent}
		o.Warn = func(err error) { told <- err.Error() }
	})
	t.Cleanup(s.Close)
	for name, c := range map[string]struct{ public, private string }{
		"crash":  {"it ended (exit status 3)", `engine crash: it ended (exit status 3) with the words "no file /secret/weights"`},
		"refuse": {`it does not play tictactoe: it refuses "boardsize 3": "? unacceptable size"`, `engine refuse: it does not play tictactoe`},
		"absent": {"it does not start", "engine absent: it does not start: "},
		"resign": {"it resigns", ""},
	} {
		w := ask(s, request("/api/analysis?game=tictactoe&id=7&player="+name))
		var got struct {
			ID, Error string
			Resigns   bool
		}
		event, data := lastEvent(w.Body.String())
		decode(t, data, &got)
		if event != "error" || got.ID != "7" || got.Error != c.public || got.Resigns != (name == "resign") {
			t.Errorf("%s: %s %s", name, event, data)
		}
		if c.private != "" {
			if text := <-told; !strings.HasPrefix(text, c.private) {
				t.Errorf("its owner learns %s, want %s", text, c.private)
			}
		}
	}
}

// There are never more processes than searches may run. They end when the client has gone, and with the server.
func TestEngineProcesses(t *testing.T) {
	alive, started := lives(t)
	s := newServer(t, func(o *Options) {
		o.Searches = 2
		o.Engines = []Engine{newEngine(t, "one"), newEngine(t, "two"), newEngine(t, "three"), newEngine(t, "hang")}
	})
	for i, player := range []string{"one", "two", "one", "two", "three"} { // moves reuse a process
		if name, a := analyze(t, s, "game=tictactoe&player="+player); name != "done" || a.Best != "a1" {
			t.Errorf("%s: %s %+v", player, name, a)
		}
		waitFor(t, 10*time.Second, "too many engines run", func() bool { return alive.Load() == int32(min(i+1, 2)) })
	}
	if n := started.Load(); n != 3 {
		t.Errorf("%d processes have started, want one for each engine", n)
	}
	stream := open(t, listening(t, s), "/api/analysis?game=tictactoe&player=hang")
	waitFor(t, 10*time.Second, "the engine has not started", func() bool { return started.Load() == 4 })
	stream.close()
	waitFor(t, 10*time.Second, "the engine of a client that has gone still runs", func() bool { return alive.Load() == 1 })
	s.Close()
	waitFor(t, 10*time.Second, "an engine outlives its server", func() bool { return alive.Load() == 0 })
}

func TestEngineNames(t *testing.T) {
	good := newEngine(t, "good")
	taken, strange := "the name is taken: choose another", "a name has only letters, digits, dots, dashes and underscores: write NAME=SPEC"
	for name, want := range map[string]string{"": strange, "a b": strange, "uct": taken, "person": taken, "easy": taken, "connect4": taken, "good": taken} {
		_, err := New(Options{PositionOptions: PositionOptions{Engines: []Engine{good, {Name: name, Spec: good.Spec}}}})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("engine %q: %s", name, want)) || !errors.As(err, new(engine.InputError)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
