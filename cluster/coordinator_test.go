package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"tengen/cluster/natslog"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/internal/random"
	"tengen/mcts"
	tnet "tengen/net"
	"tengen/replay"
	"tengen/replay/logtest"
	"tengen/selfplay"
	"tengen/train"
)

// testSettings are those of a run of tic-tac-toe that plays quickly.
func testSettings() Settings {
	search, play := mcts.Default(), selfplay.Default()
	search.Simulations, play.GamesPerWorker, play.CacheMegabytes, play.Workers = 8, 4, 1, 1
	return Settings{
		Protocol: protocol, Semantics: selfplay.Semantics, Version: "v1", Run: "id", Game: mnk.TicTacToe().Name(), Seed: 42,
		Shape: tnet.ShapeOf(mnk.TicTacToe()), Search: search, Selfplay: play,
	}
}

// testWeights are the weights of the model of an iteration.
func testWeights(iteration uint64) *tnet.Weights {
	cfg := tnet.Config{Blocks: 1, Channels: 2, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 2}
	return tnet.NewWeights(cfg, tnet.ShapeOf(mnk.TicTacToe()), iteration)
}

// What goes over the wire is read by other programs: the names of its fields are fixed, and protocol changes with them.
func TestWireFormat(t *testing.T) {
	s := Settings{
		Protocol: 7, Semantics: 1, Version: "v1", Run: "id", Digest: "d", Game: "tictactoe", Seed: 1<<64 - 1, Shape: tnet.ShapeOf(mnk.TicTacToe()),
		Search: mcts.Config{
			Simulations: 1, CInit: 2, CBase: 3, FirstPlayReduction: 4, RootFirstPlayReduction: 8, NoiseWeight: 5, NoiseAlpha: 6,
			ForcedNodes: 9, Root: "r", GumbelMoves: 14, GumbelCVisit: 15, GumbelCScale: 16, GumbelSimulations: 17,
			RootPolicyTemperature: 10, RootPolicyTemperatureFinal: 11, RootPolicyTemperatureHalfLife: 12,
			ForcedPlayouts: 13, PruneTarget: true, VarianceScale: 18, RootSymmetries: 19, LCB: 20, VirtualLoss: 7,
		},
		Selfplay: selfplay.Config{
			Workers: 1, GamesPerWorker: 2, CacheMegabytes: 3, Temperature: 0.5, TemperaturePlies: 5, FinalTemperature: 6,
			FullShare: 0.25, FastSimulations: 2, FastWeight: 0.625, FreshTrees: true, LearnForcedMoves: true, StartSimulations: 3, GrowIterations: 4,
			EndingPlies: 10, EndingSimulations: 11, DecidedWeight: 0.75, SurpriseShare: 0.125,
			OpeningPlies: 7, Openings: selfplay.Openings{
				DeepShare: 0.5, MinDeepPlies: 1, DeepPlies: 2, PolicyShare: 0.25, PolicyPlies: 3, PolicyTemperature: 4,
			},
			OpeningBalance: 0.375, ResignBelow: -1, PlayOnShare: 9,
		},
	}
	everyField(t, reflect.ValueOf(s), "Settings")
	for want, v := range map[string]any{
		`{"protocol":7,"semantics":1,"version":"v1","run":"id","digest":"d","game":"tictactoe","seed":18446744073709551615,` +
			`"shape":{"height":3,"width":3,"actions":9},` +
			`"search":{"simulations":1,"c_init":2,"c_base":3,"variance_scale":18,"first_play_reduction":4,"root_first_play_reduction":8,` +
			`"noise_weight":5,"noise_alpha":6,"forced_nodes":9,"root":"r","gumbel_moves":14,"gumbel_c_visit":15,` +
			`"gumbel_c_scale":16,"gumbel_simulations":17,"root_policy_temperature":10,"root_policy_temperature_final":11,` +
			`"root_policy_temperature_half_life":12,"forced_playouts":13,"prune_target":true,"root_symmetries":19,"lcb":20,"virtual_loss":7},` +
			`"selfplay":{"workers":1,"games_per_worker":2,"cache_megabytes":3,"temperature":0.5,"temperature_plies":5,` +
			`"final_temperature":6,"full_share":0.25,"fast_simulations":2,"fast_weight":0.625,"fresh_trees":true,"learn_forced_moves":true,"start_simulations":3,"grow_iterations":4,"ending_plies":10,"ending_simulations":11,` +
			`"decided_weight":0.75,"surprise_share":0.125,"opening_plies":7,"openings":{"deep_share":0.5,"min_deep_plies":1,` +
			`"deep_plies":2,"policy_share":0.25,"policy_plies":3,"policy_temperature":4},"opening_balance":0.375,"resign_below":-1,"play_on_share":9}}`: s,
		`{"protocol":7,"settings":"d","model":{"name":"n","iteration":5,"size":9,"sha256":"ab"},"oldest":3}`: order{
			Protocol: 7, Settings: "d", Model: natslog.Model{Name: "n", Iteration: 5, Size: 9, SHA256: "ab"}, Oldest: 3,
		},
		`{"open":1,"unsent":2,"unused":3,"seats":4,"rate":0.5,"model":6,"trouble":"t"}`: demand{
			Open: 1, Unsent: 2, Unused: 3, Seats: 4, Rate: 0.5, Model: 6, Trouble: "t",
		},
		`{"games":1,"again":2,"model":"n"}`:                                            lease{Games: 1, Again: 2, Model: "n"},
		`{"open":1,"unsent":0,"unused":0,"seats":0,"rate":0,"model":0,"instance":"i"}`: request{demand{Open: 1}, "i"},
		`{"games":1,"again":0,"model":"","refused":"r"}`:                               reply{lease{Games: 1}, "r"},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s, %v; want\n%s", got, err, want)
		}
		again := reflect.New(reflect.TypeOf(v))
		if err := json.Unmarshal([]byte(want), again.Interface()); err != nil || again.Elem().Interface() != v {
			t.Errorf("%s is read as %+v, %v", want, again.Elem(), err)
		}
	}
}

