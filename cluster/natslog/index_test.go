package natslog

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tengen/internal/fulltest"
	"tengen/replay"
	"tengen/replay/logtest"
)

// plainIndex is an index without any thought of memory.
type plainIndex struct {
	first     uint64
	positions map[uint64]int
	seen      map[string]uint64
}

func (x *plainIndex) add(sequence uint64, worker string, g *replay.Record) (duplicate bool) {
	id := fmt.Sprint(worker, "\x00", g.Seed, "\x00", g.Number)
	if earlier, known := x.seen[id]; known && earlier >= x.first && earlier < sequence {
		x.positions[sequence] = 0
		return true
	}
	x.seen[id], x.positions[sequence] = sequence, g.Positions()
	return false
}

// Whatever comes, and is dropped, in whatever order, the index tells the same as one that stores it plainly.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first := rapid.Uint64Range(1, 100).Draw(rt, "first")
		x := newIndex(first)
		plain := &plainIndex{first, map[uint64]int{}, map[string]uint64{}}
		for range rapid.IntRange(0, 200).Draw(rt, "steps") {
			if rapid.IntRange(0, 9).Draw(rt, "what") == 0 && x.next() > plain.first {
				plain.first += rapid.Uint64Range(0, x.next()-plain.first).Draw(rt, "drop")
				x.trim(plain.first)
				continue
			}
			number := rapid.OneOf(rapid.Uint64Range(0, 200), rapid.Uint64Range(math.MaxUint64-100, math.MaxUint64)).Draw(rt, "number")
			g := logtest.Game(number, rapid.IntRange(1, 4).Draw(rt, "moves"))
			g.Seed = rapid.Uint64Range(0, 1).Draw(rt, "seed")
			worker := rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "worker")
			sequence := x.next()
			e := x.add(replay.Entry{Sequence: sequence, Worker: worker, Game: g})
			if got, want := errors.Is(e.Err, replay.ErrDuplicate), plain.add(sequence, worker, g); got != want || got == (e.Game != nil) {
				rt.Fatalf("%+v, want duplicate: %v", e, want)
			}
			if again := x.add(replay.Entry{Sequence: sequence, Worker: worker, Game: g}); (again.Game == nil) != (e.Game == nil) {
				rt.Fatalf("%+v when it is read again, %+v before", again, e)
			}
		}
		positions := rapid.IntRange(0, 500).Draw(rt, "positions")
		cut, _ := x.cut(positions, func(uint64) bool { return true })
		kept := 0
		for sequence := cut; sequence < x.next(); sequence++ {
			kept += plain.positions[sequence]
		}
		if cut > plain.first && (kept < positions || cut < x.next() && kept-plain.positions[cut] >= positions) {
			rt.Fatalf("cut at %d keeps %d positions, want %d", cut, kept, positions)
		}
	})
}

// heap is what the heap holds, in bytes.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// What the index takes is bounded by the games that are kept, some ten bytes for each, and does not grow with those that were.
func TestIndexIsSmall(t *testing.T) {
	fulltest.Only(t)
	const window, workers = 100_000, 50
	before := heap()
	x := newIndex(1)
	sequence := uint64(1)
	add := func(n int) {
		for range n {
			worker := sequence % workers
			g := &replay.Record{Seed: 42, Number: sequence / workers}
			x.add(replay.Entry{Sequence: sequence, Worker: fmt.Sprint("worker-", worker), Game: g})
			if sequence++; sequence%10_000 == 0 && sequence > window {
				x.trim(sequence - window)
			}
		}
	}
	add(200_000)
	small := heap() - before
	if perGame := small / window; perGame > 20 {
		t.Errorf("%d bytes a game", perGame)
	}
	add(400_000)
	if large := heap() - before; large > small+small/5 {
		t.Errorf("%d bytes after 200,000 games, %d after 600,000", small, large)
	}
	runtime.KeepAlive(x)
}

// What a log and its server take in memory does not grow with the games that have come and gone.
func TestHeapOfLongRun(t *testing.T) {
	if !*acceptance {
		t.Skip("600,000 games take minutes")
	}
	const window, positions, appenders = 20_000, 5, 256
	l := openLog(t, connect(t, startServer(t, ServerConfig{})), LogConfig{Duplicates: 5 * time.Second})
	number := 0
	add := func(n int) {
		for end := number + n; number < end; number += window {
			var next atomic.Int64
			var appending sync.WaitGroup
			for range appenders {
				appending.Go(func() {
					for i := int(next.Add(1)) - 1; i < window; i = int(next.Add(1)) - 1 {
						if _, err := l.Append(t.Context(), "local", logtest.Game(uint64(number+i), positions)); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			appending.Wait()
			if err := l.Retain(t.Context(), window*positions); err != nil {
				t.Fatal(err)
			}
		}
	}
	// settled is the least that the heap comes down to after a while: the server forgets by and by.
	settled := func() int {
		least := heap()
		for range 30 {
			time.Sleep(time.Second)
			least = min(least, heap())
		}
		return least
	}
	add(200_000)
	small := settled()
	add(400_000)
	large := settled()
	t.Logf("%d bytes after 200,000 games, %d after 600,000", small, large)
	if large > small+small/20 {
		t.Error("the heap grows")
	}
}
