package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/iotest"

	"tengen/game/connect4"
	"tengen/game/mnk"
)

func snapshot(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// movedWindow has dropped games already.
func movedWindow(t *testing.T) (*Window[connect4.State], Config) {
	rng := rand.New(rand.NewPCG(1, 9))
	cfg := Config{Window: 200, MinWindow: 100, WindowShare: 0.5}
	w := NewWindow(connect4.Standard(), cfg)
	for i := range 30 {
		add(t, w, randomGame(connect4.Standard(), uint64(10+i), i%3, rng))
	}
	return w, cfg
}

// A window read back goes on exactly like the one that was written: the same samples now and after further games.
func TestSnapshotRoundTrip(t *testing.T) {
	w, cfg := movedWindow(t)
	data := snapshot(t, func(b *bytes.Buffer) error { return w.WriteSnapshot(b) })
	restored := NewWindow(connect4.Standard(), cfg)
	if err := restored.ReadSnapshot(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 9))
	for i := range 10 {
		one, two := NewBatch(32, 6, 7, 7), NewBatch(32, 6, 7, 7)
		w.Sample(rand.New(rand.NewPCG(0, uint64(i))), one)
		restored.Sample(rand.New(rand.NewPCG(0, uint64(i))), two)
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("%d games after the snapshot, the samples differ", i)
		}
		g := randomGame(connect4.Standard(), uint64(100+i), 0, rng)
		add(t, w, g)
		add(t, restored, g)
	}
	wantError(t, restored.Add(ticTacToe(50, 1, firstWins...)), "comes after game 109")
	again := snapshot(t, func(b *bytes.Buffer) error { return restored.WriteSnapshot(b) })
	if !bytes.Equal(again, snapshot(t, func(b *bytes.Buffer) error { return w.WriteSnapshot(b) })) {
		t.Error("equal windows, different snapshots")
	}
}

func TestSnapshotOfAnEmptyWindow(t *testing.T) {
	data := snapshot(t, func(b *bytes.Buffer) error { return window(Default()).WriteSnapshot(b) })
	w := window(Default())
	add(t, w, ticTacToe(0, 1, firstWins...))
	if err := w.ReadSnapshot(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if w.Len() != 0 || w.Positions() != 0 {
		t.Errorf("%d positions of %d, want none", w.Len(), w.Positions())
	}
}

func TestSnapshotIntoASmallerWindow(t *testing.T) {
	w, _ := movedWindow(t)
	data := snapshot(t, func(b *bytes.Buffer) error { return w.WriteSnapshot(b) })
	small := NewWindow(connect4.Standard(), Config{Window: 50, MinWindow: 50, WindowShare: 1})
	if err := small.ReadSnapshot(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if n := small.Len(); n < 50 || n >= 50+42 {
		t.Errorf("%d positions, want 50 and a little", n)
	}
	if small.Positions() != w.Positions() {
		t.Errorf("%d positions in all, want %d", small.Positions(), w.Positions())
	}
}

func TestDamagedSnapshot(t *testing.T) {
	w := window(Default())
	add(t, w, ticTacToe(0, 1, firstWins...), ticTacToe(1, 0, draw...))
	good := snapshot(t, func(b *bytes.Buffer) error { return w.WriteSnapshot(b) })
	victim := window(Default())
	add(t, victim, ticTacToe(5, 1, firstWins...))
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 0x10
		if err := victim.ReadSnapshot(bytes.NewReader(bad)); err == nil {
			t.Fatalf("byte %d changed, and nobody noticed", i)
		}
		if err := victim.ReadSnapshot(bytes.NewReader(good[:i])); err == nil {
			t.Fatalf("cut to %d bytes, and nobody noticed", i)
		}
	}
	if victim.Len() != 5 || victim.Games() != 1 {
		t.Errorf("a failed read left %d positions", victim.Len())
	}
}

func TestSnapshotOfAnotherGame(t *testing.T) {
	four, err := mnk.New(4, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	data := snapshot(t, func(b *bytes.Buffer) error { return NewWindow(four, Default()).WriteSnapshot(b) })
	wantError(t, window(Default()).ReadSnapshot(bytes.NewReader(data)), `expected "tengen replay window 1 tictactoe\n"`)
}

type failingWriter struct{ left int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestSnapshotReportsAFullDisk(t *testing.T) {
	w, _ := movedWindow(t)
	for left := range 64 {
		wantError(t, w.WriteSnapshot(&failingWriter{left: left}), "disk full")
	}
}

// Contents that no window writes are refused even with the right checksum.
func TestSnapshotRefuses(t *testing.T) {
	w := window(Default())
	add(t, w, ticTacToe(0, 1, firstWins...))
	data := snapshot(t, func(b *bytes.Buffer) error { return w.WriteSnapshot(b) })
	good := data[:len(data)-4]
	head := len(snapshotHeader) + len("tictactoe\n")
	for problem, change := range map[string]func([]byte) []byte{
		"1 bytes too many":          func(b []byte) []byte { return append(b, 0) },
		"ends inside a number":      func(b []byte) []byte { b[head+1] = 2; return b },
		"where at most":             func(b []byte) []byte { b[head+1] = 127; return b },
		`it begins with ""`:         func([]byte) []byte { return nil },
		"damaged: the checksum":     func(b []byte) []byte { b[len(b)-1]++; return b },
		"not a valid record of tic": func(b []byte) []byte { return append(b[:head+2], recordOf(t, ticTacToe(0, -1, firstWins...))...) },
		"comes after game 0": func(b []byte) []byte {
			b[head+1] = 2
			return append(b, recordOf(t, ticTacToe(0, 1, firstWins...))...)
		},
	} {
		b := change(append([]byte(nil), good...))
		wantError(t, window(Default()).ReadSnapshot(bytes.NewReader(seal(b))), problem)
	}
	wantError(t, window(Default()).ReadSnapshot(iotest.ErrReader(errors.New("disk gone"))), "disk gone")
}

// recordOf is a record with its length in front.
func recordOf(t *testing.T, g *Game) []byte {
	record := encode(t, g)
	return append(binary.AppendUvarint(nil, uint64(len(record))), record...)
}

// A snapshot with the right checksum is either refused or taken in as what it says, and written again byte by byte.
func FuzzSnapshot(f *testing.F) {
	w := window(Default())
	for i, moves := range []*Game{ticTacToe(0, 1, firstWins...), ticTacToe(1, -1, secondWins...)} {
		if err := w.Add(moves); err != nil {
			f.Fatal(i, err)
		}
	}
	var b bytes.Buffer
	if err := w.WriteSnapshot(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		data := seal(append([]byte(nil), body...))
		w := window(Config{Window: 1e9, MinWindow: 1e9, WindowShare: 1})
		if err := w.ReadSnapshot(bytes.NewReader(data)); err != nil {
			return
		}
		if again := snapshot(t, func(b *bytes.Buffer) error { return w.WriteSnapshot(b) }); !bytes.Equal(again, data) {
			t.Errorf("read\n%x, wrote\n%x", data, again)
		}
	})
}