// everyField checks that no field is left out of a test.
func everyField(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	for i := range v.NumField() {
		field := name + "." + v.Type().Field(i).Name
		if v.Field(i).Kind() == reflect.Struct {
			everyField(t, v.Field(i), field)
		} else if v.Field(i).IsZero() {
			t.Errorf("%s is not tested", field)
		}
	}
}

// testCoordinator is a Coordinator, with the log it reads, as a process that has just started has it.
type testCoordinator struct {
	*Coordinator
	mu      sync.Mutex
	reports []string
}

func (c *testCoordinator) report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reports = append(c.reports, err.Error())
}

func startCoordinator(t *testing.T, conn *nats.Conn, cfg CoordinatorConfig) *testCoordinator {
	t.Helper()
	c := &testCoordinator{}
	cfg.Run = "run"
	if cfg.Settings.Run == "" {
		cfg.Settings = testSettings()
	}
	if cfg.Check == nil {
		cfg.Check = func(g *replay.Record) error { return replay.Validate(mnk.TicTacToe(), g) }
	}
	cfg.Report = c.report
	var err error
	if c.Coordinator, err = NewCoordinator(t.Context(), conn, openLog(t, conn), cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// next asks for n games of a model after a cursor.
func (c *testCoordinator) next(t *testing.T, model, after uint64, n int) train.Batch {
	t.Helper()
	h, err := c.Next(t.Context(), train.Request{
		Model: model, Weights: testWeights(model), After: after, Games: n, Progress: func(int) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func wantNumbers(t *testing.T, games []*replay.Record, want ...uint64) {
	t.Helper()
	var got []uint64
	for _, g := range games {
		got = append(got, g.Number)
	}
	if !slices.Equal(got, want) {
		t.Errorf("games %v, want %v", got, want)
	}
}

var anyGame = func(*replay.Record) error { return nil }

// Games come in the order of the log, without those that are damaged, twice there, of another run, against the rules, or of
// a model that is too old or unknown.
func TestCoordinatorTakes(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	refuse13 := func(g *replay.Record) error {
		if g.Number == 13 {
			return errors.New("it breaks a rule")
		}
		return nil
	}
	cfg := CoordinatorConfig{MaxModelAge: 1, MaxBacklog: 1, Check: refuse13}
	c := startCoordinator(t, conn, cfg)
	played := func(number, model uint64) *replay.Record {
		g := logtest.Game(number, 5)
		g.Model = model
		return g
	}
	foreign := played(20, 5)
	foreign.Seed = 43
	for _, g := range []*replay.Record{
		played(10, 5), played(11, 3), played(12, 4), played(13, 5), foreign, played(14, 6), played(15, 4), played(16, 5),
	} {
		if _, err := c.log.Append(t.Context(), "w", g); err != nil {
			t.Fatal(err)
		}
	}
	again, err := natslog.Encode("w", played(10, 5))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{again, []byte("garbage")} {
		publish(t, conn, data)
	}
	logtest.Fill(t, c.log, "v", 1)
	if _, err := c.log.Append(t.Context(), "v", played(30, 5)); err != nil {
		t.Fatal(err)
	}

	first := c.next(t, 5, 0, 3)
	if first.Elsewhere {
		t.Error("games are said to come from elsewhere, but this process may play")
	}
	wantNumbers(t, first.Games, 10, 12, 15)
	second := c.next(t, 5, first.Cursor, 2)
	wantNumbers(t, second.Games, 16, 30)
	if second.Cursor != 12 {
		t.Errorf("the cursor is %d, want 12", second.Cursor)
	}
	reports := strings.Join(c.reports, "\n")
	for _, want := range []string{"games refused: 4; the last was sequence number 6, game 14 of worker w: its model 6 is newer", "checksum", "games refused: 1; "} {
		if !strings.Contains(reports, want) {
			t.Errorf("the reports lack %q:\n%s", want, reports)
		}
	}
	if got := c.Refused(); got != 5 {
		t.Errorf("%d games were refused, want 5", got)
	}
	if workers := c.Workers(); len(workers) != 2 || workers[0].Worker != "v" || workers[0].Games != 1 || workers[1].Games != 4 || workers[1].ModelAge != 0 {
		t.Errorf("the workers are %+v", workers)
	}

	cfg.MaxModelAge, cfg.Elsewhere = 100, true // what was skipped stays skipped
	resumed := startCoordinator(t, conn, cfg)
	games, err := resumed.Recent(t.Context(), second.Cursor, second.Notes, 4)
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, games, 12, 15, 16, 30)
	if again := resumed.next(t, 5, first.Cursor, 2); !again.Elsewhere {
		t.Error("games come from elsewhere, but that is not said")
	}
	_, err = resumed.Recent(t.Context(), 13, second.Notes, 4)
	wantError(t, err, "do not belong together")
}

// A game that a later version of the program has put into the log ends the work; it is not one of those skipped.
func TestCoordinatorStopsAtALaterVersion(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame})
	logtest.Fill(t, c.log, "w", 2)
	message, err := natslog.Encode("w", logtest.Game(2, 5))
	if err != nil {
		t.Fatal(err)
	}
	publish(t, conn, later(message))
	_, next := c.Next(t.Context(), train.Request{Weights: testWeights(0), Games: 3, Progress: func(int) {}})
	_, before := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame}).Recent(t.Context(), 3, nil, 3)
	for _, err := range []error{next, before, c.Retain(t.Context(), 1)} {
		if !errors.Is(err, replay.ErrVersion) {
			t.Errorf("error %v", err)
		}
		wantError(t, err, "sequence number 3: ")
	}
	if len(c.reports) > 0 || len(c.skipped) > 0 {
		t.Errorf("reports %q, skipped %d", c.reports, c.skipped)
	}
}

