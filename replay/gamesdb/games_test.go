package gamesdb

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/replay"
)

// testGame returns a record of the given number of moves, all searched. It follows no rules. Its bytes vary with the
// number about as much as in real games.
func testGame(number uint64, moves int) *replay.Record {
	g := &replay.Record{Number: number, Seed: 42, Model: number / 100, Outcome: int8(number%3) - 1}
	policy := make([]float32, 7)
	for ply := range moves {
		for a := range policy {
			policy[a] = float32((number*31 + uint64(ply*17+a*a*13)) % 97)
		}
		policy[ply%7]++
		g.Moves = append(g.Moves, game.Action(ply%7))
		value := float32((number*7+uint64(ply)*13)%101)/50 - 1
		g.AppendSearch(policy, value, 100+ply, replay.FullWeight)
	}
	return g
}

// size is the number of moves of the games of fill.
const size = 5

// fill stores worker's games first to first+n-1.
func fill(t testing.TB, d *DB, worker string, first uint64, n int) {
	t.Helper()
	var games []*replay.Record
	for i := range n {
		games = append(games, testGame(first+uint64(i), size))
	}
	noError(t, d.Put(t.Context(), by(worker, games...)...))
}

// by has games that worker finished just now.
func by(worker string, games ...*replay.Record) (all []replay.Entry) {
	for _, g := range games {
		all = append(all, replay.Entry{Worker: worker, Time: time.Now(), Game: g})
	}
	return all
}

// entries reads the games in [first, end).
func entries(t testing.TB, d *DB, first, end uint64) (all []replay.Entry) {
	t.Helper()
	err := d.Read(t.Context(), first, end, func(e replay.Entry) error {
		all = append(all, e)
		return nil
	})
	noError(t, err)
	return all
}

// wantGames checks that entries hold one worker's games with the given numbers, stored in the last minutes.
func wantGames(t *testing.T, entries []replay.Entry, worker string, numbers ...uint64) {
	t.Helper()
	var want []replay.Entry
	for _, number := range numbers {
		want = append(want, replay.Entry{Number: number, Worker: worker, Game: testGame(number, size)})
	}
	for i := range entries {
		if age := time.Since(entries[i].Time); age < -time.Second || age > 10*time.Minute {
			t.Errorf("game %d was stored at %v", entries[i].Number, entries[i].Time)
		}
		entries[i].Time = time.Time{}
	}
	if !reflect.DeepEqual(entries, want) {
		t.Errorf("read %+v\nwant %+v", entries, want)
	}
}

func wantSpan(t *testing.T, d *DB, first, end uint64) {
	t.Helper()
	if f, e, err := d.Span(t.Context()); f != first || e != end || err != nil {
		t.Errorf("the span is %d to %d, %v; want %d to %d", f, e, err, first, end)
	}
}

func TestReadsByNumber(t *testing.T) {
	d := openTest(t, t.TempDir())
	wantGames(t, entries(t, d, 0, endless), "")
	wantSpan(t, d, 0, 0)
	fill(t, d, "w", 3, 2)
	fill(t, d, "w", 0, 1)
	fill(t, d, "w", 7, 600) // more than one page of rows
	wantGames(t, entries(t, d, 1, 8), "w", 3, 4, 7)
	wantGames(t, entries(t, d, 605, endless), "w", 605, 606)
	wantSpan(t, d, 0, 607)
	if n := len(entries(t, d, 0, endless)); n != 603 {
		t.Errorf("%d games, want 603", n)
	}
}

// A game replaces the one with its number, and a worker's name is read as printable text of bounded length.
func TestReplaces(t *testing.T) {
	d := openTest(t, t.TempDir())
	fill(t, d, "w", 0, 3)
	for worker, read := range map[string]string{
		"a": "a", "": "", "b c.>*é'\"": "b c.>*é'\"", "\x1b[2J\r\n": `\x1b[2J\r\n`, strings.Repeat("a", 999): strings.Repeat("a", 100) + "…",
	} {
		fill(t, d, worker, 1, 1)
		wantGames(t, entries(t, d, 1, 2), read, 1)
		if games, err := d.Workers(t.Context()); err != nil || games[read].Games != 1 {
			t.Errorf("%q: workers %v, %v", worker, games, err)
		}
	}
	wantGames(t, entries(t, d, 2, endless), "w", 2)
}

func TestDrops(t *testing.T) {
	d := openTest(t, t.TempDir())
	fill(t, d, "w", 2, 5)
	for range 2 {
		noError(t, d.Drop(t.Context(), 4))
		wantGames(t, entries(t, d, 0, endless), "w", 4, 5, 6)
		wantSpan(t, d, 4, 7)
	}
}

func TestRemoves(t *testing.T) {
	d := openTest(t, t.TempDir())
	fill(t, d, "w", 2, 5)
	for range 2 {
		noError(t, d.Remove(t.Context(), 3, 6, 99))
		wantGames(t, entries(t, d, 0, endless), "w", 2, 4, 5)
	}
}

func TestStoresAllOrNone(t *testing.T) {
	d := openTest(t, t.TempDir())
	if err := d.Put(t.Context(), by("w", testGame(0, size), &replay.Record{Number: 1, Opening: 1})...); err == nil {
		t.Error("a contradictory game was stored")
	}
	wantGames(t, entries(t, d, 0, endless), "")
	if err := d.Put(t.Context()); err != nil {
		t.Errorf("no games: %v", err)
	}
}

// The database can change while it is read, and several goroutines can store games.
func TestConcurrentUse(t *testing.T) {
	d := openTest(t, t.TempDir())
	fill(t, d, "w", 0, 2)
	next := uint64(2)
	err := d.Read(t.Context(), 0, 2, func(replay.Entry) error {
		next++
		return d.Put(t.Context(), by("w", testGame(next, size))...)
	})
	noError(t, err)
	wantGames(t, entries(t, d, 0, endless), "w", 0, 1, 3, 4)
	var wait sync.WaitGroup
	for i := range uint64(40) {
		wait.Go(func() {
			if err := d.Put(t.Context(), by("w", testGame(i/2, size))...); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := len(entries(t, d, 0, endless)); n != 20 {
		t.Errorf("%d games, want 20", n)
	}
}

func TestPassesErrorsOn(t *testing.T) {
	d := openTest(t, t.TempDir())
	fill(t, d, "w", 0, 2)
	stop := errors.New("stop")
	if err := d.Read(t.Context(), 0, endless, func(replay.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, span := d.Span(ctx)
	for i, err := range []error{
		span, d.Put(ctx, by("w", testGame(70, size))...), d.Drop(ctx, 0), d.Read(ctx, 0, endless, func(replay.Entry) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d with a cancelled context: %v", i, err)
		}
	}
}
