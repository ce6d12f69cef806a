package train

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/eval/rating"
	"tengen/game/mnk"
	"tengen/internal/errtest"
	"tengen/internal/random"
	"tengen/net"
	"tengen/replay"
	"tengen/train/checkpoint"
)

var noError, wantError = errtest.NoError, errtest.Want

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testSeed = 5

// Names in a run directory.
const (
	metricsFile = "metrics.jsonl"
	stateFolder = "state"
)

// alphaZero learns as AlphaZero does, but for the optimizer.
func alphaZero() Config {
	cfg := Default()
	cfg.L2, cfg.Average = 1e-4, 0
	return cfg
}

// testConfig is a run of three short iterations of tic-tac-toe, the first of which does not fill a batch.
func testConfig() Config {
	cfg := alphaZero()
	cfg.Iterations, cfg.GamesPerIteration, cfg.Passes = 3, 3, 2
	cfg.LearningRate, cfg.FinalLearningRate = 0.02, 0.002
	cfg.BatchSize = 32
	cfg.EvaluateEvery = 2
	return cfg
}

func testWeights() *net.Weights {
	cfg := net.Config{Blocks: 1, Channels: 3, PolicyHead: net.HeadDense, PolicyChannels: 2, ValueHead: net.HeadDense, ValueChannels: 1, ValueHidden: 4}
	return net.NewWeights(cfg, net.ShapeOf(mnk.TicTacToe()), testSeed)
}

func testWindow() *replay.Window[mnk.State] {
	return replay.NewWindow(mnk.TicTacToe(), replay.Config{Window: 60, MinWindow: 50}, nil)
}

// fingerprint depends on every bit of the weights.
func fingerprint(w *net.Weights) uint64 {
	h := fnv.New64a()
	for _, p := range w.Params {
		for _, x := range p.Data {
			fmt.Fprintf(h, "%x,", math.Float32bits(x))
		}
	}
	return h.Sum64()
}

// fakePlayer plays random games that depend on the seed, their number, the model's number and its weights. Like a pool, it
// ends them in another order than it begins them.
type fakePlayer struct {
	models []uint64 // that it was asked to play with
	played []uint64 // the numbers of its games
	fail   func(game uint64) error
	change func(*replay.Record) bool // if set, changes a game, or reports that it is not delivered

	takes              time.Duration // before its games end
	waiting, verifying time.Duration // of its work
}

// drain returns the numbers that next returns.
func drain(next func() (uint64, bool)) (numbers []uint64) {
	for n, ok := next(); ok; n, ok = next() {
		numbers = append(numbers, n)
	}
	return numbers
}

func (f *fakePlayer) Play(ctx context.Context, model uint64, weights *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	numbers := drain(next)
	f.models = append(f.models, model)
	time.Sleep(f.takes)
	order := random.New(testSeed, random.Test, uint64(len(numbers)), numbers[0]).Perm(len(numbers))
	for _, i := range order {
		if f.fail != nil {
			if err := f.fail(numbers[i]); err != nil {
				return replay.Stats{}, err
			}
		}
		if err := ctx.Err(); err != nil {
			return replay.Stats{}, err
		}
		f.played = append(f.played, numbers[i])
		g := fakeGame(numbers[i], model, fingerprint(weights))
		if f.change != nil && !f.change(g) {
			continue
		}
		if err := sink.Keep(replay.LocalWorker, g); err != nil {
			return replay.Stats{}, err
		}
	}
	return replay.Stats{Games: len(numbers), Simulations: 50, Evaluations: 30, CacheHits: 10, CacheLookups: 40, Duration: time.Second,
		Network: 1500 * time.Millisecond, Search: 250 * time.Millisecond, Waiting: f.waiting, Verifying: f.verifying}, nil
}

func fakeGame(number, model, weights uint64) *replay.Record {
	g := replay.RandomRecord(mnk.TicTacToe(), number, random.New(testSeed, random.Test, number, model, weights))
	g.Seed, g.Model = testSeed, model
	return g
}

// fakeArena derives results from the weights.
type fakeArena struct {
	fail      func() error
	evaluated []uint64 // the fingerprints of the weights that it was asked about
}

