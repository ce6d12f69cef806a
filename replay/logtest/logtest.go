// Package logtest holds the suite that every replay.Log passes, games to fill logs with, and a log in memory for tests.
package logtest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"tengen/game"
	"tengen/replay"
)

// Game is a record of the given number of moves, all searched. It follows no rules, but its bytes differ from number to
// number, much as those of real games do.
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

// Run checks that the logs which open returns keep the contract. Each is empty and is closed by the suite.
func Run(t *testing.T, open func(t *testing.T) replay.Log) {
	for name, test := range map[string]func(*testing.T, replay.Log){
		"reads back in order":          readsBack,
		"a game sent twice":            countsOnce,
		"the same game of two workers": tellsWorkersApart,
		"follows":                      follows,
		"retains":                      retains,
		"passes errors on":             passesErrors,
		"closed":                       closed,
		"close ends Follow":            closeEndsFollow,
		"concurrent":                   concurrent,
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t)
			defer l.Close()
			test(t, l)
		})
	}
}

// Fill appends games 0 to n-1 and returns their sequence numbers.
func Fill(t testing.TB, l replay.Log, worker string, n int) []uint64 {
	t.Helper()
	var sequences []uint64
	for i := range n {
		sequence, err := l.Append(t.Context(), worker, Game(uint64(i), size))
		if err != nil {
			t.Fatal(err)
		}
		sequences = append(sequences, sequence)
	}
	return sequences
}

// Entries reads all entries after a sequence number.
func Entries(t testing.TB, l replay.Log, after uint64) []replay.Entry {
	t.Helper()
	var entries []replay.Entry
	err := l.Read(context.Background(), after, func(e replay.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// wantGames checks that entries hold the games with the given numbers of one worker.
func wantGames(t *testing.T, entries []replay.Entry, sequences []uint64, worker string, numbers ...uint64) {
	t.Helper()
	var want []replay.Entry
	for i, number := range numbers {
		want = append(want, replay.Entry{Sequence: sequences[i], Worker: worker, Game: Game(number, size)})
	}
	if !reflect.DeepEqual(entries, want) {
		t.Errorf("read %+v\nwant %+v", entries, want)
	}
}

func readsBack(t *testing.T, l replay.Log) {
	if last, err := l.Last(t.Context()); last != 0 || err != nil {
		t.Errorf("last of an empty log: %d, %v", last, err)
	}
	wantGames(t, Entries(t, l, 0), nil, "")
	sequences := Fill(t, l, "w", 4)
	wantGames(t, Entries(t, l, 0), sequences, "w", 0, 1, 2, 3)
	wantGames(t, Entries(t, l, sequences[1]), sequences[2:], "w", 2, 3)
	wantGames(t, Entries(t, l, sequences[3]), nil, "w")
	wantGames(t, Entries(t, l, sequences[3]+5), nil, "w")
	if last, err := l.Last(t.Context()); last != sequences[3] || err != nil {
		t.Errorf("last: %d, %v; want %d", last, err, sequences[3])
	}
}

func countsOnce(t *testing.T, l replay.Log) {
	sequences := Fill(t, l, "w", 3)
	again, err := l.Append(t.Context(), "w", Game(1, size))
	if err != nil || again != sequences[1] {
		t.Errorf("sequence number %d, error %v; want %d", again, err, sequences[1])
	}
	wantGames(t, Entries(t, l, 0), sequences, "w", 0, 1, 2)
}

func tellsWorkersApart(t *testing.T, l replay.Log) {
	for _, worker := range []string{"a", "", "b c\r\n\x00.>*é"} {
		sequence, err := l.Append(t.Context(), worker, Game(7, size))
		if err != nil {
			t.Fatal(err)
		}
		wantGames(t, Entries(t, l, sequence-1), []uint64{sequence}, worker, 7)
	}
}

func follows(t *testing.T, l replay.Log) {
	sequences := Fill(t, l, "w", 3)
	stop := errors.New("stop")
	next := uint64(1)
	err := l.Follow(t.Context(), sequences[0], func(e replay.Entry) error {
		wantGames(t, []replay.Entry{e}, []uint64{sequences[0] + next}, "w", next)
		if next++; next == 3 || next == 4 {
			if _, err := l.Append(t.Context(), "w", Game(next, size)); err != nil {
				return err
			}
		}
		if next == 5 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("Follow: %v", err)
	}
}

func retains(t *testing.T, l replay.Log) {
	sequences := Fill(t, l, "w", 5)
	for range 2 {
		if err := l.Retain(t.Context(), 2*size+2); err != nil { // three games hold as much, two do not
			t.Fatal(err)
		}
		wantGames(t, Entries(t, l, 0), sequences[2:], "w", 2, 3, 4)
	}
	next, err := l.Append(t.Context(), "w", Game(9, size))
	if err != nil || next <= sequences[4] {
		t.Errorf("next sequence number %d after %d, error %v", next, sequences[4], err)
	}
	if err := l.Retain(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	wantGames(t, Entries(t, l, 0), nil, "")
	if last, err := l.Last(t.Context()); last != next || err != nil {
		t.Errorf("last: %d, %v; want %d", last, err, next)
	}
}

func passesErrors(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 2)
	stop := errors.New("stop")
	if err := l.Read(t.Context(), 0, func(replay.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
	if _, err := l.Append(t.Context(), "w", &replay.Record{Opening: 1}); err == nil {
		t.Error("a contradictory game was taken in")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range calls(cancelled, l) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
	waiting, cancel := context.WithCancel(t.Context())
	err := l.Follow(waiting, 1, func(replay.Entry) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Follow after its context has ended: %v", err)
	}
}

// calls makes every call but Close.
func calls(ctx context.Context, l replay.Log) map[string]error {
	ignore := func(replay.Entry) error { return nil }
	_, appended := l.Append(ctx, "w", Game(70, size))
	_, last := l.Last(ctx)
	return map[string]error{
		"Append": appended,
		"Last":   last,
		"Read":   l.Read(ctx, 0, ignore),
		"Follow": l.Follow(ctx, 0, ignore),
		"Flush":  l.Flush(ctx),
		"Retain": l.Retain(ctx, 0),
	}
}

func closed(t *testing.T, l replay.Log) {
	Fill(t, l, "w", 1)
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

func closeEndsFollow(t *testing.T, l replay.Log) {
	sequences := Fill(t, l, "w", 1)
	err := l.Follow(t.Context(), sequences[0]-1, func(replay.Entry) error { return l.Close() })
	if !errors.Is(err, replay.ErrClosed) {
		t.Errorf("Follow after Close: %v", err)
	}
}

func concurrent(t *testing.T, l replay.Log) {
	errs := make(chan error, 40)
	var wait sync.WaitGroup
	for i := range cap(errs) {
		wait.Go(func() {
			_, err := l.Append(t.Context(), "w", Game(uint64(i/2), size))
			errs <- err
		})
	}
	wait.Wait()
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	var numbers []uint64
	for _, e := range Entries(t, l, 0) {
		numbers = append(numbers, e.Game.Number)
	}
	slices.Sort(numbers)
	if len(numbers) != 20 || len(slices.Compact(numbers)) != 20 {
		t.Errorf("games %v, want 0 to 19", numbers)
	}
}
