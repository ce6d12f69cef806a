package cluster

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"tengen/cluster/access"
	"tengen/game/mnk"
	"tengen/internal/fulltest"
	"tengen/mcts"
	tnet "tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train"
)

// verifiedSettings are those of a run whose games are long enough to tell networks apart.
func verifiedSettings() Settings {
	s := testSettings()
	s.Search.Simulations = 16
	return s
}

// verifiedWeights are the weights of the model of an iteration of that run.
func verifiedWeights(iteration uint64) *tnet.Weights {
	cfg := tnet.Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 2, ValueHidden: 8}
	return tnet.NewWeights(cfg, tnet.ShapeOf(mnk.TicTacToe()), iteration)
}

// openPool returns the player of a worker with so many goroutines, and games for each.
func openPool(seed uint64, goroutines, games int) *manyPlayer {
	s := verifiedSettings()
	s.Selfplay.GamesPerWorker = games
	p := &manyPlayer{}
	var evaluators []mcts.Evaluator[mnk.State]
	for range goroutines {
		ev := tnet.NewEvaluator[mnk.State](verifiedWeights(0), games)
		p.evaluators, evaluators = append(p.evaluators, ev), append(evaluators, ev)
	}
	p.pool = selfplay.NewPool(mnk.TicTacToe(), s.Selfplay, s.Search, seed, evaluators)
	return p
}

// manyPlayer is a Player and a Replayer.
type manyPlayer struct {
	evaluators []*tnet.Evaluator[mnk.State]
	pool       *selfplay.Pool[mnk.State]
}

func (p *manyPlayer) load(w *tnet.Weights) {
	for _, ev := range p.evaluators {
		ev.Load(w)
	}
}

func (p *manyPlayer) Replay(
	ctx context.Context, model uint64, w *tnet.Weights, games []selfplay.ID, finished func(*replay.Record) error,
) (replay.Stats, error) {
	p.load(w)
	return p.pool.Replay(ctx, model, games, finished)
}

