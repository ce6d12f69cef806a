package gomocup

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tengen/doors/manager"
	"tengen/engine"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/mcts"
	"tengen/net"
	"tengen/players"
)

// broken is a thinker that panics.
type broken struct{ engine.Thinker }

func (broken) Explain(context.Context, players.Limit, []game.Action, func(players.Report)) (players.Report, error) {
	panic("out of\nideas")
}

// openModels replaces how models are read until the test ends.
func openModels(t *testing.T, open func(path string) (*net.Model, error)) {
	engine.RegisterModels(open, nil)
	t.Cleanup(func() { engine.RegisterModels(nil, nil) })
}

// first returns the position of gomoku after a first move in the centre.
func first(t *testing.T) engine.Position {
	t.Helper()
	g, err := engine.Open("gomoku")
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Parse("h8")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newGame is a session on a 15x15 board.
func newGame(t *testing.T, o Options, out io.Writer) *session {
	t.Helper()
	s := newSession(out, o)
	s.Do(t.Context(), command{name: "START", text: "15"})
	return s
}

// If a player panics, another one answers; if that fails too, or the whole list, it is a legal move.
func TestPanicIsAnswered(t *testing.T) {
	for _, players := range [][]string{{"random"}, {"random", "alphabeta:1"}} {
		var out strings.Builder
		s := newGame(t, quiet(t, players...), &out)
		s.Brain.Thinker = broken{s.Brain.Thinker}
		s.Do(t.Context(), command{name: "BOARD", stones: [][]int{{7, 7, 1}, {0, 0, 2}}, read: time.Now()})
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		move := lines[len(lines)-1]
		if !strings.HasPrefix(lines[1], "MESSAGE players: panic: out of ideas") || strings.Trim(move, "0123456789,") != "" || move == "7,7" {
			t.Errorf("%v: %q", players, lines)
		}
	}
}

// failing is a writer that nobody listens to.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// A manager that has gone away ends the session.
func TestNobodyListens(t *testing.T) {
	gone := errors.New("gone")
	in, _ := io.Pipe()
	if err := Run(t.Context(), io.MultiReader(strings.NewReader("ABOUT\n"), in), failing{gone}, quiet(t, "random")); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	in.Close()
}

// A network whose output is not finite is found out when it plays: the next player answers.
func TestNextPlayer(t *testing.T) {
	cfg := net.Default()
	cfg.Blocks, cfg.Channels, cfg.PolicyHead, cfg.ValueHead = 1, 4, net.HeadConv, net.HeadPooled
	w := net.NewWeights(cfg, net.ShapeOf(mnk.Gomoku()), 1)
	w.Params[0].Data[0] = float32(math.NaN())
	search, err := json.Marshal(mcts.Default())
	if err != nil {
		t.Fatal(err)
	}
	openModels(t, func(string) (*net.Model, error) {
		return &net.Model{Game: "gomoku", Search: search, Weights: w}, nil
	})
	got := talk(t, quiet(t, "net:broken", "alphabeta:1"), "START 15\nBOARD\n7,7,1\n7,8,2\n8,7,1\n8,8,2\n9,7,1\n9,8,2\n10,7,1\n6,7,2\nDONE", 3)
	if got[0] != "OK" || !strings.Contains(got[1], "not finite") || got[2] != "11,7" {
		t.Errorf("%q", got)
	}
}

// Where no player can play, START says why.
func TestNobodyCanPlay(t *testing.T) {
	openModels(t, func(string) (*net.Model, error) { return nil, errors.New("there is no such file") })
	want := "ERROR player \"net:nowhere\": there is no such file\nERROR there is no board yet: send START first\n"
	if got := atOnce(t, quiet(t, "net:nowhere"), "START 15\nBEGIN\n"); got != want {
		t.Errorf("%q", got)
	}
}

// It thinks on the opponent's time only if the manager allows it.
func TestPonder(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		s := newGame(t, quiet(t, "uct:100"), io.Discard)
		s.info.ponder = allowed
		s.ponder(first(t))
		s.Brain.Thinker.Stop()
		r, err := s.Brain.Thinker.Think(t.Context(), players.Limit{Simulations: 1}, nil)
		if err != nil || r.Kept > 0 != allowed {
			t.Errorf("allowed %t: %d simulations were there already, %v", allowed, r.Kept, err)
		}
	}
}

// Whatever is asked of the engine but INFO ends that, and so does the word that it is not to.
func TestPonderingEnds(t *testing.T) {
	for _, c := range []command{{name: "STOP"}, {name: "YXSTOP"}, {name: "RESTART"}, {name: "INFO", text: "pondering 0"}} {
		s := newGame(t, quiet(t, "uct:10000000"), io.Discard)
		s.info.ponder = true
		s.ponder(first(t))
		s.Do(t.Context(), c)
		if err := goleak.Find(); err != nil {
			t.Errorf("%s %s: it goes on: %v", c.name, c.text, err)
		}
		s.Forget()
	}
}

