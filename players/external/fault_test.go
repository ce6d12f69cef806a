package external_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/eval"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/players"
	"tengen/players/external"
	"tengen/players/playertest"
)

// meet has a random player play four games against an engine. It returns the groups of processes that there were.
func meet[S game.State[S]](t *testing.T, g game.Game[S], games int, spec string, change func(*external.Command)) (r eval.Result, played []eval.MatchGame, groups []string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "talk")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := players.Builder[S]{Game: g, Talk: log.New(file, "", 0)}.Build(playertest.Spec(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(p.Program)
	}
	r, err = eval.Play(t.Context(), eval.MatchConfig{Games: games, Seed: 1, Workers: 1}, g, playertest.Player(t, g, "random"), p,
		func(g eval.MatchGame, _ eval.Result) { played = append(played, g) })
	p.Close()
	if n := p.Program.Running(); n != 0 {
		t.Errorf("%d processes run on", n)
	}
	talk, _ := os.ReadFile(path)
	for _, m := range regexp.MustCompile(`(?m)^(\d+) >`).FindAllStringSubmatch(string(talk), -1) {
		if !slices.Contains(groups, m[1]) {
			groups = append(groups, m[1])
		}
	}
	for _, group := range groups {
		gone := func() bool { return len(members(group)) == 0 }
		if !eventually(gone) {
			t.Errorf("processes of the engine are left: %v", members(group))
		}
	}
	return r, played, groups, err
}

// eventually reports whether a condition comes true.
func eventually(condition func() bool) bool {
	for range 500 {
		if condition() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// members returns the living processes of a group, as far as the system tells.
func members(group string) (alive []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(stat), ") ")
		if words := strings.Fields(rest); len(words) > 2 && words[2] == group && words[0] != "Z" {
			alive = append(alive, string(stat))
		}
	}
	return alive
}

// What a program does wrong loses it the game, and it starts again; what is only odd does no harm.
func TestFaults(t *testing.T) {
	const none, given = "", "it resigns"
	for _, c := range []struct{ protocol, options, fault, want string }{
		{"gtp", "", "fine", none},
		{"gtp", "", "late", none},
		{"gtp", "", "banner", none},
		{"gtp", "", "crlf", none},
		{"gtp", "", "chatter", none},
		{"gtp", "", "lower", none},
		{"gtp", "", "resign", given},
		{"gtp", "", "illegal", `it plays "illegal", which is not legal after "`},
		{"gtp", "", "empty", `it plays "", which is not legal after "`},
		{"gtp", "", "refuse", `it refuses "play black `},
		{"gtp", "", "crash", "out of ideas"},
		{"gtp", "", "children", "it ended (exit status 3)"},
		{"gtp", "10ms:", "hang", "it has not moved within 10ms and 1s of grace"},
		{"gtp", "10ms:", "slow", "it has not moved within 10ms and 1s of grace"},
		{"gtp", "", "flood", "it wrote a line of over 1048576 bytes"},
		{"gtp", "", "mute", "it hung up ("},
		{"uci", "nodes=5:", "fine", none},
		{"uci", "depth=1:", "crlf", none},
		{"uci", "nodes=5:", "(none)", `it plays "(none)", which is not legal after "`},
		{"uci", "nodes=5:", "crash", "it ended (exit status 3) with the words "},
		{"gomocup", "", "fine", none},
		{"gomocup", "", "crlf", none},
		{"gomocup", "", "message", none},
		{"gomocup", "", "ERROR", `it refuses "TURN `},
		{"gomocup", "", "UNKNOWN", `it refuses "TURN `},
		{"gomocup", "", "illegal", `it plays "illegal", which is not legal after "`},
	} {
		t.Run(c.protocol+" "+c.fault, func(t *testing.T) {
			t.Parallel()
			r, played, groups, err := meet(t, five(), 4, once(t, c.protocol, c.options, c.fault), nil)
			if err != nil || r.Total().Games() != 4 || len(played) != 4 {
				t.Fatalf("%v, %v", r, err)
			}
			faults, starts := 1, 2
			if c.want == none || c.want == given {
				faults, starts = 0, 1
			}
			if r.AgainstFaults != faults || r.PlayerFaults != 0 || len(groups) != starts && runtime.GOOS != "windows" {
				t.Errorf("%d faults, %d of the other player, %d starts, want %d, 0 and %d", r.AgainstFaults, r.PlayerFaults, len(groups), faults, starts)
			}
			if text := fmt.Sprintf("scripted 1 and lost %d games by faults", faults); !strings.Contains(r.Text(), text) {
				t.Errorf("no %q in\n%s", text, r.Text())
			}
			var j struct {
				Losses, Wins   int
				Reproducible   *bool
				AgainstProgram struct{ Faults int } `json:"against_program"`
			}
			if data, err := json.Marshal(r); err != nil || json.Unmarshal(data, &j) != nil || j.AgainstProgram.Faults != faults || *j.Reproducible {
				t.Errorf("%s, %v", data, err)
			}
			g := played[0]
			if !strings.Contains(g.Forfeit, c.want) || (g.Forfeit == "") != (c.want == none) || g.Fault != (faults > 0) {
				t.Errorf("the game was lost because %q, want %q", g.Forfeit, c.want)
			}
			if c.want != none && (g.Outcome != 1 || len(g.Moves) != 5) {
				t.Errorf("outcome %d after %d moves, want 1 after 5", g.Outcome, len(g.Moves))
			}
		})
	}
}

