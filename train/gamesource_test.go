package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tengen/net"
	"tengen/replay"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// testOrder asks for games of the initial weights.
func testOrder(after uint64, games int) order {
	return order{weights: testWeights(), after: after, games: games, progress: func(int) {}}
}

// testSource is a source that must not meet damage.
func testSource(t testing.TB, log Log, player selfplay.Player) *gameSource {
	return &gameSource{log: log, player: player, seed: testSeed, report: func(err error) { t.Error(err) }}
}

// wantGames checks that games are those of the initial weights with the numbers from first on.
func wantGames(t testing.TB, games []*replay.Record, first uint64, n int) {
	t.Helper()
	if len(games) != n {
		t.Errorf("%d games, want %d", len(games), n)
	}
	for i, g := range games {
		if want := fakeGame(first+uint64(i), 0, fingerprint(testWeights())); !reflect.DeepEqual(g, want) {
			t.Errorf("game %d is\n%+v, want\n%+v", i, g, want)
		}
	}
}

// Games that are in the log already are not played again, and come in their places.
func TestGameSourceTakesUpWhatIsFinished(t *testing.T) {
	log := newFolderLog(t)
	first := &fakePlayer{fail: func(game uint64) error {
		if game == 4 {
			return errKilled
		}
		return nil
	}}
	if _, err := testSource(t, log, first).next(t.Context(), testOrder(0, 10)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if len(first.played) == 0 || len(first.played) == 9 {
		t.Fatalf("games %v were finished: the test needs some of ten", first.played)
	}
	second := &fakePlayer{}
	j := testSource(t, log, second)
	var progress []int
	r := testOrder(0, 10)
	r.progress = func(done int) { progress = append(progress, done) }
	b, err := j.next(t.Context(), r)
	noError(t, err)
	wantGames(t, b.games, 0, 10)
	if progress[0] != len(first.played) || progress[len(progress)-1] != 10 || !slices.IsSorted(progress) {
		t.Errorf("progress %v, want it to go from %d to 10", progress, len(first.played))
	}
	if all := slices.Sorted(slices.Values(append(first.played, second.played...))); !slices.Equal(all, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("played were %v and then %v", first.played, second.played)
	}
	if b, err = j.next(t.Context(), testOrder(10, 5)); err != nil {
		t.Fatal(err)
	}
	wantGames(t, b.games, 10, 5)
}

// damagedLog is a log in which the games with some numbers cannot be read until others take their places.
type damagedLog struct {
	Log
	bad map[uint64]bool
}

func (d damagedLog) Put(ctx context.Context, games ...replay.Entry) error {
	for _, g := range games {
		delete(d.bad, g.Number)
	}
	return d.Log.Put(ctx, games...)
}

func (d damagedLog) Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error {
	return d.Log.Read(ctx, first, end, func(e replay.Entry) error {
		if d.bad[e.Number] {
			e.Game, e.Err = nil, replay.ErrDamaged
		}
		return yield(e)
	})
}

// A damaged game is reported and played again, whether it was learned from or not.
func TestGameSourceDamage(t *testing.T) {
	log := newFolderLog(t)
	if _, err := testSource(t, log, &fakePlayer{}).next(t.Context(), testOrder(0, 6)); err != nil {
		t.Fatal(err)
	}
	player, reported := &fakePlayer{}, 0
	j := &gameSource{
		log: damagedLog{log, map[uint64]bool{2: true, 5: true}}, player: player, seed: testSeed,
		model:  func(uint64) (uint64, *net.Weights, error) { return 0, testWeights(), nil },
		report: func(error) { reported++ },
	}
	games, err := j.recent(t.Context(), 1, 4, 3)
	noError(t, err)
	wantGames(t, games, 1, 3)
	b, err := j.next(t.Context(), testOrder(4, 2))
	noError(t, err)
	wantGames(t, b.games, 4, 2)
	if !slices.Equal(player.played, []uint64{2, 5}) || reported != 3 { // two entries, and that lost games are played again
		t.Errorf("played %v again, want 2 and 5; %d reports, want 3", player.played, reported)
	}
}

// A log that is not that of the checkpoint is an error.
func TestGameSourceOfAnotherRun(t *testing.T) {
	log := newFolderLog(t)
	if _, err := testSource(t, log, &fakePlayer{}).next(t.Context(), testOrder(0, 6)); err != nil {
		t.Fatal(err)
	}
	r := testOrder(0, 6)
	r.model.Iteration = 1
	_, err := testSource(t, log, &fakePlayer{}).next(t.Context(), r)
	wantError(t, err, "game 0 in the log was played by model 0, but the checkpoint says model 1: "+misfit)
	r.model = checkpoint.ModelFile{SHA256: "that of another file"}
	_, err = testSource(t, log, &fakePlayer{}).next(t.Context(), r)
	wantError(t, err, "model-00000000.safetensors is another")
	_, err = (&gameSource{log: log, seed: 6}).recent(t.Context(), 1, 6, 5)
	wantError(t, err, "is from a run with seed 5, but this one has seed 6: "+misfit)
}

// cheatedPlayer has false games of one worker among those that it hands over, which it finds out after its second call.
type cheatedPlayer struct {
	calls  int
	banned []string // one after the other, from the second call on
	fails  int      // the call that fails, if any
	after  func()   // called when the false games have been dealt with; may be nil
}

func (p *cheatedPlayer) Play(ctx context.Context, model uint64, w *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	if p.calls++; p.calls == p.fails {
		return replay.Stats{}, errKilled
	}
	for _, n := range drain(next) {
		worker, weights := "honest", fingerprint(w)
		if n%3 == 1 && p.calls <= 2 {
			worker, weights = "cheat", 1
		}
		if err := sink.Keep(worker, fakeGame(n, model, weights)); err != nil {
			return replay.Stats{}, err
		}
	}
	return replay.Stats{}, sink.Flush(ctx)
}

func (p *cheatedPlayer) Banned() []string {
	if p.calls < 2 || len(p.banned) == 0 {
		if p.calls >= 2 && p.after != nil {
			p.after()
		}
		return nil
	}
	worker := p.banned[0]
	p.banned = p.banned[1:]
	return []string{worker}
}

// The games of a worker that is found out are played again, those of the iteration and those that a window needs, and no others.
// A worker without games, found out before, changes nothing.
func TestGameSourceReplacesFalseGames(t *testing.T) {
	log, reports := newFolderLog(t), 0
	p := &cheatedPlayer{banned: []string{"idle", "cheat"}}
	j := &gameSource{
		log: log, player: p, banned: p.Banned, seed: testSeed,
		model:  func(uint64) (uint64, *net.Weights, error) { return 0, testWeights(), nil },
		report: func(error) { reports++ },
	}
	b, err := j.next(t.Context(), testOrder(0, 6))
	if err != nil || b.removed {
		t.Fatalf("removed %v, error %v", b.removed, err)
	}
	r := testOrder(6, 6)
	r.needed = 3
	if b, err = j.next(t.Context(), r); err != nil || !b.removed || reports != 1 {
		t.Fatalf("removed %v, %d reports, error %v", b.removed, reports, err)
	}
	wantGames(t, b.games, 6, 6)
	games, err := j.recent(t.Context(), 3, 6, 3)
	noError(t, err)
	wantGames(t, games, 3, 3)
	for _, e := range log.entries(t) {
		if cheat := e.Number == 1; cheat != (e.Worker == "cheat") {
			t.Errorf("game %d is of %s", e.Number, e.Worker)
		}
	}
}

// False games are removed even if the player fails once their worker is found out: the next process may not know the worker.
func TestGameSourceRemovesFalseGamesOfAFailedPlayer(t *testing.T) {
	log := newFolderLog(t)
	for n := range uint64(6) {
		noError(t, log.Put(t.Context(), replay.Entry{Worker: "cheat", Game: fakeGame(n, 0, 1)}))
	}
	p := &cheatedPlayer{calls: 1, fails: 2, banned: []string{"cheat"}}
	j := &gameSource{log: log, player: p, banned: p.Banned, seed: testSeed, report: func(error) {}}
	if _, err := j.next(t.Context(), testOrder(6, 6)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if entries := log.entries(t); len(entries) > 0 {
		t.Errorf("%d games of the worker are left", len(entries))
	}
}

// Forged games of the current iteration alone are played again without a report: no model has learned from them.
func TestGameSourceReplacesNewFalseGames(t *testing.T) {
	p := &cheatedPlayer{banned: []string{"cheat"}}
	j := &gameSource{
		log: newFolderLog(t), player: p, banned: p.Banned, seed: testSeed,
		report: func(err error) { t.Error(err) },
	}
	if _, err := j.next(t.Context(), testOrder(0, 6)); err != nil {
		t.Fatal(err)
	}
	r := testOrder(6, 6)
	r.needed = 6
	b, err := j.next(t.Context(), r)
	if err != nil || b.removed {
		t.Fatalf("removed %v, error %v", b.removed, err)
	}
	wantGames(t, b.games, 6, 6)
}

// failingLog is a log whose Read fails at its n-th call, from 0.
type failingLog struct {
	Log
	fail func() error
}

func (l failingLog) Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error {
	if err := l.fail(); err != nil {
		return err
	}
	return l.Log.Read(ctx, first, end, yield)
}

// Lost games are played again by their models; those whose models are gone stay lost, and are reported.
func TestGameSourcePlaysAgainWhatItCan(t *testing.T) {
	player, reports := &fakePlayer{}, 0
	j := &gameSource{
		log: newFolderLog(t), player: player, seed: testSeed, report: func(error) { reports++ },
		model: func(game uint64) (uint64, *net.Weights, error) {
			if game < 2 || game == 5 {
				return 0, nil, fs.ErrNotExist
			}
			return game / 4, testWeights(), nil
		},
	}
	games, err := j.recent(t.Context(), 0, 8, 8)
	if err != nil || len(games) != 5 || reports != 2 || !slices.Equal(player.models, []uint64{0, 1, 1}) {
		t.Errorf("models %v played %v, %d reports, error %v", player.models, player.played, reports, err)
	}
	if slices.Sort(player.played); !slices.Equal(player.played, []uint64{2, 3, 4, 6, 7}) {
		t.Errorf("games %v were played again", player.played)
	}
}

// A log that cannot be read, a model that cannot be, and a player that fails end the work with their errors.
func TestGameSourcePassesErrorsOn(t *testing.T) {
	weights := func(uint64) (uint64, *net.Weights, error) { return 0, testWeights(), nil }
	unreadable := func(uint64) (uint64, *net.Weights, error) { return 0, nil, errNoRoom }
	failing := &fakePlayer{fail: func(uint64) error { return errKilled }}
	for _, test := range []struct {
		what    string
		dropped uint64 // games
		reads   int    // that succeed
		player  selfplay.Player
		model   func(uint64) (uint64, *net.Weights, error)
		call    func(j *gameSource) error
		want    string
	}{
		{"read before playing", 0, 0, nil, nil, next(0), "killed"},
		{"read of the window", 0, 0, nil, nil, recent, "killed"},
		{"read after a cheat", 6, 1, &cheatedPlayer{calls: 1, banned: []string{"cheat"}}, weights, next(0), "killed"},
		{"model of a lost game", 6, 9, nil, unreadable, recent, "game 0 cannot be played again: no space"},
		{"lost game", 6, 9, failing, weights, recent, "killed"},
		{"false games", 6, 9, &cheatedPlayer{calls: 1, banned: []string{"cheat"}, fails: 3}, weights, next(6), "killed"},
	} {
		log := newFolderLog(t)
		for n := range uint64(6) {
			noError(t, log.Put(t.Context(), replay.Entry{Worker: "cheat", Game: fakeGame(n, 0, 1)}))
		}
		noError(t, log.Drop(t.Context(), test.dropped))
		j := &gameSource{
			log: failingLog{log, countdown(test.reads)}, player: test.player, seed: testSeed, model: test.model, report: func(error) {},
		}
		if p, ok := test.player.(*cheatedPlayer); ok {
			j.banned = p.Banned
		}
		if err := test.call(j); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.what, err, test.want)
		}
	}
}

