package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"tengen/cluster/access"
	"tengen/cluster/natslog"
	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/train"
)

// cheats are what workers send instead of the games that they should, by their names.
func cheats(t *testing.T, honest []*replay.Record) map[string][]*replay.Record {
	change := func(worker string, change func(g *replay.Record) bool) []*replay.Record {
		var games []*replay.Record
		for _, e := range entriesOf(t, openPool(seedOfWorker(worker), 1, 8), worker, 1, verifiedWeights(1), numbersTo(uint64(len(honest)))) {
			if changed := change(e.Game); len(games) > 0 || changed {
				games = append(games, e.Game)
			}
		}
		return games
	}
	once := func(done *bool) bool { first := !*done; *done = true; return first }
	var moved, judged, valued bool
	return map[string][]*replay.Record{
		"copies another": honest,
		"plays another model": recordsOf(entriesOf(t, openPool(seedOfWorker("plays another model"), 1, 8), "", 1, verifiedWeights(2),
			numbersTo(uint64(len(honest))))),
		"has the seed of another run": recordsOf(entriesOf(t, openPool(seedOf(5, "has the seed of another run"), 1, 8), "", 1, verifiedWeights(1),
			numbersTo(uint64(len(honest))))),
		"changes a move": change("changes a move", func(g *replay.Record) bool {
			n := len(g.Moves)
			for a := range game.Action(9) { // another end of the game, if the rules have one
				if !slices.Contains(g.Moves, a) && !moved {
					old := g.Moves[n-1]
					g.Moves[n-1] = a
					if g.Searched() > 0 && validGame(g) && a != old {
						return once(&moved)
					}
					g.Moves[n-1] = old
				}
			}
			return false
		}),
		"changes a policy": change("changes a policy", func(g *replay.Record) bool {
			if g.Searched() < 2 || judged {
				return false
			}
			old := g.Policy
			g.Policy = replay.Policy{}
			for i := range g.Searched() {
				row := make([]float32, 9)
				for a, share := range old.Shares(i) {
					row[a] = share
				}
				if i == 1 {
					row[g.Moves[g.Opening+1]] += 0.01
				}
				g.Policy.Append(row)
			}
			return once(&judged)
		}),
		"changes a value": change("changes a value", func(g *replay.Record) bool {
			if g.Searched() == 0 || valued {
				return false
			}
			g.Values[0] /= 2
			return once(&valued)
		}),
	}
}

func recordsOf(entries []replay.Entry) (games []*replay.Record) {
	for _, e := range entries {
		games = append(games, e.Game)
	}
	return games
}