// A program that fails before its first move, or again and again, ends the match.
func TestHopeless(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{engine(t, "gtp", "", "end"), "fails before its first move: game 0, move 2: it ended (exit status 4)"},
		{"gtp:/nowhere/engine 5", "/nowhere/engine"},
		{engine(t, "gtp", "", "board"), `it does not play mnk:5,5,5: it refuses "boardsize 5": "? unacceptable size"`},
		{engine(t, "gtp", "level=3:", "level"), "it has not begun within"}, // it does not answer unknown commands
		{engine(t, "gtp", "", "idle"), "it has not begun within 500ms: does it speak this protocol?"},
		{engine(t, "uci", "nodes=5:", "variant"), "it does not offer mnk among its variants"},
		{engine(t, "uci", "nodes=5,Skill Level=3:", "fine"), `it has no option "Skill Level"`},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			r, _, _, err := meet(t, five(), 4, c.spec, func(command *external.Command) {
				if strings.Contains(c.want, "begun") {
					command.SetStartTime(time.Second / 2)
				}
			})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.spec+" fails before its first move: game 0, move 2: ") {
				t.Errorf("%v, want %q", err, c.want)
			}
			if r.Total().Games() != 0 {
				t.Errorf("%v", r)
			}
		})
	}
	r, played, _, err := meet(t, five(), 9, engine(t, "gtp", "", "crash"), nil)
	if err == nil || !strings.Contains(err.Error(), " fails in 3 games: game 2, move 6: it ended (exit status 3) with ") || len(played) != 2 || r.AgainstFaults != 2 {
		t.Errorf("after %d games and %d faults: %v", len(played), r.AgainstFaults, err)
	}
}

// Some programs pass by themselves, and refuse to be told of a pass.
func TestPassesAreRefused(t *testing.T) {
	r, played, _, err := meet(t, small(), 20, engine(t, "gtp", "", "pass"), nil)
	if err != nil || r.AgainstFaults != 0 {
		t.Fatalf("%v, %v: %+v", r, err, played)
	}
	passes := 0
	for _, g := range played {
		passes += strings.Count(game.FormatMoves(small().Start(), g.Moves), "pass")
	}
	if passes < 5 {
		t.Errorf("%d passes in 20 games: choose another seed", passes)
	}
}

// Neither restarts nor moves leave anything behind.
func TestNothingIsLeftBehind(t *testing.T) {
	newProgram := func(fault string) (*external.Command, *external.Program) {
		spec := playertest.Spec(t, engine(t, "gtp", "", fault))
		c, err := external.ParseCommand("gtp", spec.Path)
		if err != nil {
			t.Fatal(err)
		}
		return c, c.New(external.Board{Game: five().Name(), Size: five().Board()}, nil)
	}
	var before, after runtime.MemStats
	goroutines := runtime.NumGoroutine()
	runtime.GC()
	runtime.ReadMemStats(&before)
	c, p := newProgram("end")
	for range fulltest.Pick(30, 1000) {
		if _, err := p.Move(t.Context(), nil, 1); err == nil || c.Running() != 0 {
			t.Fatalf("%v with %d processes", err, c.Running())
		}
	}
	c, p = newProgram("fine")
	for range fulltest.Pick(1000, 10_000) {
		if _, err := p.Move(t.Context(), nil, 1); err != nil || c.Running() != 1 {
			t.Fatalf("%v with %d processes", err, c.Running())
		}
	}
	c.Close()
	if !eventually(func() bool { return runtime.NumGoroutine() <= goroutines }) {
		t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+1<<20 {
		t.Errorf("%d bytes in use, %d before", after.HeapAlloc, before.HeapAlloc)
	}
	children, _ := filepath.Glob("/proc/self/task/*/children")
	for _, path := range children {
		if pids, _ := os.ReadFile(path); len(pids) > 0 {
			t.Errorf("children are left: %s", pids)
		}
	}
}

// What a program says of its move comes to the analysis: of several lines the best, up to its first illegal move.
func TestValues(t *testing.T) {
	for protocol, options := range map[string]string{"uci": "nodes=5:", "gtp": "", "gomocup": ""} {
		g := five()
		p := playertest.Player(t, g, engine(t, protocol, options, "fine"))
		defer p.Close()
		answerer := must(p.New())
		var found [1]*players.Analysis
		err := answerer.Analyze(t.Context(), []players.Line[mnk.State]{players.At(g.Start())}, []*rand.Rand{rand.New(rand.NewPCG(1, 1))}, found[:])
		if err != nil {
			t.Fatal(err)
		}
		a := found[0]
		value := a.KnownValue()
		if protocol != "uci" {
			if value != nil {
				t.Errorf("%s: the value is %v", protocol, *value)
			}
			continue
		}
		if value == nil || *value != 0.6 || a.Simulations != 7 && a.Simulations != 8 || !slices.Equal(a.PV, []game.Action{a.Best}) || a.Policy[a.Best] != 1 {
			t.Errorf("%+v", a)
		}
	}
}

// Whoever is stopped has no fault, and leaves no process.
func TestStoppedProgram(t *testing.T) {
	g := five()
	p := playertest.Player(t, g, engine(t, "gtp", "", "idle"))
	ctx, stop := context.WithTimeoutCause(t.Context(), time.Second/10, errors.New("enough"))
	defer stop()
	err := must(p.New()).Choose(ctx, []players.Line[mnk.State]{players.At(g.Start())}, []*rand.Rand{rand.New(rand.NewPCG(1, 1))}, make([]game.Action, 1))
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(players.Forfeit)) || p.Program.Running() != 0 {
		t.Errorf("%v, %d processes", err, p.Program.Running())
	}
}
