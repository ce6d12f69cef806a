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
	"tengen/game/breakthrough"
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
	talk, _ := os.ReadFile(path)
	for _, m := range regexp.MustCompile(`(?m)^(\d+) >`).FindAllStringSubmatch(string(talk), -1) {
		if !slices.Contains(groups, m[1]) {
			groups = append(groups, m[1])
		}
	}
	for _, group := range groups {
		if !eventually(func() bool { return len(members(group)) == 0 }) {
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
	for _, c := range []struct{ protocol, options, faults, want string }{
		{"gtp", "", "fine late banner crlf chatter lower", none},
		{"gtp", "", "resign", given},
		{"gtp", "", "illegal", `it plays "illegal", which is not legal after "`},
		{"gtp", "", "empty", `it plays "", which is not legal after "`},
		{"gtp", "", "refuse", `it refuses "play black `},
		{"gtp", "", "crash", "out of ideas"},
		{"gtp", "", "children", "it ended (exit status 3)"},
		{"gtp", "10ms:", "hang slow", "it has not moved within 10ms and 1s of grace"},
		{"gtp", "", "flood", "it wrote a line of over 1048576 bytes"},
		{"gtp", "", "mute", "it hung up ("},
		{"uci", "nodes=5:", "fine crlf", none},
		{"uci", "nodes=5:", "(none)", `it plays "(none)", which is not legal after "`},
		{"uci", "nodes=5:", "crash", "it ended (exit status 3) with the words "},
		{"gomocup", "", "fine crlf message", none},
		{"gomocup", "", "ERROR UNKNOWN", `it refuses "TURN `},
		{"gomocup", "", "illegal", `it plays "illegal", which is not legal after "`},
	} {
		for fault := range strings.FieldsSeq(c.faults) {
			t.Run(c.protocol+" "+fault, func(t *testing.T) {
				t.Parallel()
				r, played, groups, err := meet(t, five(), 4, once(t, c.protocol, c.options, fault), nil)
				if err != nil || r.Total().Games() != 4 || len(played) != 4 {
					t.Fatalf("%v, %v", r, err)
				}
				faults, starts := 1, 2
				if c.want == none || c.want == given {
					faults, starts = 0, 1
				}
				if r.AgainstProgram.Faults != faults || r.PlayerProgram != nil || len(groups) != starts && runtime.GOOS != "windows" {
					t.Errorf("%d faults, a program as the other player: %v, %d starts, want %d, none and %d", r.AgainstProgram.Faults, r.PlayerProgram, len(groups), faults, starts)
				}
				text := fmt.Sprintf("%s%s", r.Text(), must(json.Marshal(r)))
				for _, part := range []string{"scripted 1 and lost %d games by faults\n", `"faults":%d},"reproducible":false}`} {
					if part = fmt.Sprintf(part, faults); !strings.Contains(text, part) {
						t.Errorf("no %q in\n%s", part, text)
					}
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
}

// A program that fails before its first move, or again and again, ends the match.
func TestHopeless(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{engine("gtp", "", "end"), "fails before its first move: it ended (exit status 4)"},
		{"gtp:/nowhere/engine 5", "it does not start: there is no program /nowhere/engine: install it, or write its path"},
		{"gtp:no-such-engine", "it does not start: there is no program no-such-engine: install it, or write its path"},
		{engine("gtp", "", "board"), `it does not play mnk:5,5,5: it refuses "boardsize 5": "? unacceptable size"`},
		{engine("gtp", "level=3:", "board"), `it does not play mnk:5,5,5: it refuses "boardsize 5": "? unacceptable size"`},
		{engine("gtp", "level=3:", "level"), "it has not begun within"}, // it does not answer unknown commands
		{engine("gtp", "", "idle"), "it has not begun within 500ms: does it speak this protocol?"},
		{engine("uci", "nodes=5:", "variant"), "it does not offer mnk among its variants"},
		{engine("uci", "nodes=5,Skill Level=3:", "fine"), `it has no option "Skill Level"`},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			_, played, _, err := meet(t, five(), 4, c.spec, func(command *external.Command) {
				if strings.Contains(c.want, "begun") {
					command.SetStartTime(time.Second / 2)
				}
			})
			if err == nil || len(played) > 0 || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.spec+" fails before its first move: ") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	r, played, _, err := meet(t, five(), 9, engine("gtp", "", "crash"), nil)
	if err == nil || !strings.Contains(err.Error(), " fails in 3 games: game 2, move 6: it ended (exit status 3) with ") || len(played) != 2 || r.AgainstProgram.Faults != 2 {
		t.Errorf("after %d games and %d faults: %v", len(played), r.AgainstProgram.Faults, err)
	}
}

// Another name of the game helps only where a program writes its moves alike: those from cell to cell.
func TestOtherVariant(t *testing.T) {
	spec := engine("uci", "nodes=5:", "variant")
	_, _, _, placed := meet(t, five(), 2, spec, nil)
	_, _, _, moved := meet(t, must(breakthrough.New(game.Size{Rows: 6, Columns: 6})), 2, spec, nil)
	const advice = "write UCI_Variant=NAME before the command"
	if placed == nil || strings.Contains(placed.Error(), advice) || moved == nil || !strings.Contains(moved.Error(), advice) {
		t.Errorf("mnk: %v\nbreakthrough: %v", placed, moved)
	}
}

// Some programs pass by themselves, and refuse to be told of a pass.
func TestPassesAreRefused(t *testing.T) {
	r, played, _, err := meet(t, small(), 20, engine("gtp", "", "pass"), nil)
	if err != nil || r.AgainstProgram.Faults != 0 {
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
	goroutines := runtime.NumGoroutine()
	for fault, n := range map[string]int{"end": fulltest.Pick(30, 1000), "fine": fulltest.Pick(1000, 10_000)} {
		c := must(external.ParseCommand("gtp", playertest.Spec(t, engine("gtp", "", fault)).Path))
		p := c.New(external.Board{Game: five().Name(), Size: five().Board()}, nil)
		for range n {
			if _, err := p.Move(t.Context(), nil, 1); (err == nil) != (fault == "fine") {
				t.Fatal(err)
			}
		}
		c.Close()
	}
	if !eventually(func() bool { return runtime.NumGoroutine() <= goroutines }) {
		t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
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
		p, found := playertest.Player(t, five(), engine(protocol, options, "fine")), make([]*players.Analysis, 1)
		defer p.Close()
		err := must(p.New()).Analyze(t.Context(), []players.Line[mnk.State]{players.At(five().Start())}, randoms(), found)
		if err != nil {
			t.Fatal(err)
		}
		a, value, nodes := found[0], float32(0.6), 7
		if protocol != "uci" {
			value, nodes = 0, 0
		}
		known := a.KnownValue()
		if (known != nil) != (value > 0) || known != nil && *known != value || a.Simulations != nodes || !slices.Equal(a.PV, []game.Action{a.Best}) {
			t.Errorf("%s: %+v", protocol, a)
		}
	}
}

func randoms() []*rand.Rand { return []*rand.Rand{rand.New(rand.NewPCG(1, 1))} }

// Whoever is stopped has no fault.
func TestStoppedProgram(t *testing.T) {
	p := playertest.Player(t, five(), engine("gtp", "", "idle"))
	ctx, stop := context.WithTimeout(t.Context(), time.Second/10)
	defer stop()
	err := must(p.New()).Choose(ctx, []players.Line[mnk.State]{players.At(five().Start())}, randoms(), make([]game.Action, 1))
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(players.Forfeit)) {
		t.Error(err)
	}
}
