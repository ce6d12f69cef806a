package replay

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/internal/frame"
)

func encode(t testing.TB, g *Record) []byte {
	t.Helper()
	b, err := g.MarshalBinary()
	noError(t, err)
	return b
}

// sampleGames covers every field of the record.
func sampleGames() []*Record {
	rng := rand.New(rand.NewPCG(1, 2))
	summed := ticTacToe(1<<40, 1, firstWins...)
	summed.Evaluations = 1 << 31
	return []*Record{
		ticTacToe(0, 0, draw...), summed,
		randomGame(connect4.Standard(), 5, 0, rng),
		randomGame(connect4.Standard(), 6, 3, rng),
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for _, g := range sampleGames() {
		var back Record
		noError(t, back.UnmarshalBinary(encode(t, g)))
		if !reflect.DeepEqual(&back, g) {
			t.Errorf("read back\n%+v, wrote\n%+v", &back, g)
		}
	}
}

// The bytes are fixed: databases outlive the program that wrote them.
func TestRecordFormat(t *testing.T) {
	g := ticTacToe(300, 1, firstWins...)
	g.Seed, g.Model = 7, 2
	g.Values[4] = 1
	g.Simulations[0], g.Weights[1] = 800, 0
	const want = "02" + // version
		"ac02" + "07" + "02" + // number, seed, model
		"05" + "00" + "02" + // moves, opening, outcome + 1
		"0003010402" +
		"a006" + "03" + "04" + "05" + "06" + // simulations
		"8002" + "00" + "8002" + "8002" + "8002" + // weights
		"02" + "00" + "808002" + "07" + "ffff01" + // a policy: entries, then gap and share of each; 32768 and 32767
		"02" + "03" + "d5aa01" + "04" + "aad502" + // 21845, 43690
		"02" + "01" + "808001" + "06" + "ffff02" + // 16384, 49151
		"02" + "04" + "b366" + "03" + "cc9903" + // 13107, 52428
		"02" + "02" + "ab55" + "05" + "d4aa03" + // 10923, 54612
		"00000000" + "00000000" + "00000000" + "00000000" + "0000803f"
	body, err := frame.Open(encode(t, g))
	noError(t, err)
	if got := hex.EncodeToString(body); got != want {
		t.Errorf("record is\n%s, want\n%s", got, want)
	}
}

// golden is a game whose searches differ in all that a record holds of them.
func golden() *Record {
	g := &Record{
		Number: 300, Seed: 1<<63 + 7, Model: 12, Moves: []game.Action{8, 0, 3, 1, 4, 2}, Opening: 1, Outcome: -1,
	}
	g.AppendSearch([]float32{0.9, 0, 0.03, 0.07, 0, 0, 0, 0, 0}, 0.25, 100, FullWeight)
	g.AppendSearch(nil, -0.5, 16, FullWeight)
	g.AppendSearch([]float32{0, 64, 0, 0, 0, 0, 0, 36, 0}, 0.125, 800, 300)
	g.AppendSearch([]float32{0, 0, 1, 0, 1, 0, 0, 0, 0}, -0.875, 2, 0)
	g.AppendSearch([]float32{0, 0, 5, 0, 0, 0, 0, 0, 0}, 1, 0, 1)
	return g
}

func TestRecordRejectsContradictions(t *testing.T) {
	g := ticTacToe(1, 1, firstWins...)
	g.Values = nil
	_, err := g.MarshalBinary()
	wantError(t, err, "root values for 0 plies")
}

func TestDamagedRecord(t *testing.T) {
	good := encode(t, sampleGames()[3])
	before := Record{Number: 99}
	for i := range good {
		for bit := range 8 {
			bad := append([]byte(nil), good...)
			bad[i] ^= 1 << bit
			if err := before.UnmarshalBinary(bad); err == nil {
				t.Fatalf("bit %d of byte %d flipped, and no error", bit, i)
			}
		}
		if err := before.UnmarshalBinary(good[:i]); err == nil {
			t.Fatalf("cut to %d bytes, and no error", i)
		}
	}
	if !reflect.DeepEqual(before, Record{Number: 99}) {
		t.Error("a failed read changed the receiver")
	}
}

func TestRecordRejects(t *testing.T) {
	good, err := frame.Open(encode(t, ticTacToe(1, 1, firstWins...)))
	noError(t, err)
	const policies = 27 // where they begin: the first row has 9 bytes
	for _, test := range []struct {
		name    string
		change  func([]byte) []byte
		problem string
	}{
		{"nothing", func([]byte) []byte { return nil }, "ends too soon"},
		{"a long number", func(b []byte) []byte { return append([]byte{b[0], 0x81, 0}, b[2:]...) }, "longer than it needs"},
		{"many moves", func(b []byte) []byte { b[4] = 127; return b }, "127 where at most"},
		{"a weight too large", func(b []byte) []byte { return slices.Replace(b, 17, 19, 0x80, 0x80, 0x04) }, "65536 where at most 65535"},
		{"a share of 0", func(b []byte) []byte { return slices.Replace(b, policies+2, policies+5, 0) }, "a share of 0 for move 0"},
		{"a share too small", func(b []byte) []byte { b[policies+2]++; return b }, "add up to 65536, not 65535"},
		{"shares beyond the largest move", func(b []byte) []byte {
			return slices.Replace(b, policies+1, policies+6, 0xff, 0xff, 0x01, 0x80, 0x80, 0x02, 0)
		}, "a share of 32767 for move 32768"},
		{"half a section", func(b []byte) []byte { return append(b, 2, 5, 0) }, "5 where at most 2"},
		{"half a checksum", func(b []byte) []byte { return append(b, 2, 2, 1, 1) }, "section 2 is 0101, not 4 bytes with a checksum"},
		{"a checksum of nothing", func(b []byte) []byte { return append(b, 2, 4, 0, 0, 0, 0) }, "section 2 is 00000000, not 4 bytes"},
		{"a section twice", func(b []byte) []byte { return append(b, 4, 0, 4, 0) }, "section 4 is out of order"},
		{"the last section again", func(b []byte) []byte { return append(b, 6, 0, 4, 0) }, "section 4 is out of order"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := test.change(append([]byte(nil), good...))
			err := new(Record).UnmarshalBinary(frame.Seal(b))
			wantError(t, err, test.problem)
			if errors.Is(err, ErrVersion) {
				t.Error("it counts as another version")
			}
		})
	}
}