// While a player cannot play the board, the next keeps what it has found.
func TestUnfitPlayer(t *testing.T) {
	openModels(t, func(string) (*net.Model, error) { return nil, errors.New("there is no such file") })
	s := newGame(t, quiet(t, "net:nowhere", "uct:100"), io.Discard)
	brain := s.Brain
	if err := s.Wake(s.board.Game, 0); err != nil || s.Brain != brain {
		t.Errorf("another brain, error %v", err)
	}
}

// Alpha-beta answers at once where each move is to be as fast as possible.
func TestAlphaBetaWithoutTime(t *testing.T) {
	if got := talk(t, quiet(t, "alphabeta:20"), "START 15\nINFO timeout_turn 0\nBEGIN\n", 2); strings.Count(got[1], ",") != 1 {
		t.Errorf("%q", got)
	}
}

// slow is a thinker that takes its time for each batch of evaluations, and looks at the clock between them.
type slow struct {
	engine.Thinker
	takes time.Duration
}

func (slow) Set(engine.Position) {}

func (s *slow) Explain(
	ctx context.Context, limit players.Limit, _ []game.Action, report func(players.Report),
) (r players.Report, err error) {
	start := time.Now()
	for r.Analysis == nil || ctx.Err() == nil && time.Since(start) < limit.Time {
		time.Sleep(s.takes)
		r.Analysis = &players.Analysis{Best: 7}
		report(r)
	}
	return r, nil
}

// No answer comes later than the manager allows, by a clock that only evaluations move, even where a single one takes
// longer than that. Thoughts are not ended too early either.
func TestNeverLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newGame(t, quiet(t, "random"), io.Discard)
		brain := s.Brain
		s.Brain.Limit = players.Limit{}
		s.inform("timeout_turn 1000")
		for _, test := range []struct{ takes, least time.Duration }{
			{30 * time.Millisecond, 800 * time.Millisecond},
			{300 * time.Millisecond, 500 * time.Millisecond},
			{5 * time.Second, 500 * time.Millisecond},
		} {
			brain.Thinker = &slow{brain.Thinker, test.takes}
			for range 3 {
				start := time.Now()
				s.Do(t.Context(), command{name: "BEGIN", read: start})
				if took := time.Since(start); took < test.least || took > time.Second {
					t.Errorf("a move of %v, when batches take %v", took, test.takes)
				}
			}
		}
		time.Sleep(time.Minute) // after the thoughts that came too late
	})
}

// STOP ends a thought that has all the time of the world, and what came meanwhile is answered after it.
func TestStop(t *testing.T) {
	got := talk(t, quiet(t, "alphabeta:20"), "START 15\nINFO timeout_turn 0\nINFO timeout_turn 2000000000\nBEGIN\nABOUT\nYXSTOP\nFOO\n", 4)
	if got[0] != "OK" || strings.Count(got[1], ",") != 1 || !strings.HasPrefix(got[2], "name=") || got[3] != "UNKNOWN FOO" {
		t.Errorf("%q", got)
	}
}

// A line that is too long ends the session with an error, and no part of it is obeyed.
func TestLongLine(t *testing.T) {
	for _, text := range []string{"ABOUT " + strings.Repeat("x", 1<<16), "START 15\nYXBOARD\n" + strings.Repeat("1", 1<<16) + "\nDONE\n"} {
		var out strings.Builder
		err := Run(t.Context(), strings.NewReader(text), &out, Options{Options: manager.Options{Players: []players.Spec{{Kind: players.KindRandom}}}})
		if err == nil || !strings.Contains(err.Error(), "cannot read a command of at most 65535 bytes: ") || strings.Contains(out.String(), "UNKNOWN") {
			t.Errorf("error %v after %q", err, out.String())
		}
	}
}

// END ends a thought without an answer: there is nobody to hear it.
func TestEnd(t *testing.T) {
	if got := atOnce(t, quiet(t, "alphabeta:20"), "START 15\nBEGIN\nEND\n"); got != "OK\n" {
		t.Errorf("%q", got)
	}
}

// The network that comes with tengen plays on all boards, and sees forced wins without a search.
func TestDefaultPlayers(t *testing.T) {
	for _, start := range []string{"START 6", "START 20", "RECTSTART 20,7"} {
		got := talk(t, Options{Options: manager.Options{Players: DefaultPlayers("gomoku"), Threads: 1}, Quiet: true}, start+"\nINFO timeout_turn 0\nBOARD\n0,1,1\n0,0,2\n1,1,1\n1,0,2\n2,1,1\n2,0,2\nDONE\n", 2)
		if got[1] != "3,1" {
			t.Errorf("%s: %q", start, got)
		}
	}
	s := newGame(t, Options{Options: manager.Options{Players: DefaultPlayers("gomoku"), Threads: 1}}, io.Discard)
	if s.Brain == nil || s.Brain.Player != 0 {
		t.Error("the network does not play gomoku")
	}
}
