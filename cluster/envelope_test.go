package cluster

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"tengen/replay"
	"tengen/replay/logtest"
)

func TestEnvelope(t *testing.T) {
	data, err := encode("worker é", logtest.Game(3, 25))
	if err != nil {
		t.Fatal(err)
	}
	worker, g, err := decode(data)
	if err != nil || worker != "worker é" || !reflect.DeepEqual(g, logtest.Game(3, 25)) {
		t.Errorf("%q, %+v, %v", worker, g, err)
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if _, _, err := decode(data); !errors.Is(err, replay.ErrDamaged) {
				t.Errorf("bit %d of byte %d flipped: %v", bit, i, err)
			}
			data[i] ^= 1 << bit
		}
		if _, _, err := decode(data[:i]); !errors.Is(err, replay.ErrDamaged) && i > 0 {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	if _, _, err := decode(nil); !errors.Is(err, replay.ErrMissing) {
		t.Errorf("placeholder: %v", err)
	}
}

// FuzzDecode also tries what has a correct checksum.
func FuzzDecode(f *testing.F) {
	data, err := encode("w", logtest.Game(3, 25))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:len(data)-4])
	f.Add([]byte{envelopeVersion, 0})
	f.Add([]byte{envelopeVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, data := range [][]byte{body, checksummed(body)} {
			worker, g, err := decode(data)
			if err != nil {
				continue
			}
			again, err := encode(worker, g)
			if err != nil {
				t.Fatal(err)
			}
			if w, h, err := decode(again); err != nil || w != worker || !reflect.DeepEqual(h, g) {
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
	record, err := os.ReadFile("../replay/testdata/record-1.bin")
	if err != nil {
		t.Fatal(err)
	}
	want := new(replay.Record)
	if err := want.UnmarshalBinary(record); err != nil {
		t.Fatal(err)
	}
	if worker, got, err := decode(message); err != nil || worker != "worker é" || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %+v, %v; want\n%+v", worker, got, err, want)
	}
}
