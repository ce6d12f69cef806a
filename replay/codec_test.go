package replay

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/mnk"
	"tengen/internal/frame"
)

func encode(t testing.TB, g *Record) []byte {
	t.Helper()
	b, err := g.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sampleGames covers every field of the record.
func sampleGames() []*Record {
	rng := rand.New(rand.NewPCG(1, 2))
	resigned := ticTacToe(1<<40, -1, 0, 3, 1, 4)
	resigned.Resigned, resigned.ResignPly = true, 4
	playedOn := ticTacToe(3, 1, firstWins...)
	playedOn.PlayedOn, playedOn.ResignPly = true, 3
	return []*Record{
		ticTacToe(0, 0, draw...), resigned, playedOn,
		randomGame(connect4.Standard(), 5, 0, rng),
		randomGame(connect4.Standard(), 6, 3, rng),
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for _, g := range sampleGames() {
		var back Record
		if err := back.UnmarshalBinary(encode(t, g)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&back, g) {
			t.Errorf("read back\n%+v, wrote\n%+v", &back, g)
		}
	}
}

// The bytes of version 1 are fixed: logs outlive the program that wrote them.
func TestRecordFormat(t *testing.T) {
	g := ticTacToe(300, 1, firstWins...)
	g.Seed, g.Model, g.PlayedOn, g.ResignPly = 7, 2, true, 3
	g.Values[4] = 1
	const want = "0102" + // version, flags
		"ac02" + "07" + "02" + // number, seed, model
		"05" + "00" + "02" + "04" + // moves, opening, outcome + 1, resignation ply + 1
		"0003010402" +
		"02" + "0001" + "0701" + // a row of visits: entries, then gap and count of each
		"02" + "0301" + "0402" +
		"02" + "0101" + "0603" +
		"02" + "0401" + "0304" +
		"02" + "0201" + "0505" +
		"00000000" + "00000000" + "00000000" + "00000000" + "0000803f" +
		"ea263519"
	if got := hex.EncodeToString(encode(t, g)); got != want {
		t.Errorf("record is\n%s, want\n%s", got, want)
	}
}

func TestRecordRefusesItselfInconsistent(t *testing.T) {
	g := ticTacToe(1, 1, firstWins...)
	g.Values = nil
	_, err := g.MarshalBinary()
	wantError(t, err, "root values for 0 plies")
}

func TestDamagedRecord(t *testing.T) {
	good := encode(t, sampleGames()[4])
	before := Record{Number: 99}
	for i := range good {
		for bit := range 8 {
			bad := append([]byte(nil), good...)
			bad[i] ^= 1 << bit
			if err := before.UnmarshalBinary(bad); err == nil {
				t.Fatalf("bit %d of byte %d flipped, and nobody noticed", bit, i)
			}
		}
		if err := before.UnmarshalBinary(good[:i]); err == nil {
			t.Fatalf("cut to %d bytes, and nobody noticed", i)
		}
	}
	if !reflect.DeepEqual(before, Record{Number: 99}) {
		t.Error("a failed read changed the receiver")
	}
}

func TestRecordRefuses(t *testing.T) {
	good := encode(t, ticTacToe(1, 1, firstWins...))
	good = good[:len(good)-frame.SumSize]
	for _, test := range []struct {
		name    string
		change  func([]byte) []byte
		problem string
	}{
		{"nothing", func([]byte) []byte { return nil }, "ends too soon"},
		{"unknown flags", func(b []byte) []byte { b[1] = 128; return b }, "unknown flags 0x80"},
		{"a long number", func(b []byte) []byte { return append([]byte{b[0], b[1], 0x81, 0}, b[3:]...) }, "longer than it needs"},
		{"more", func(b []byte) []byte { return append(b, 0) }, "1 bytes too many"},
		{"a move without visits", func(b []byte) []byte { b[16] = 0; return b }, "0 visits of move 0"},
		{"visits beyond the largest move", func(b []byte) []byte {
			return slices.Replace(b, 14, 19, 2, 0xff, 0xff, 0x01, 1, 0, 1)
		}, "1 visits of move 32768"},
		{"no visits", func(b []byte) []byte { return slices.Replace(b, 14, 19, 0) }, "a search without visits"},
		{"many moves", func(b []byte) []byte { b[5] = 127; return b }, "127 where at most"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := test.change(append([]byte(nil), good...))
			wantError(t, new(Record).UnmarshalBinary(frame.Seal(b)), test.problem)
		})
	}
}

// A version that is not known is told from damage, and nothing but a version is.
func TestRecordOfAnotherVersion(t *testing.T) {
	data := encode(t, ticTacToe(1, 1, firstWins...))
	data[0] = 99
	if err := new(Record).UnmarshalBinary(data); err == nil || errors.Is(err, ErrVersion) {
		t.Errorf("a damaged version: %v", err)
	}
	err := new(Record).UnmarshalBinary(frame.Seal(data[:len(data)-frame.SumSize]))
	if !errors.Is(err, ErrVersion) {
		t.Errorf("version 99: %v", err)
	}
	wantError(t, err, "version 99, this program knows up to 1: go on with the program that made it, or update this one")
}

// Whatever is accepted is encoded to the same bytes again. The fuzzer changes the body and gets the checksum for free.
func FuzzRecord(f *testing.F) {
	for _, g := range sampleGames() {
		b := encode(f, g)
		f.Add(b[:len(b)-frame.SumSize])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if new(Record).UnmarshalBinary(body) == nil && len(body) < frame.SumSize {
			t.Fatal("a record shorter than its checksum")
		}
		data := frame.Seal(append([]byte(nil), body...))
		var g Record
		if err := g.UnmarshalBinary(data); err != nil {
			return
		}
		if again := encode(t, &g); string(again) != string(data) {
			t.Errorf("read\n%x, wrote\n%x", data, again)
		}
	})
}

// The record of testdata/record-1.bin, written by the program that had version 1 only, reads as what it was.
func TestRecordOfVersion1(t *testing.T) {
	want := &Record{
		Number: 300, Seed: 1<<63 + 7, Model: 12, Moves: []game.Action{8, 0, 3, 1, 4, 2}, Opening: 1, Outcome: -1,
		PlayedOn: true, ResignPly: 4, Values: []float32{0.25, -0.5, 0.125, -0.875, 1},
	}
	for _, visits := range [][]float32{
		{90, 0, 3, 7, 0, 0, 0, 0, 0},
		{0, 1, 0, 200, 0, 0, 0, 1, 0},
		{0, 64, 0, 0, 0, 0, 0, 36, 0},
		{0, 0, 1, 0, 1, 0, 0, 0, 0},
		{0, 0, 5, 0, 0, 0, 0, 0, 0},
	} {
		want.Visits.Append(visits)
	}
	data, err := os.ReadFile("testdata/record-1.bin")
	if err != nil {
		t.Fatal(err)
	}
	var got Record
	if err := got.UnmarshalBinary(data); err != nil || !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v, %v; want\n%+v", &got, err, want)
	}
	if err := Validate(mnk.TicTacToe(), &got); err != nil {
		t.Error(err)
	}
}
