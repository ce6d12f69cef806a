package frame

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"tengen/internal/errtest"
)

// One changed bit, and one byte more or less, is found out.
func TestSeal(t *testing.T) {
	body := []byte("some bytes")
	data := Seal(bytes.Clone(body))
	if want := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)); binary.LittleEndian.Uint32(data[len(body):]) != want {
		t.Errorf("sealed as %x, want the checksum %08x", data, want)
	}
	if got, err := Open(data); err != nil || !bytes.Equal(got, body) {
		t.Errorf("opened as %q, %v", got, err)
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			_, err := Open(data)
			errtest.Want(t, err, "checksum")
			data[i] ^= 1 << bit
		}
		_, err := Open(data[:i])
		errtest.Want(t, err, "checksum")
	}
	_, err := Open(append(data, 0))
	errtest.Want(t, err, "checksum")
}

func TestReader(t *testing.T) {
	b := []byte{7}
	b = binary.AppendUvarint(b, 300)
	b = AppendFloat32(b, -0.5)
	b = append(b, 2, 'a', 'b')
	r := NewReader(b)
	if x := r.Byte(); x != 7 {
		t.Errorf("byte %d", x)
	}
	if x := r.Uvarint(300); x != 300 {
		t.Errorf("number %d", x)
	}
	if x := r.Float32(); x != -0.5 {
		t.Errorf("float32 %v", x)
	}
	if n := r.Length(1); n != 2 || r.Len() != 2 {
		t.Errorf("length %d, %d bytes left", n, r.Len())
	}
	if s := r.Bytes(2); string(s) != "ab" || r.End() != nil {
		t.Errorf("bytes %q, error %v", s, r.Err())
	}
}

// What cannot be read is said once, and everything after it is 0.
func TestReaderErrors(t *testing.T) {
	for problem, read := range map[string]func(r *Reader){
		"ends too soon":           func(r *Reader) { r.Bytes(4) },
		"3 where at most 2":       func(r *Reader) { r.Uvarint(2) },
		"1 bytes too many":        func(r *Reader) { r.Bytes(2); r.End() },
		"ends inside a number":    func(r *Reader) { r.Bytes(2); r.Uvarint(math.MaxUint64) },
		"more than 64 bits":       func(r *Reader) { r.rest = bytes.Repeat([]byte{0xff}, 11); r.Uvarint(math.MaxUint64) },
		"3 where at most 1":       func(r *Reader) { r.Length(2) },
		"longer than it needs to": func(r *Reader) { r.rest = []byte{0x81, 0}; r.Uvarint(9) },
		"my own 5":                func(r *Reader) { r.Fail("my own %d", 5) },
	} {
		r := NewReader([]byte{3, 4, 0x80})
		read(r)
		errtest.Want(t, r.Err(), problem)
		if r.Byte() != 0 || r.Uvarint(9) != 0 || r.Float32() != 0 || r.Length(1) != 0 || r.Bytes(0) != nil || r.Len() != 0 {
			t.Errorf("%s: it reads on", problem)
		}
		r.Fail("again")
		errtest.Want(t, r.End(), problem)
	}
}

// A number has one form: what is read is written to the same bytes again.
func FuzzUvarint(f *testing.F) {
	f.Add([]byte{0xac, 2, 9}, uint64(300))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, b []byte, limit uint64) {
		r := NewReader(b)
		x := r.Uvarint(limit)
		if r.Err() != nil {
			return
		}
		if again := binary.AppendUvarint(nil, x); x > limit || !bytes.HasPrefix(b, again) || r.Len() != len(b)-len(again) {
			t.Errorf("%x read as %d with %d bytes left", b, x, r.Len())
		}
	})
}
