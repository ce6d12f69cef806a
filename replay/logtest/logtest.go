// Package logtest has the conformance suite for replay.Log, games to fill logs with, and a log in memory.
package logtest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"tengen/game"
	"tengen/replay"
)

// Game returns a record of the given number of moves, all searched. It follows no rules. Its bytes vary with the number
// about as much as in real games.
func Game(number uint64, moves int) *replay.Record {
	g := &replay.Record{Number: number, Seed: 42, Model: number / 100, ResignPly: -1, Outcome: int8(number%3) - 1}
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

// size is the number of positions of the suite's games.
const size = 5

// Run runs the suite on logs from open, which must be empty. The suite closes them.
func Run(t *testing.T, open func(t *testing.T) replay.Log) {
	for name, test := range map[string]func(*testing.T, replay.Log){
		"reads back by number":   readsBack,
		"replaces":               replaces,
		"keeps names of workers": keepsWorkers,
		"drops":                  drops,
		"stores all or none":     storesAllOrNone,
		"grows while it is read": growsWhileRead,
		"passes errors on":       passesErrors,
		"closed":                 closed,
		"concurrent":             concurrent,
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			defer l.Close()
			test(t, l)
		})
	}
}

// Fill stores worker's games first to first+n-1.
func Fill(t testing.TB, l replay.Log, worker string, first uint64, n int) {
	t.Helper()
	var games []*replay.Record
	for i := range n {
		games = append(games, Game(first+uint64(i), size))
	}
	if err := l.Put(t.Context(), worker, games...); err != nil {
		t.Fatal(err)
	}
}

// all exceeds the number of every game.
const all = 1 << 62

// Entries reads all entries from first on.
func Entries(t testing.TB, l replay.Log, first uint64) []replay.Entry {
	t.Helper()
	var entries []replay.Entry
	err := l.Read(context.Background(), first, all, func(e replay.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// wantGames checks that entries hold one worker's games with the given numbers, stored in the last minutes.
func wantGames(t *testing.T, entries []replay.Entry, worker string, numbers ...uint64) {
	t.Helper()
	var want []replay.Entry
	for _, number := range numbers {
		want = append(want, replay.Entry{Number: number, Worker: worker, Game: Game(number, size)})
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

func wantSpan(t *testing.T, l replay.Log, first, end uint64) {
	t.Helper()
	if f, e, err := l.Span(t.Context()); f != first || e != end || err != nil {
		t.Errorf("the span is %d to %d, %v; want %d to %d", f, e, err, first, end)
	}
}

func readsBack(t *testing.T, l replay.Log) {
	wantGames(t, Entries(t, l, 0), "")
	wantSpan(t, l, 0, 0)
	Fill(t, l, "w", 3, 2)
	Fill(t, l, "w", 0, 1)
	Fill(t, l, "w", 7, 600) // more than one page of any log
	wantGames(t, Entries(t, l, 0)[:4], "w", 0, 3, 4, 7)
	wantGames(t, Entries(t, l, 4)[:2], "w", 4, 7)
	wantGames(t, Entries(t, l, 605), "w", 605, 606)
	wantGames(t, Entries(t, l, 700), "")
	wantSpan(t, l, 0, 607)
	var numbers []uint64
	err := l.Read(t.Context(), 1, 8, func(e replay.Entry) error {
		numbers = append(numbers, e.Number)
		return nil
	})
	if err != nil || !slices.Equal(numbers, []uint64{3, 4, 7}) {
		t.Errorf("games %v in [1, 8), error %v; want 3, 4 and 7", numbers, err)
	}
	if n := len(Entries(t, l, 0)); n != 603 {
		t.Errorf("%d games, want 603", n)
	}
}

func replaces(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 0, 3)
	Fill(t, l, "v", 1, 1)
	entries := Entries(t, l, 0)
	if len(entries) != 3 || entries[0].Worker != "w" || entries[1].Worker != "v" || entries[2].Worker != "w" {
		t.Errorf("read %+v, want three games, the second of v", entries)
	}
}

func keepsWorkers(t *testing.T, l replay.Log) {
	for i, worker := range []string{"a", "", "b c\r\n.>*é'\""} {
		Fill(t, l, worker, uint64(i), 1)
		wantGames(t, Entries(t, l, uint64(i)), worker, uint64(i))
	}
}

func drops(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 2, 5)
	for range 2 {
		if err := l.Drop(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		wantGames(t, Entries(t, l, 0), "w", 4, 5, 6)
		wantSpan(t, l, 4, 7)
	}
	if err := l.Drop(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	wantSpan(t, l, 0, 0)
}

func storesAllOrNone(t *testing.T, l replay.Log) {
	if err := l.Put(t.Context(), "w", Game(0, size), &replay.Record{Number: 1, Opening: 1}); err == nil {
		t.Error("a contradictory game was stored")
	}
	wantGames(t, Entries(t, l, 0), "")
	if err := l.Put(t.Context(), "w"); err != nil {
		t.Errorf("no games: %v", err)
	}
}

func growsWhileRead(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 0, 2)
	next := uint64(2)
	err := l.Read(t.Context(), 0, 2, func(replay.Entry) error {
		next++
		return l.Put(t.Context(), "w", Game(next, size))
	})
	if err != nil {
		t.Error(err)
	}
	wantGames(t, Entries(t, l, 0), "w", 0, 1, 3, 4)
}

func passesErrors(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 0, 2)
	stop := errors.New("stop")
	if err := l.Read(t.Context(), 0, all, func(replay.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range calls(cancelled, l) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
}

// calls makes every call except Close.
func calls(ctx context.Context, l replay.Log) map[string]error {
	_, _, span := l.Span(ctx)
	return map[string]error{
		"Put":  l.Put(ctx, "w", Game(70, size)),
		"Read": l.Read(ctx, 0, all, func(replay.Entry) error { return nil }),
		"Span": span,
		"Drop": l.Drop(ctx, 0),
	}
}

func closed(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 0, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	results := calls(t.Context(), l)
	results["Close"] = l.Close()
	for name, err := range results {
		if !errors.Is(err, replay.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

func concurrent(t *testing.T, l replay.Log) {
	errs := make(chan error, 40)
	var wait sync.WaitGroup
	for i := range cap(errs) {
		wait.Go(func() { errs <- l.Put(t.Context(), "w", Game(uint64(i/2), size)) })
	}
	wait.Wait()
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := len(Entries(t, l, 0)); n != 20 {
		t.Errorf("%d games, want 20", n)
	}
}