// next and recent ask the log for games.
func next(after uint64) func(*gameSource) error {
	return func(j *gameSource) error {
		_, err := j.next(context.Background(), testOrder(after, 6))
		return err
	}
}

func recent(j *gameSource) error {
	_, err := j.recent(context.Background(), 0, 6, 6)
	return err
}

// Each game is stored once, and no game that was not asked for.
func TestRecorderKeepsWhatIsWanted(t *testing.T) {
	log := newFolderLog(t)
	r := newRecorder(t.Context(), log, []uint64{3, 4}, func([]replay.Entry) {})
	for _, n := range []uint64{4, 5, 4, 2, 3} {
		noError(t, r.Keep("w", fakeGame(n, 0, 0)))
	}
	noError(t, r.close())
	if entries := log.entries(t); len(entries) != 2 {
		t.Errorf("stored are %v", entries)
	}
}

// rowLog writes down the transactions that it is asked for.
type rowLog struct {
	Log
	rows []string
}

func (l *rowLog) Put(_ context.Context, games ...replay.Entry) error {
	var row []string
	for _, e := range games {
		row = append(row, fmt.Sprint(e.Worker, e.Number))
	}
	l.rows = append(l.rows, strings.Join(row, " "))
	return nil
}

// Games that come one after the other are one transaction up to a Flush, and no more than that many come together.
func TestRecorderGathers(t *testing.T) { synctest.Test(t, testRecorderGathers) }