// entriesOf are the games with these numbers that a worker plays with a model, as the run gets them.
func entriesOf(t testing.TB, p *manyPlayer, worker string, model uint64, w *tnet.Weights, numbers []uint64) []replay.Entry {
	t.Helper()
	entries, err := tryEntries(t, p, worker, model, w, numbers)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// tryEntries is entriesOf for weights that may not work.
func tryEntries(t testing.TB, p *manyPlayer, worker string, model uint64, w *tnet.Weights, numbers []uint64) ([]replay.Entry, error) {
	t.Helper()
	p.load(w)
	games := map[uint64]*replay.Record{}
	var mu sync.Mutex
	_, err := p.pool.Play(t.Context(), model, selfplay.Numbers(numbers), func(g *replay.Record) error {
		mu.Lock()
		defer mu.Unlock()
		g.Seed, g.Arithmetic = verifiedSettings().Seed, tnet.Arithmetic()
		games[g.Number] = g
		return nil
	})
	if err != nil {
		return nil, err
	}
	var entries []replay.Entry
	for i, number := range numbers {
		entries = append(entries, replay.Entry{Sequence: uint64(i + 1), Worker: worker, Game: games[number]})
	}
	return entries, nil
}

func numbersTo(n uint64) (all []uint64) {
	for number := range n {
		all = append(all, number)
	}
	return all
}

// seedOfWorker is that of a worker's games in the run of testSettings.
func seedOfWorker(worker string) uint64 { return seedOf(verifiedSettings().Seed, worker) }

// verifyConfig is that of a run of testSettings.
func verifyConfig(share float64) VerifyConfig {
	return VerifyConfig{
		Share: share, Secret: "a secret",
		Open: func(Settings, string) (Replayer, error) { return openPool(0, 2, 3), nil },
	}
}

func testVerifier(t testing.TB, cfg VerifyConfig) (v *verifier, reports *[]string) {
	t.Helper()
	reports = &[]string{}
	v, err := newVerifier(cfg, verifiedSettings(), func(err error) { *reports = append(*reports, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	for model := range uint64(heldModels) {
		v.publish(model, verifiedWeights(model))
	}
	return v, reports
}

// Honest games come out the same, however many goroutines have played how many games side by side.
func TestHonestGamesPass(t *testing.T) {
	fulltest.Only(t)
	const each = 300
	v, reports := testVerifier(t, verifyConfig(1))
	var games []replay.Entry
	for _, goroutines := range []int{1, 2, 5} {
		for _, side := range []int{1, 7, 40} {
			worker := fmt.Sprint("w", goroutines, "-", side)
			model := uint64(len(games)/each) % heldModels
			games = append(games, entriesOf(t, openPool(seedOfWorker(worker), goroutines, side), worker, model, verifiedWeights(model), numbersTo(each))...)
		}
	}
	for i := range games {
		games[i].Sequence = uint64(i + 1)
	}
	for start := 0; start < len(games); start += 450 {
		if found, err := v.check(t.Context(), 0, games[start:start+450]); found || err != nil {
			t.Fatalf("found %v, %v: %q", found, err, *reports)
		}
	}
	if done := v.take(); done.Games != len(games) || done.Skipped > 0 || done.Time <= 0 || len(*reports) > 0 {
		t.Errorf("verified %+v of %d games; reports %q", done, len(games), *reports)
	}
}

// One bit of a worker's weights is wrong, from the lowest of a fraction to the sign, all over the network. Whoever plays a fifth of its
// games or more otherwise is caught by a hundredth of its first 500 games. Each network has a player of its own, because a player
// remembers evaluations by the number of the model, which is the same here.
func TestFlippedBits(t *testing.T) {
	fulltest.Only(t)
	const games, flips = 500, 32
	v, _ := testVerifier(t, verifyConfig(0.01))
	w := verifiedWeights(1)
	player := func() *manyPlayer { return openPool(seedOfWorker("faulty"), 2, 32) }
	honest := entriesOf(t, player(), "faulty", 1, w, numbersTo(games))
	var caught, itself, harmless, missed int
	for flip := range flips {
		faulty := w.Clone()
		flipBit(faulty, flip*w.Count()/flips, flip%32)
		sent, err := tryEntries(t, player(), "faulty", 1, faulty, numbersTo(games))
		if err != nil {
			itself++
			t.Logf("flip %d: the worker finds out by itself: %v", flip, err)
			continue
		}
		different, played := differences(sent, honest)
		v.caught = nil
		found, err := v.check(t.Context(), 0, sent)
		v.take()
		switch {
		case err != nil:
			t.Fatal(err)
		case found != (len(v.caught) == 1) || found && different == 0 || !found && different >= games/5:
			t.Errorf("flip %d: found %v, %d caught, %d of %d games differ", flip, found, len(v.caught), different, games)
		case found:
			caught++
		case different == 0:
			harmless++
		default:
			missed++
			t.Logf("flip %d: %d of %d games differ, and none of them was looked at", flip, different, games)
		}
		t.Logf("flip %d: %d games differ, %d by more than the checksum", flip, different, played)
	}
	t.Logf("%d caught, %d find out by themselves, %d change nothing that the network says, %d missed", caught, itself, harmless, missed)
	if caught < flips*3/4 {
		t.Errorf("%d caught, want %d", caught, flips*3/4)
	}
}

// differences counts the games that differ from those of an honest worker, and those that were played otherwise, too.
func differences(sent, honest []replay.Entry) (different, played int) {
	for i := range sent {
		got, want := *sent[i].Game, honest[i].Game
		if replay.Difference(&got, want) != "" {
			different++
		}
		if got.Evaluations = 0; replay.Difference(&got, want) != "" {
			played++
		}
	}
	return different, played
}

// Games of workers that tell no checksum of their evaluations, as older ones do, are compared without.
func TestNoChecksum(t *testing.T) {
	v, reports := testVerifier(t, verifyConfig(1))
	games := entriesOf(t, openPool(seedOfWorker("w"), 1, 4), "w", 1, verifiedWeights(1), numbersTo(9))
	for _, e := range games {
		if e.Game.Evaluations == 0 {
			t.Error("a game has no checksum")
		}
		e.Game.Evaluations = 0
	}
	if found, err := v.check(t.Context(), 0, games); found || err != nil {
		t.Fatalf("found %v, %v: %q", found, err, *reports)
	}
	games[5].Sequence, games[5].Game.Evaluations = 10, 1
	if found, err := v.check(t.Context(), 0, games[5:6]); !found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	if text := strings.Join(*reports, "\n"); !strings.Contains(text, "evaluations have the checksum 00000001") {
		t.Errorf("reports\n%s", text)
	}
}

// flipBit flips a bit of the weight at a place among all.
func flipBit(w *tnet.Weights, place, bit int) {
	for _, p := range w.Params {
		if place < len(p.Data) {
			p.Data[place] = math.Float32frombits(math.Float32bits(p.Data[place]) ^ 1<<bit)
			return
		}
		place -= len(p.Data)
	}
}

// What is played again depends on the secret, the worker and the number, and is as much as it should be.
func TestDrawn(t *testing.T) {
	entry := func(worker string, number uint64) replay.Entry {
		return replay.Entry{Worker: worker, Game: &replay.Record{Number: number}}
	}
	const games = 20_000
	count := func(share float64, secret, worker string, with *verifier) (n, both int) {
		v := &verifier{cfg: VerifyConfig{Share: share, Secret: secret}, trusted: map[string]bool{"own": true}}
		for number := range uint64(games) {
			if e := entry(worker, number); v.drawn(e) {
				n++
				if with != nil && with.drawn(entry("w", number)) {
					both++
				}
			}
		}
		return n, both
	}
	for share, want := range map[float64][2]int{0: {0, 0}, 0.01: {140, 260}, 0.3: {5700, 6300}, 1: {games, games}} {
		if n, _ := count(share, "a", "w", nil); n < want[0] || n > want[1] {
			t.Errorf("%d of %d games for a share of %v", n, games, share)
		}
	}
	if n, _ := count(1, "a", "own", nil); n > 0 {
		t.Errorf("%d games of the worker of this process", n)
	}
	first := &verifier{cfg: VerifyConfig{Share: 0.3, Secret: "a"}}
	for _, other := range [][2]string{{"b", "w"}, {"a", "v"}} {
		if _, both := count(0.3, other[0], other[1], first); both < 1500 || both > 2100 { // 1800 where they have nothing to do with each other
			t.Errorf("%d of %d games are drawn with the secret %s for the worker %s, too", both, games, other[0], other[1])
		}
	}
	if _, both := count(0.3, "a", "w", first); both < 5700 {
		t.Error("the same secret draws other games")
	}
}

// Games that cannot be repeated here are counted, told of once for each worker, and taken.
func TestNotVerified(t *testing.T) {
	cfg := verifyConfig(1)
	cfg.Weights = func(model uint64) (*tnet.Weights, error) {
		if model == 7 {
			return verifiedWeights(7), nil
		}
		return nil, fmt.Errorf("model %d is gone", model)
	}
	v, reports := testVerifier(t, cfg)
	games := entriesOf(t, openPool(seedOfWorker("w"), 1, 4), "w", 7, verifiedWeights(7), numbersTo(9))
	for i, e := range games {
		e.Game.Arithmetic = [...]string{e.Game.Arithmetic, "go1.26/arm64/go/12345678", ""}[i%3]
	}
	gone := entriesOf(t, openPool(seedOfWorker("w"), 1, 4), "w", 8, verifiedWeights(8), []uint64{9, 10})
	gone[0].Sequence, gone[1].Sequence = 10, 11
	for range 2 { // the second time as after a worker was caught
		if found, err := v.check(t.Context(), 0, append(games, gone...)); found || err != nil {
			t.Fatal(found, err)
		}
	}
	if done := v.take(); done.Games != 3 || done.Skipped != 8 {
		t.Errorf("verified %+v", done)
	}
	if text := strings.Join(*reports, "\n"); len(*reports) != 3 || !strings.Contains(text, "go1.26/arm64") || !strings.Contains(text, "model 8 is gone") {
		t.Errorf("reports\n%s", text)
	}
}

// What a run has played by itself, before workers could join it, is taken as it is.
func TestGamesOfTheRunItself(t *testing.T) {
	v, reports := testVerifier(t, verifyConfig(1))
	if !access.IsLocal(train.LocalWorker) {
		t.Errorf("a worker elsewhere may be called %s", train.LocalWorker)
	}
	g := &replay.Record{Number: 3}
	found, err := v.check(t.Context(), 0, []replay.Entry{{Sequence: 1, Worker: train.LocalWorker, Game: g}})
	if done := v.take(); found || err != nil || done.Skipped > 0 || len(*reports) > 0 {
		t.Errorf("found %v, %v, verified %+v, reports %q", found, err, done, *reports)
	}
}

// secondThoughts is a Replayer whose memory is not to be trusted.
type secondThoughts struct {
	Replayer
	games int
}

func (r *secondThoughts) Replay(
	ctx context.Context, model uint64, w *tnet.Weights, games []selfplay.ID, finished func(*replay.Record) error,
) (replay.Stats, error) {
	return r.Replayer.Replay(ctx, model, w, games, func(g *replay.Record) error {
		if r.games++; r.games == 5 {
			g.Values[0] = -g.Values[0]
		}
		return finished(g)
	})
}

// A machine that repeats a game in two ways accuses nobody.
func TestTrainerIsFaulty(t *testing.T) {
	cfg := verifyConfig(1)
	cfg.Open = func(Settings, string) (Replayer, error) { return &secondThoughts{Replayer: openPool(0, 1, 3)}, nil }
	v, _ := testVerifier(t, cfg)
	games := entriesOf(t, openPool(seedOfWorker("w"), 1, 4), "w", 1, verifiedWeights(1), numbersTo(9))
	found, err := v.check(t.Context(), 0, games)
	if found || len(v.caught) > 0 {
		t.Errorf("caught %+v", v.caught)
	}
	wantError(t, err, "memory or processor of this machine are faulty")
}

// A worker that names another arithmetic in each of its games is told of a few times, not once for each.
func TestNotVerifiedInManyWays(t *testing.T) {
	v, reports := testVerifier(t, verifyConfig(1))
	games := entriesOf(t, openPool(seedOfWorker("w"), 1, 4), "w", 1, verifiedWeights(1), numbersTo(9))
	for i, e := range games {
		e.Game.Arithmetic = fmt.Sprint("abacus ", i)
	}
	if found, err := v.check(t.Context(), 0, games); found || err != nil {
		t.Fatal(found, err)
	}
	if done := v.take(); done.Skipped != len(games) || len(*reports) != mostReasons {
		t.Errorf("verified %+v, reports\n%s", done, strings.Join(*reports, "\n"))
	}
}