// run with honest workers and cheats, whose games lie in the log, mixed.
func cheatedRun(t *testing.T) (conn *nats.Conn, cheaters []string) {
	t.Helper()
	const each = 12
	conn = connect(t, startServer(t, natslog.ServerConfig{}))
	log := openLog(t, conn)
	games := map[string][]*replay.Record{}
	for _, worker := range []string{"honest", "also honest"} {
		games[worker] = recordsOf(entriesOf(t, openPool(seedOfWorker(worker), 2, 3), worker, 1, verifiedWeights(1), numbersTo(4*each)))
	}
	for worker, sent := range cheats(t, games["honest"][:each]) {
		if len(sent) == 0 {
			t.Fatalf("there is no game in which a worker %s", worker)
		}
		games[worker], cheaters = sent, append(cheaters, worker)
	}
	slices.Sort(cheaters)
	for i := range 4 * each {
		for _, worker := range append([]string{"honest", "also honest"}, cheaters...) {
			if i < len(games[worker]) {
				if _, err := log.Append(t.Context(), worker, games[worker][i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return conn, cheaters
}

func verifyingConfig(file string) CoordinatorConfig {
	cfg := CoordinatorConfig{MaxModelAge: 1, MaxBacklog: 1, Settings: verifiedSettings(), Verify: verifyConfig(1)}
	cfg.Verify.Caught = access.CaughtFile(file)
	return cfg
}

// harvests asks for some iterations' games.
func (c *testCoordinator) harvests(t *testing.T, after uint64, sizes ...int) (all []train.Batch) {
	t.Helper()
	for _, n := range sizes {
		b, err := c.Next(t.Context(), train.Request{Model: 1, Weights: verifiedWeights(1), After: after, Games: n, Progress: func(int) {}})
		if err != nil {
			t.Fatal(err)
		}
		after, all = b.Cursor, append(all, b)
	}
	return all
}

func wantSameGames(t *testing.T, got, want []train.Batch) {
	t.Helper()
	for i := range want {
		if got[i].Cursor != want[i].Cursor || !reflect.DeepEqual(got[i].Games, want[i].Games) {
			t.Errorf("batch %d has other games, or another cursor: %d, want %d", i, got[i].Cursor, want[i].Cursor)
		}
	}
}

// Whoever sends a false game is caught, named with what is wrong, and none of its games are learned from, neither in that iteration
// nor later, nor after a restart; the games of others are. Who is pardoned may play again.
func TestCheatsAreCaught(t *testing.T) {
	fulltest.Only(t)
	conn, cheaters := cheatedRun(t)
	cfg := verifyingConfig(filepath.Join(t.TempDir(), "caught.jsonl"))
	c := startCoordinator(t, conn, cfg)
	batches := c.harvests(t, 0, 40, 30)
	honest := map[string]bool{}
	for _, e := range append(
		entriesOf(t, openPool(seedOfWorker("honest"), 1, 3), "", 1, verifiedWeights(1), numbersTo(48)),
		entriesOf(t, openPool(seedOfWorker("also honest"), 1, 3), "", 1, verifiedWeights(1), numbersTo(48))...,
	) {
		honest[text(t, e.Game)] = true
	}
	verified := 0
	for _, b := range batches {
		verified += b.Verified.Games
		for _, g := range b.Games {
			if !honest[text(t, g)] {
				t.Errorf("game %d, which no honest worker has played, is taken", g.Number)
			}
		}
	}
	if verified < 70 || c.Verified().Games != verified || batches[0].Verified.Time <= 0 {
		t.Errorf("verified %d games, in all %+v", verified, c.Verified())
	}
	reports := strings.Join(c.reports, "\n")
	for _, name := range cheaters {
		if !strings.Contains(reports, "worker "+name+" is caught: its game ") {
			t.Errorf("%s is not named:\n%s", name, reports)
		}
	}
	for _, want := range []string{"at ply ", "the move is action ", "the policy is another", "the value is ", "games refused: "} {
		if !strings.Contains(reports, want) {
			t.Errorf("the reports lack %q:\n%s", want, reports)
		}
	}
	var listed []string
	for _, w := range c.Workers() {
		if w.Caught {
			listed = append(listed, w.Worker)
		}
		if w.Caught != (w.Games == 0) || !w.Caught && w.Games != 35 {
			t.Errorf("%+v", w)
		}
	}
	if !slices.Equal(listed, cheaters) {
		t.Errorf("caught are %q, want %q", listed, cheaters)
	}

	again := startCoordinator(t, conn, cfg) // as after a kill: who was caught is caught
	wantSameGames(t, again.harvests(t, 0, 40, 30), batches)
	if reports := strings.Join(again.reports, "\n"); strings.Contains(reports, "is caught: its game ") || !strings.Contains(reports, "its worker is caught") {
		t.Errorf("the reports are\n%s", reports)
	}
	content, err := os.ReadFile(string(cfg.Verify.Caught))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	kept := slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"changes a value"`) })
	if err := os.WriteFile(string(cfg.Verify.Caught), []byte(strings.Join(kept, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	pardoned := startCoordinator(t, conn, cfg)
	games := recordsOf(entriesOf(t, openPool(seedOfWorker("changes a value"), 1, 3), "", 1, verifiedWeights(1), []uint64{100, 101}))
	for _, g := range games {
		if _, err := pardoned.log.Append(t.Context(), "changes a value", g); err != nil {
			t.Fatal(err)
		}
	}
	last, err := pardoned.log.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := pardoned.harvests(t, last-2, 2)[0].Games; !reflect.DeepEqual(got, games) {
		t.Errorf("of the worker that was pardoned %d games are taken", len(got))
	}
}

func text(t *testing.T, g *replay.Record) string {
	t.Helper()
	data, err := g.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A trainer that is killed before a verdict is noted, while it is noted, or between two, comes to the same games and verdicts.
func TestVerdictsSurviveKills(t *testing.T) {
	fulltest.Only(t)
	conn, cheaters := cheatedRun(t)
	dir := t.TempDir()
	cfg := verifyingConfig(filepath.Join(dir, "caught.jsonl"))
	want := startCoordinator(t, conn, cfg).harvests(t, 0, 40, 30)
	content, err := os.ReadFile(string(cfg.Verify.Caught))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(content), "\n"), "\n")
	if len(lines) != len(cheaters) {
		t.Fatalf("%d lines for %d cheats:\n%s", len(lines), len(cheaters), content)
	}
	for n := range len(lines) {
		file := filepath.Join(dir, "some.jsonl")
		if err := os.WriteFile(file, []byte(strings.Join(lines[:n], "")), 0o644); err != nil {
			t.Fatal(err)
		}
		wantSameGames(t, startCoordinator(t, conn, verifyingConfig(file)).harvests(t, 0, 40, 30), want)
		wantSameGames(t, startCoordinator(t, conn, verifyingConfig(file)).harvests(t, want[0].Cursor, 30), want[1:])
		if again, err := os.ReadFile(file); err != nil || string(again) != string(content) {
			t.Errorf("after %d verdicts the file became\n%swant\n%s", n, again, content)
		}
	}
	nowhere := startCoordinator(t, conn, verifyingConfig(filepath.Join(dir, "nowhere", "caught.jsonl")))
	_, err = nowhere.Next(t.Context(), train.Request{Model: 1, Weights: verifiedWeights(1), Games: 40, Progress: func(int) {}})
	wantError(t, err, "cannot note that worker")
	wantError(t, err, "nowhere")

	ctx, cancel := context.WithCancel(t.Context())
	cfg = verifyingConfig("")
	cfg.Verify.Open = func(Settings, string) (Replayer, error) { cancel(); return openPool(0, 1, 3), nil }
	_, err = startCoordinator(t, conn, cfg).Next(ctx, train.Request{Model: 1, Weights: verifiedWeights(1), Games: 40, Progress: func(int) {}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped while it verifies: %v", err)
	}
}

// With a share of 0 nothing is played again, but who was caught before stays out, and gets no lease. The worker of the trainer's own process is
// believed.
func TestNothingToVerify(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	log := openLog(t, conn)
	for _, worker := range []string{"w", "caught", "v"} {
		for _, g := range recordsOf(entriesOf(t, openPool(1, 1, 3), "", 1, verifiedWeights(1), numbersTo(3))) { // with a wrong seed
			if _, err := log.Append(t.Context(), worker, g); err != nil {
				t.Fatal(err)
			}
		}
	}
	cfg := verifyingConfig(filepath.Join(t.TempDir(), "caught.jsonl"))
	if err := os.WriteFile(string(cfg.Verify.Caught), []byte(`{"worker":"caught","since":3}`), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg.Verify.Open = func(Settings, string) (Replayer, error) { return nil, errors.New("a game is played again") }
	own := startCoordinator(t, conn, cfg)
	own.Trust("w", "")
	own.Trust("v", "")
	check := func(c *testCoordinator) {
		defer c.Close() // only one answers the workers
		b := c.harvests(t, 0, 6)[0]
		for _, worker := range []string{"w", "caught"} {
			l, err := askAs(t.Context(), conn, worker, demand{Seats: 4, Rate: 1, Model: 1})
			if err != nil || (l.Games > 0) != (worker == "w") {
				t.Errorf("the lease of worker %s is %+v, %v", worker, l, err)
			}
		}
		if b.Cursor != 9 || b.Verified != (train.Verified{}) && b.Verified.Games+b.Verified.Skipped > 0 {
			t.Errorf("the cursor is %d, verified %+v", b.Cursor, b.Verified)
		}
	}
	check(own)
	cfg.Verify.Share, cfg.Verify.Secret = 0, ""
	check(startCoordinator(t, conn, cfg))
}

func validGame(g *replay.Record) bool { return replay.Validate(mnk.TicTacToe(), g) == nil }