func testRecorderGathers(t *testing.T) {
	log, stored := new(rowLog), 0
	r := &recorder{log: log, ctx: t.Context(), queue: make(chan queued, queueLength), stored: func(games []replay.Entry) { stored += len(games) }}
	game := func(worker string, number uint64) queued {
		return queued{game: replay.Entry{Worker: worker, Number: number, Game: fakeGame(number, 0, 0)}}
	}
	flush := queued{flush: make(chan struct{})}
	for _, batch := range [][]queued{{flush}, {game("a", 0), game("a", 1), game("b", 2), {flush: make(chan struct{})}}, {game("b", 3)}} {
		noError(t, r.store(batch))
	}
	if want := []string{"a0 a1 b2", "b3"}; !slices.Equal(log.rows, want) || stored != 4 {
		t.Errorf("transactions %q of %d games, want %q", log.rows, stored, want)
	}
	<-flush.flush
	for _, k := range []queued{game("a", 1), {flush: make(chan struct{})}, game("a", 2)} {
		r.queue <- k
	}
	if batch := r.gather(game("a", 0)); len(batch) != 3 || len(r.queue) != 1 {
		t.Errorf("%d games before a Flush, and it; want 3", len(batch))
	}
	<-r.queue
	for range queueLength {
		r.queue <- game("a", 0)
	}
	if n := len(r.gather(game("a", 0))); n != transactionMax {
		t.Errorf("%d games in a transaction, want %d", n, transactionMax)
	}
	for len(r.queue) > 0 {
		<-r.queue
	}
	if batch := r.gather(game("a", 7)); len(batch) != 1 || batch[0].game.Number != 7 {
		t.Errorf("a game with none behind it: %d games, want itself", len(batch))
	}
}

