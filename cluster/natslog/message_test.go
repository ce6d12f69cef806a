package natslog

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"

	"tengen/internal/frame"
	"tengen/replay"
	"tengen/replay/logtest"
)

func TestMessage(t *testing.T) {
	data, err := Encode("worker é", logtest.Game(3, 25))
	if err != nil {
		t.Fatal(err)
	}
	worker, g, err := Decode(data)
	if err != nil || worker != "worker é" || !reflect.DeepEqual(g, logtest.Game(3, 25)) {
		t.Errorf("%q, %+v, %v", worker, g, err)
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if _, _, err := Decode(data); !errors.Is(err, replay.ErrDamaged) {
				t.Errorf("bit %d of byte %d flipped: %v", bit, i, err)
			}
			data[i] ^= 1 << bit
		}
		if _, _, err := Decode(data[:i]); !errors.Is(err, replay.ErrDamaged) && i > 0 {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	if _, _, err := Decode(nil); !errors.Is(err, replay.ErrMissing) {
		t.Errorf("placeholder: %v", err)
	}
}

// What came under the subject of a worker names that worker, whatever it is.
func TestDecodeNamesTheSender(t *testing.T) {
	foreign, err := Encode("other", logtest.Game(3, 5))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{nil, []byte("garbage"), foreign, later(t, 3, false, true)} {
		_, _, err := decodeFrom("games.run.gpu~1", data)
		wantError(t, err, "worker gpu.1 has sent")
	}
}

// later is the message of a game, with the version of the message or of the record in it put to 99.
func later(t *testing.T, number uint64, message, record bool) []byte {
	t.Helper()
	data, err := logtest.Game(number, 5).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if record {
		data[0] = 99
		data = frame.Seal(data[:len(data)-frame.SumSize])
	}
	b := compressor().EncodeAll(data, []byte{messageVersion, 1, 'w'})
	if message {
		b[0] = 99
	}
	return frame.Seal(b)
}

// What a later version of the program has written is not damaged, and says what to do.
func TestLaterVersions(t *testing.T) {
	for _, data := range [][]byte{later(t, 3, true, false), later(t, 3, false, true), later(t, 3, true, true)} {
		_, _, err := Decode(data)
		if !errors.Is(err, replay.ErrVersion) || errors.Is(err, replay.ErrDamaged) {
			t.Errorf("error %v", err)
		}
		wantError(t, err, "it has version 99, ")
		wantError(t, err, ": go on with the program that made it, or update this one")
	}
	if _, g, err := Decode(later(t, 3, false, false)); err != nil || g.Number != 3 {
		t.Errorf("game %+v, error %v", g, err)
	}
}

// FuzzDecode also tries what has a correct checksum.
func FuzzDecode(f *testing.F) {
	data, err := Encode("w", logtest.Game(3, 25))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:len(data)-frame.SumSize])
	f.Add([]byte{messageVersion, 0})
	f.Add([]byte{messageVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, data := range [][]byte{body, frame.Seal(slices.Clone(body))} {
			worker, g, err := Decode(data)
			if err != nil {
				continue
			}
			again, err := Encode(worker, g)
			if err != nil {
				t.Fatal(err)
			}
			if w, h, err := Decode(again); err != nil || w != worker || !reflect.DeepEqual(h, g) {
				t.Errorf("%q, %+v became %q, %+v, %v", worker, g, w, h, err)
			}
		}
	})
}

// The message of testdata/message-1.bin, written by the program that had version 1 only, reads as what it was.
func TestMessageOfVersion1(t *testing.T) {
	message, err := os.ReadFile("testdata/message-1.bin")
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile("../../replay/testdata/record-1.bin")
	if err != nil {
		t.Fatal(err)
	}
	want := new(replay.Record)
	if err := want.UnmarshalBinary(record); err != nil {
		t.Fatal(err)
	}
	if worker, got, err := Decode(message); err != nil || worker != "worker é" || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %+v, %v; want\n%+v", worker, got, err, want)
	}
}