func (f *fakeArena) Evaluate(_ context.Context, iteration int, weights *net.Weights, _ func(int, int)) (Evaluation, error) {
	if f.fail != nil {
		if err := f.fail(); err != nil {
			return Evaluation{}, err
		}
	}
	f.evaluated = append(f.evaluated, fingerprint(weights))
	wins := int(fingerprint(weights) % 11)
	score := rating.Tally{Wins: wins, Losses: 10 - wins}
	return Evaluation{Matches: map[string]rating.Tally{"random": score}}, nil
}

// run is one process in the life of a run directory.
type run struct {
	cfg      Config
	yaml     string // the configuration as the directory keeps it
	search   string // JSON
	player   *fakePlayer
	arena    *fakeArena
	before   func(part string) error    // see checkpoint.Dir.Interrupt
	append   func(*replay.Record) error // called before a game is put into the log
	drop     func(below uint64) error   // called before the log drops games
	cheated  *cheatedPlayer             // plays instead of player, if set
	keep     int                        // games
	ahead    int
	window   *replay.Window[mnk.State] // of the newest process
	observe  func(Event)
	ctx      context.Context
	warnings []string // of the loop and the games
}

func newRun() *run {
	return &run{cfg: testConfig(), yaml: "a: 1\n", search: `{"simulations": 64}`, player: &fakePlayer{}, arena: &fakeArena{}, observe: func(Event) {},
		ctx: context.Background()}
}

func openTestDir(t testing.TB, path string) *checkpoint.Dir {
	t.Helper()
	d, err := checkpoint.Open(path, []byte("a: 1\n"), func([]byte, *checkpoint.Checkpoint) error { return nil })
	noError(t, err)
	return d
}

// in continues with the run in the directory until it ends or fails. The log of games is in a folder there.
func (r *run) in(t testing.TB, path string) error {
	t.Helper()
	d, err := checkpoint.Open(path, []byte(r.yaml), func([]byte, *checkpoint.Checkpoint) error { return nil })
	if err != nil {
		return err
	}
	defer d.Close()
	if r.before != nil {
		d.Interrupt = r.before
	}
	warn := func(err error) { r.warnings = append(r.warnings, err.Error()) }
	r.window = testWindow()
	setup := Setup{
		Config: r.cfg, Game: "tictactoe", Seed: testSeed, Search: json.RawMessage(r.search), Weights: testWeights(), Dir: d,
		Window: r.window, Log: &folderLog{path: filepath.Join(path, gamesFolder), before: r.append, drop: r.drop},
		Player: r.player, KeepGames: r.keep, Ahead: r.ahead, Arena: r.arena, Observe: r.observe, Warn: warn,
	}
	if r.cheated != nil {
		setup.Player, setup.Banned = r.cheated, r.cheated.Banned
	}
	l, err := New(r.ctx, setup)
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Run(r.ctx)
}

// contents are the files of a run directory but the lock and the log, where games lie as they happened to end: their
// SHA-256 by name. The times in the metrics are left out.
func contents(t testing.TB, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(path, func(file string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == gamesFolder {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || entry.Name() == "lock" {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if entry.Name() == metricsFile {
			content = withoutTimes(t, content)
		}
		name, err := filepath.Rel(path, file)
		files[filepath.ToSlash(name)] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	})
	noError(t, err)
	return files
}

func withoutTimes(t testing.TB, lines []byte) []byte {
	t.Helper()
	var all strings.Builder
	for _, line := range strings.SplitAfter(string(lines), "\n") {
		if line == "" {
			continue
		}
		again, err := checkpoint.Timeless([]byte(line))
		if err != nil {
			t.Fatalf("metrics line %q: %v", line, err)
		}
		all.Write(append(again, '\n'))
	}
	return []byte(all.String())
}

// readMetrics are the lines of metrics.jsonl.
func readMetrics(t testing.TB, path string) (all []checkpoint.Metrics) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path, metricsFile))
	noError(t, err)
	for line := range strings.Lines(string(content)) {
		var m checkpoint.Metrics
		noError(t, json.Unmarshal([]byte(line), &m))
		all = append(all, m)
	}
	return all
}