// Wherever a trainer is stopped, the one that goes on takes the same games, and finds those before; and Retain keeps what
// they need.
func TestCoordinatorResumes(t *testing.T) {
	const iterations, n = 6, 5
	rng := random.New(3, random.Test)
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	cfg := CoordinatorConfig{MaxModelAge: 1, MaxBacklog: 2, Check: anyGame}
	c := startCoordinator(t, conn, cfg)
	var taken []*replay.Record
	var noted json.RawMessage
	cursor, number := uint64(0), uint64(0)
	for model := uint64(1); model <= iterations; model++ {
		for range 3 * n { // one in three is too old, two in three wait
			g := logtest.Game(number, 1+rng.IntN(5))
			g.Model = model - min(model, uint64(rng.IntN(3)))
			if _, err := c.log.Append(t.Context(), fmt.Sprint("w", rng.IntN(2)), g); err != nil {
				t.Fatal(err)
			}
			number++
		}
		h := c.next(t, model, cursor, n)
		other := startCoordinator(t, conn, cfg)
		before, err := other.Recent(t.Context(), cursor, noted, len(taken))
		if err != nil || !reflect.DeepEqual(before, taken) && len(taken) > 0 {
			t.Fatalf("iteration %d: before it were %d games, %v; want %d", model, len(before), err, len(taken))
		}
		if again := other.next(t, model, cursor, n); !reflect.DeepEqual(again.Games, h.Games) || again.Cursor != h.Cursor {
			t.Fatalf("iteration %d: other games when it is done again", model)
		}
		cursor, noted, taken = h.Cursor, h.Notes, append(taken, h.Games...)
		taken = taken[max(0, len(taken)-2*n):]
		positions := 0
		for _, g := range taken {
			positions += g.Positions()
		}
		if err := c.Retain(t.Context(), positions); err != nil {
			t.Fatal(err)
		}
	}
	if first := logtest.Entries(t, c.log, 0)[0].Sequence; first == 1 {
		t.Error("nothing was dropped")
	}
}