// An unknown section is passed over, unless its tag says that the rest cannot be understood without it.
func TestRecordSections(t *testing.T) {
	g := golden()
	body, err := frame.Open(encode(t, g))
	noError(t, err)
	with := func(sections ...byte) []byte { return frame.Seal(append(slices.Clone(body), sections...)) }
	var got Record
	if err := got.UnmarshalBinary(with(0, 1, 'a', 4, 0, 6, 1, 77, 0x80, 0x01, 3, 1, 2, 3)); err != nil || !reflect.DeepEqual(&got, g) {
		t.Errorf("read %+v, %v; want\n%+v", &got, err, g)
	}
	err = got.UnmarshalBinary(with(4, 1, 77, 5, 0))
	if !errors.Is(err, ErrVersion) {
		t.Errorf("error %v", err)
	}
	wantError(t, err, "does not know its section 5: continue with the program that made it, or update this one")
}

// The checksum of the evaluations is in a section, which is left out where it is not known.
func TestRecordKnownSections(t *testing.T) {
	g := golden()
	plain, err := frame.Open(encode(t, g))
	noError(t, err)
	g.Evaluations = 0x04030201
	body, err := frame.Open(encode(t, g))
	if err != nil || !bytes.Equal(body, append(plain, 2, 4, 1, 2, 3, 4)) {
		t.Errorf("written as %x, %v", body, err)
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
	wantError(t, err, "version 99, but this program needs 2: continue with the program that made it, or update this one")
}

// What is accepted is encoded to a record that reads the same, and without unknown sections to the same bytes. The fuzzer changes
// the body and gets the checksum for free.
func FuzzRecord(f *testing.F) {
	for _, g := range append(sampleGames(), golden()) {
		b := encode(f, g)
		f.Add(b[:len(b)-frame.SumSize])
		f.Add(append(b[:len(b)-frame.SumSize:len(b)-frame.SumSize], 8, 2, 1, 1))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if new(Record).UnmarshalBinary(body) == nil && len(body) < frame.SumSize {
			t.Fatal("a record shorter than its checksum")
		}
		data := frame.Seal(append([]byte(nil), body...))
		var g, back Record
		if err := g.UnmarshalBinary(data); err != nil {
			return
		}
		again := encode(t, &g)
		if err := back.UnmarshalBinary(again); err != nil || !reflect.DeepEqual(back, g) {
			t.Errorf("read\n%+v, then\n%+v, %v", g, back, err)
		}
		if content := again[:len(again)-frame.SumSize]; !bytes.HasPrefix(body, content) {
			t.Errorf("read\n%x, wrote\n%x", data, again)
		}
	})
}
