package train

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tengen/net"
	"tengen/replay"
	"tengen/replay/logtest"
)

// testRequest asks for games of the initial weights.
func testRequest(after uint64, games int) Request {
	return Request{Weights: testWeights(), After: after, Games: games, Progress: func(int) {}}
}

// testJournal is a journal that must not meet damage.
func testJournal(t testing.TB, log Log, player Player) *Journal {
	return NewJournal(log, player, testSeed, func(e replay.Entry) { t.Errorf("damage: %v", e.Err) })
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
func TestJournalTakesUpWhatIsFinished(t *testing.T) {
	log := logtest.NewMemoryLog()
	first := &fakePlayer{fail: func(game uint64) error {
		if game == 4 {
			return errKilled
		}
		return nil
	}}
	if _, err := testJournal(t, log, first).Next(t.Context(), testRequest(0, 10)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if len(first.played) == 0 || len(first.played) == 9 {
		t.Fatalf("games %v were finished: the test needs some of ten", first.played)
	}
	second := &fakePlayer{}
	j := testJournal(t, log, second)
	var progress []int
	r := testRequest(0, 10)
	r.Progress = func(done int) { progress = append(progress, done) }
	b, err := j.Next(t.Context(), r)
	if err != nil || b.Cursor != 10 {
		t.Fatalf("cursor %d, error %v", b.Cursor, err)
	}
	wantGames(t, b.Games, 0, 10)
	for i, done := range progress {
		if want := len(first.played) + i; done != want {
			t.Errorf("progress %v, want every number from %d", progress, len(first.played))
		}
	}
	if all := slices.Sorted(slices.Values(append(first.played, second.played...))); !slices.Equal(all, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("played were %v and then %v", first.played, second.played)
	}
	if b, err = j.Next(t.Context(), testRequest(b.Cursor, 5)); err != nil {
		t.Fatal(err)
	}
	wantGames(t, b.Games, 10, 5)
}

// A journal does not go on holding the games that it has handed out.
func TestJournalForgetsWhatItHandedOut(t *testing.T) {
	log := logtest.NewMemoryLog()
	if _, err := testJournal(t, log, &fakePlayer{}).Next(t.Context(), testRequest(0, 10)); err != nil {
		t.Fatal(err)
	}
	j := testJournal(t, log, &fakePlayer{})
	for i, left := range []int{7, 4, 1, 0} {
		if b, err := j.Next(t.Context(), testRequest(3*uint64(i), 3)); err != nil || len(b.Games) != 3 || len(j.games) != left {
			t.Errorf("%d games, %d are held, error %v; want 3 and %d", len(b.Games), len(j.games), err, left)
		}
	}
}

// What a log was told to retain is what a restart needs, in whatever order the games of an iteration ended.
func TestJournalRetain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		log := logtest.NewMemoryLog()
		n := rapid.IntRange(1, 12).Draw(rt, "games of an iteration")
		var all []*replay.Record
		window := 0
		for range rapid.IntRange(1, 6).Draw(rt, "iterations") {
			j := testJournal(t, log, &fakePlayer{})
			b, err := j.Next(t.Context(), testRequest(uint64(len(all)), n))
			if err != nil {
				rt.Fatal(err)
			}
			all = append(all, b.Games...)
			window = rapid.IntRange(0, window+n).Draw(rt, "window") // what it has dropped does not come back
			positions := 0
			for _, g := range all[len(all)-window:] {
				positions += g.Positions()
			}
			if err := j.Retain(t.Context(), positions); err != nil {
				rt.Fatal(err)
			}
			games, err := testJournal(t, log, nil).Recent(t.Context(), b.Cursor, nil, window)
			if err != nil || len(games) != window {
				rt.Fatalf("%d games of %d, error %v", len(games), window, err)
			}
			wantGames(t, games, uint64(len(all)-window), window)
		}
	})
}

// damagedLog is a log in which the games with some numbers cannot be read.
type damagedLog struct {
	Log
	bad []uint64
}

var errDamaged = errors.New("damaged")

func (d damagedLog) Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	return d.Log.Read(ctx, after, func(e replay.Entry) error {
		if slices.Contains(d.bad, e.Game.Number) {
			e.Game, e.Err = nil, errDamaged
		}
		return yield(e)
	})
}

