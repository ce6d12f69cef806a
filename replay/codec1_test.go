package replay

import (
	"encoding/hex"
	"os"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/frame"
)

// record1 is the game firstWins in version 1, as the program that had only that wrote it.
const record1 = "0102" + // version, flags
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

// body1 is record1 without its checksum.
func body1(t testing.TB) []byte {
	t.Helper()
	data, err := hex.DecodeString(record1)
	if err != nil {
		t.Fatal(err)
	}
	body, err := frame.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// The visits of version 1 read as their shares and their sum.
func TestRecordFormat1(t *testing.T) {
	want := ticTacToe(300, 1, firstWins...)
	want.Seed, want.Model, want.PlayedOn, want.ResignPly = 7, 2, true, 3
	want.Values[4] = 1
	var got Record
	if err := got.UnmarshalBinary(frame.Seal(body1(t))); err != nil || !reflect.DeepEqual(&got, want) {
		t.Errorf("read %+v, %v; want\n%+v", &got, err, want)
	}
}

// The record of testdata/record-1.bin, written by the program that had version 1 only, reads as what it was.
func TestRecordOfVersion1(t *testing.T) {
	want := &Record{
		Number: 300, Seed: 1<<63 + 7, Model: 12, Moves: []game.Action{8, 0, 3, 1, 4, 2}, Opening: 1, Outcome: -1,
		PlayedOn: true, ResignPly: 4,
	}
	for i, value := range []float32{0.25, -0.5, 0.125, -0.875, 1} {
		visits := [][]float32{
			{90, 0, 3, 7, 0, 0, 0, 0, 0},
			{0, 1, 0, 200, 0, 0, 0, 1, 0},
			{0, 64, 0, 0, 0, 0, 0, 36, 0},
			{0, 0, 1, 0, 1, 0, 0, 0, 0},
			{0, 0, 5, 0, 0, 0, 0, 0, 0},
		}[i]
		want.AppendSearch(visits, value, int(sum(visits)), FullWeight)
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

func TestRecord1Refuses(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func([]byte) []byte
		problem string
	}{
		{"unknown flags", func(b []byte) []byte { b[1] = 128; return b }, "unknown flags 0x80"},
		{"more", func(b []byte) []byte { return append(b, 0) }, "1 bytes too many"},
		{"a move without visits", func(b []byte) []byte { b[17] = 0; return b }, "0 visits of move 0"},
		{"visits beyond the largest move", func(b []byte) []byte {
			return slices.Replace(b, 15, 20, 2, 0xff, 0xff, 0x01, 1, 0, 1)
		}, "1 visits of move 32768"},
		{"too many visits", func(b []byte) []byte {
			return slices.Replace(b, 15, 20, 2, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1)
		}, "1 visits of move 1"},
		{"no visits", func(b []byte) []byte { return slices.Replace(b, 15, 20, 0) }, "a search without visits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantError(t, new(Record).UnmarshalBinary(frame.Seal(test.change(body1(t)))), test.problem)
		})
	}
}