// secondLog takes a second for each transaction. Within synctest nothing else takes time.
type secondLog struct {
	*folderLog
	transactions int
}

func (l *secondLog) Put(ctx context.Context, games ...replay.Entry) error {
	l.transactions++
	time.Sleep(time.Second)
	return l.folderLog.Put(ctx, games...)
}

// The log's time is the time of its transactions, not the time until they begin.
func TestLogTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &secondLog{folderLog: newFolderLog(t)}
		b, err := testSource(t, log, &fakePlayer{}).next(t.Context(), testOrder(0, 10))
		if err != nil || log.transactions == 0 || b.stats.Log != time.Duration(log.transactions)*time.Second {
			t.Errorf("%d transactions of a second took %v, %v", log.transactions, b.stats.Log, err)
		}
	})
}

// slowLog stores nothing before it may.
type slowLog struct {
	Log
	may chan struct{}
}

func (l slowLog) Put(context.Context, ...replay.Entry) error {
	<-l.may
	return errNoRoom
}

// Who waits for a log learns that it has failed, or gives up with the context.
func TestRecorderIsWaitedFor(t *testing.T) {
	log := slowLog{may: make(chan struct{})}
	var wanted []uint64
	for n := range uint64(3 * queueLength) {
		wanted = append(wanted, n)
	}
	r := newRecorder(t.Context(), log, wanted, func([]replay.Entry) {})
	noError(t, r.Keep("w", fakeGame(0, 0, 0)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Flush with a cancelled context: %v", err)
	}
	flushed := make(chan error)
	go func() { flushed <- r.Flush(t.Context()) }()
	kept := make(chan error)
	go func() {
		var err error
		for n := uint64(1); err == nil && n < uint64(len(wanted)); n++ {
			err = r.Keep("w", fakeGame(n, 0, 0))
		}
		kept <- err
	}()
	close(log.may)
	if err := <-flushed; !errors.Is(err, errNoRoom) {
		t.Errorf("Flush: %v", err)
	}
	if err := <-kept; !errors.Is(err, errNoRoom) {
		t.Errorf("Keep: %v", err)
	}
	if err := r.close(); !errors.Is(err, errNoRoom) {
		t.Errorf("close: %v", err)
	}
}

// lastPlayer is interrupted just before its only game ends.
type lastPlayer struct{ interrupt func() }

func (l lastPlayer) Play(ctx context.Context, _ uint64, _ *net.Weights, next func() (uint64, bool), sink replay.Sink) (replay.Stats, error) {
	l.interrupt()
	number, _ := next()
	return replay.Stats{}, errors.Join(sink.Keep(replay.LocalWorker, fakeGame(number, 0, fingerprint(testWeights()))), ctx.Err())
}

// A game that has ended is kept, though the run is being stopped.
func TestGameSourceKeepsTheLastGame(t *testing.T) {
	log := newFolderLog(t)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := testSource(t, log, lastPlayer{cancel}).next(ctx, testOrder(0, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	games, err := testSource(t, log, nil).recent(t.Context(), 0, 1, 1)
	noError(t, err)
	wantGames(t, games, 0, 1)
}