// A damaged game is reported. It is played again if it was not learned from yet, and left out of the window if it was, where an older one takes its place.
func TestJournalDamage(t *testing.T) {
	log := logtest.NewMemoryLog()
	if _, err := testJournal(t, log, &fakePlayer{}).Next(t.Context(), testRequest(0, 6)); err != nil {
		t.Fatal(err)
	}
	player, reported := &fakePlayer{}, 0
	j := NewJournal(damagedLog{log, []uint64{2, 5}}, player, testSeed, func(e replay.Entry) {
		if reported++; !errors.Is(e.Err, errDamaged) || e.Sequence == 0 {
			t.Errorf("reported was %+v", e)
		}
	})
	games, err := j.Recent(t.Context(), 4, nil, 3)
	if err != nil || len(games) != 3 || games[0].Number != 0 || games[1].Number != 1 || games[2].Number != 3 {
		t.Errorf("games %v before game 4, want 0, 1 and 3 (%v)", games, err)
	}
	b, err := j.Next(t.Context(), testRequest(4, 2))
	if err != nil {
		t.Fatal(err)
	}
	wantGames(t, b.Games, 4, 2)
	if !slices.Equal(player.played, []uint64{5}) || reported != 2 {
		t.Errorf("played %v again, want 5; reported %d entries, want 2", player.played, reported)
	}
}

// A log that is not that of the checkpoint is refused.
func TestJournalOfAnotherRun(t *testing.T) {
	log := logtest.NewMemoryLog()
	if _, err := testJournal(t, log, &fakePlayer{}).Next(t.Context(), testRequest(0, 6)); err != nil {
		t.Fatal(err)
	}
	r := testRequest(0, 6)
	r.Model = 1
	_, err := testJournal(t, log, &fakePlayer{}).Next(t.Context(), r)
	wantError(t, err, "game 0 in the log was played by model 0, the checkpoint says model 1: "+misfit)
	_, err = testJournal(t, log, nil).Recent(t.Context(), 8, nil, 5)
	wantError(t, err, "of the 5 games before game 8, which the window needs, the log does not hold 2: "+misfit)
	_, err = NewJournal(log, nil, 6, nil).Recent(t.Context(), 6, nil, 5)
	wantError(t, err, "is of a run with seed 5, this one has seed 6: "+misfit)
}

// lastPlayer is interrupted just before its only game ends.
type lastPlayer struct{ interrupt func() }

func (l lastPlayer) Generate(ctx context.Context, _ uint64, _ *net.Weights, numbers []uint64, finished func(*replay.Record) error) (replay.Stats, error) {
	l.interrupt()
	return replay.Stats{}, errors.Join(finished(fakeGame(numbers[0], 0, fingerprint(testWeights()))), ctx.Err())
}

// A game that has ended is kept, though the run is being stopped.
func TestJournalKeepsTheLastGame(t *testing.T) {
	log := logtest.NewMemoryLog()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := testJournal(t, log, lastPlayer{cancel}).Next(ctx, testRequest(0, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	games, err := testJournal(t, log, nil).Recent(t.Context(), 1, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	wantGames(t, games, 0, 1)
}

// endlessPlayer plays until it is told to stop.
type endlessPlayer struct{}

func (endlessPlayer) Generate(ctx context.Context, _ uint64, _ *net.Weights, numbers []uint64, finished func(*replay.Record) error) (replay.Stats, error) {
	for {
		for _, n := range numbers {
			if err := finished(fakeGame(n, 0, 0)); err != nil {
				return replay.Stats{}, err
			}
		}
	}
}

// A log that fails ends the work.
func TestJournalLogFails(t *testing.T) {
	log := &folderLog{path: t.TempDir(), before: func(g *replay.Record) error {
		if g.Number == 2 {
			return errNoRoom
		}
		return nil
	}}
	_, err := testJournal(t, log, endlessPlayer{}).Next(t.Context(), testRequest(0, 3))
	if !errors.Is(err, errNoRoom) {
		t.Errorf("error %v, want that of the log", err)
	}
	wantError(t, err, "cannot keep game 2 in the log: ")
}