// However many games are refused, there are leases for others in their place, so that the workers never wait for a trainer that
// waits for them.
func TestCoordinatorWantsMoreThanItRefuses(t *testing.T) {
	fulltest.Only(t)
	for backlog := range 3 {
		conn := connect(t, startServer(t, natslog.ServerConfig{}))
		c := startCoordinator(t, conn, CoordinatorConfig{MaxBacklog: backlog, Check: anyGame})
		log := openLog(t, conn)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		worker := make(chan error, 1)
		go func() { // plays what it has leases for, two games in three with an old model
			for number := uint64(0); ; {
				l, err := askAs(ctx, conn, "w", demand{Seats: 1, Model: 1})
				if err != nil {
					worker <- err
					return
				}
				for range l.Games {
					g := logtest.Game(number, 2)
					g.Model = number % 3 / 2
					if _, err := log.Append(ctx, "w", g); err != nil {
						worker <- err
						return
					}
					number++
				}
			}
		}()
		h := c.next(t, 1, 0, 6)
		wantNumbers(t, h.Games, 2, 5, 8, 11, 14, 17)
		cancel()
		if err := <-worker; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// askAs asks for a lease in the name of a worker.
func askAs(ctx context.Context, conn *nats.Conn, worker string, d demand) (l lease, err error) {
	text, err := json.Marshal(d)
	if err != nil {
		return l, err
	}
	answer, err := conn.RequestWithContext(ctx, natslog.LeaseSubject("run", worker), text)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(answer.Data, &l)
}

// The name of a run on a server belongs to one run.
func TestCoordinatorRefusesAnotherRun(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	startCoordinator(t, conn, CoordinatorConfig{})
	other := testSettings()
	other.Run = "other"
	_, err := NewCoordinator(t.Context(), conn, openLog(t, conn), CoordinatorConfig{Run: "run", Settings: other})
	wantError(t, err, "holds another run under this name")
}

// Entries on the server that are damaged do not keep a run from going on.
func TestCoordinatorReplacesDamagedEntries(t *testing.T) {
	conn := connect(t, startServer(t, natslog.ServerConfig{}))
	c := startCoordinator(t, conn, CoordinatorConfig{Check: anyGame})
	logtest.Fill(t, c.log, "w", 3)
	for _, key := range []string{settingsKey, skippedKey} { // the latter of a run of an earlier version
		if err := c.bucket.Put(t.Context(), key, "garbage"); err != nil {
			t.Fatal(err)
		}
	}
	c = startCoordinator(t, conn, CoordinatorConfig{Check: anyGame})
	games, err := c.Recent(t.Context(), 2, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.reports) != 1 || !strings.Contains(c.reports[0], skippedKey) {
		t.Errorf("the reports are %q", c.reports)
	}
	wantNumbers(t, games, 0, 1)
	var settings Settings
	if err := c.bucket.Get(t.Context(), settingsKey, &settings); err != nil || settings != c.cfg.Settings {
		t.Errorf("the settings are %+v, %v", settings, err)
	}
}

func TestConfig(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Config){
		"exclude each other":         func(c *Config) { c.Listen, c.Server = ":1", "nats://a" },
		"cluster.key_file":           func(c *Config) { c.CertFile = "cert.pem" },
		"only one can be used":       func(c *Config) { c.TokenFile, c.Credentials = "a", "b" },
		"cluster.run is":             func(c *Config) { c.Run = "a b" },
		"name a cluster":             func(c *Config) { c.Replicas = 3 },
		"cluster.replicas is 6":      func(c *Config) { c.Replicas = 6 },
		"cluster.max_model_age is -": func(c *Config) { c.MaxModelAge = -1 },
		"cluster.max_backlog is -1":  func(c *Config) { c.MaxBacklog = -1 },
		"cluster.verify is 1.5":      func(c *Config) { c.Verify = 1.5 },
		"cluster.max_disk_megabytes": func(c *Config) { c.MaxDiskMegabytes = 0 },
		"max_memory_megabytes is 0":  func(c *Config) { c.MaxMemoryMegabytes = 0 },
	} {
		cfg := Default()
		change(&cfg)
		wantError(t, cfg.Validate(), want)
	}
}
