package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tengen/internal/errtest"
)

// tinyFile is a small file's content, with numbers that are hard to keep.
func tinyFile() *File {
	return &File{
		Metadata: map[string]string{"format": "test/1", "quote": `"sha256":"not this"`, "name": "Größe"},
		Tensors: []Tensor{
			{Name: "b", Shape: []int{2, 1, 3}, Data: []float32{1, -2.5, 3e-40, float32(math.Inf(1)), float32(math.Copysign(0, -1)), 0.1}},
			{Name: "a", Shape: []int{1}, Data: []float32{math.MaxFloat32}},
		},
	}
}

// sameContent compares contents bit by bit.
func sameContent(a, b *File) bool {
	bits := func(p Tensor) []byte {
		var data []byte
		for _, x := range p.Data {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		return data
	}
	return fmt.Sprint(a.Metadata) == fmt.Sprint(b.Metadata) && slices.EqualFunc(a.Tensors, b.Tensors, func(p, q Tensor) bool {
		return p.Name == q.Name && slices.Equal(p.Shape, q.Shape) && bytes.Equal(bits(p), bits(q))
	})
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.safetensors")
	for range 2 { // the second time over an existing file
		if err := Write(path, tinyFile()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if !sameContent(got, tinyFile()) {
		t.Errorf("read %+v, wrote %+v", got, tinyFile())
	}
	if !bytes.Equal(Encode(got), Encode(tinyFile())) {
		t.Error("the same content gave different bytes")
	}
}

// TestFormat takes a file apart as the format's definition says, without this package's reader.
func TestFormat(t *testing.T) {
	file := Encode(tinyFile())
	length := binary.LittleEndian.Uint64(file)
	if length%8 != 0 {
		t.Errorf("header of %d bytes: the values are not aligned", length)
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	var metadata map[string]string
	if err := json.Unmarshal(header["__metadata__"], &metadata); err != nil || metadata["format"] != "test/1" {
		t.Errorf("metadata %v, %v", metadata, err)
	}
	values := file[8+length:]
	for _, p := range tinyFile().Tensors {
		var h struct {
			Dtype   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(header[p.Name], &h); err != nil {
			t.Fatal(err)
		}
		if h.Dtype != "F32" || !slices.Equal(h.Shape, p.Shape) || h.Offsets[1]-h.Offsets[0] != 4*len(p.Data) {
			t.Errorf("%s: header %+v", p.Name, h)
		}
		for i, x := range p.Data {
			if bits := binary.LittleEndian.Uint32(values[h.Offsets[0]+4*i:]); bits != math.Float32bits(x) {
				t.Errorf("%s[%d] is %x", p.Name, i, bits)
			}
		}
	}
}

// TestEveryByteIsGuarded flips bits in every byte of a file, and cuts it at every length.
func TestEveryByteIsGuarded(t *testing.T) {
	file := Encode(tinyFile())
	if _, err := Decode(file); err != nil {
		t.Fatal(err)
	}
	for i := range file {
		for _, mask := range []byte{0x01, 0x20, 0x80, 0xff} {
			file[i] ^= mask
			if _, err := Decode(file); err == nil {
				t.Errorf("byte %d of %d altered by %#x: no error", i, len(file), mask)
			}
			file[i] ^= mask
		}
		if _, err := Decode(file[:i]); err == nil {
			t.Errorf("cut to %d of %d bytes: no error", i, len(file))
		}
	}
	if _, err := Decode(append(file, 0)); err == nil {
		t.Error("a byte more: no error")
	}
}

// TestKeyLikeTheChecksum writes keys that end in what the key of the checksum looks like in JSON, before it and behind
// it.
func TestKeyLikeTheChecksum(t *testing.T) {
	want := &File{Metadata: map[string]string{`"sha256`: "short", `\"sha256`: strings.Repeat("0", checksumDigits), `z"sha256`: ""}}
	got, err := Decode(Encode(want))
	if err != nil || !sameContent(got, want) {
		t.Errorf("read %+v, %v, wrote %+v", got, err, want)
	}
}

// sealed makes a file of a header and values, with a correct length and, where the header has a place for one,
// checksum.
func sealed(header string, values []byte) []byte {
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	file = append(append(file, header...), values...)
	if at := checksumAt([]byte(header)); at >= 0 && at+checksumDigits <= len(header) {
		copy(file[8+at:], checksum(file, 8+at))
	}
	return file
}

func TestReadRefuses(t *testing.T) {
	zeros := strings.Repeat("0", checksumDigits)
	with := func(tensors string) string { return `{"__metadata__":{"sha256":"` + zeros + `"}` + tensors + `}` }
	tensor := func(name, dtype, shape, offsets string) string {
		return fmt.Sprintf(`,%q:{"dtype":%q,"shape":%s,"data_offsets":%s}`, name, dtype, shape, offsets)
	}
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	eight := make([]byte, 8)
	for _, c := range []struct {
		name, message string
		file          []byte
	}{
		{"empty", "not a file of tengen", nil},
		{"text", "not a file of tengen", []byte("hello, hello")},
		{"huge header", "does not fit", append(huge, eight...)},
		{"no checksum", "not a file of tengen", sealed(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, eight[:4])},
		{"checksum cut", "not a file of tengen", sealed(`{"__metadata__":{"sha256":"0`, eight)},
		{"wrong checksum", "damaged", append(sealed(with(""), nil), 1)},
		{"no object", "header", sealed(`["sha256":"`+zeros+`"]`, nil)},
		{"broken object", "header", sealed(with("")+"}", nil)},
		{"bad key", "header", sealed(`{"__metadata__":{"sha256":"`+zeros+`"},7:{}}`, nil)},
		{"metadata number", "metadata", sealed(`{"__metadata__":{"sha256":"`+zeros+`","step":7}}`, nil)},
		{"tensor twice", "begins at byte 4", sealed(with(tensor("a", "F32", "[1]", "[0,4]")+tensor("a", "F32", "[1]", "[4,8]")), eight)},
		{"half precision", `type "F16"`, sealed(with(tensor("a", "F16", "[2]", "[0,4]")), eight[:4])},
		{"beyond the end", "not a part of", sealed(with(tensor("a", "F32", "[3]", "[0,12]")), eight)},
		{"negative offset", "not a part of", sealed(with(tensor("a", "F32", "[1]", "[-4,0]")), eight)},
		{"three offsets", "not a part of", sealed(with(tensor("a", "F32", "[1]", "[0,4,8]")), eight)},
		{"empty tensor", "not a part of", sealed(with(tensor("a", "F32", "[0]", "[0,0]")), nil)},
		{"shape too small", "does not fill", sealed(with(tensor("a", "F32", "[1]", "[0,8]")), eight)},
		{"shape overflows", "does not fill", sealed(with(tensor("a", "F32", "[4611686018427387905,4]", "[0,8]")), eight)},
		{"negative shape", "does not fill", sealed(with(tensor("a", "F32", "[-1,-2]", "[0,8]")), eight)},
		{"overlap", "begins at byte 0", sealed(with(tensor("a", "F32", "[2]", "[0,8]")+tensor("b", "F32", "[1]", "[0,4]")), eight)},
		{"gap", "begins at byte 4", sealed(with(tensor("a", "F32", "[1]", "[4,8]")), eight)},
		{"surplus", "4 bytes follow", sealed(with(tensor("a", "F32", "[1]", "[0,4]")), eight)},
	} {
		path := filepath.Join(t.TempDir(), "x.safetensors")
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path, 1<<20)
		if err == nil || !strings.Contains(err.Error(), c.message) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with the path and %q", c.name, err, c.message)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), 1<<20); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("missing file: error %v", err)
	}
}

func TestWritePanics(t *testing.T) {
	one := Tensor{Name: "a", Shape: []int{1}, Data: []float32{1}}
	for name, bad := range map[string]*File{
		"same name twice":  {Tensors: []Tensor{one, one}},
		"name of metadata": {Tensors: []Tensor{{Name: metadataKey, Shape: []int{1}, Data: []float32{1}}}},
		"too few values":   {Tensors: []Tensor{{Name: "a", Shape: []int{2}, Data: []float32{1}}}},
		"no values":        {Tensors: []Tensor{{Name: "a", Shape: []int{0}}}},
		"own checksum":     {Metadata: map[string]string{"sha256": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			errtest.Panics(t, func() { Write(filepath.Join(t.TempDir(), "x"), bad) })
		})
	}
}

// TestProperty checks that whatever is written is read back, and written again to the same bytes.
func TestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := &File{Metadata: rapid.MapOf(rapid.StringN(0, 8, -1), rapid.String()).Draw(t, "metadata")}
		delete(want.Metadata, checksumKey)
		for _, name := range rapid.SliceOfNDistinct(rapid.StringN(0, 8, -1), 0, 5, rapid.ID).Draw(t, "names") {
			shape := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 4).Draw(t, "shape")
			size := 1
			for _, d := range shape {
				size *= d
			}
			data := rapid.SliceOfN(rapid.Float32(), size, size).Draw(t, "data")
			if name != metadataKey {
				want.Tensors = append(want.Tensors, Tensor{Name: name, Shape: shape, Data: data})
			}
		}
		file := Encode(want)
		got, err := Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if !sameContent(got, want) {
			t.Fatalf("read %+v, wrote %+v", got, want)
		}
		if !bytes.Equal(Encode(got), file) {
			t.Fatal("written again: different bytes")
		}
	})
}

// A header of a size that no file of tengen has is refused before it is parsed, and errors repeat little of what it says.
func TestHugeHeaders(t *testing.T) {
	sum := `{"__metadata__":{"sha256":"` + strings.Repeat("0", checksumDigits) + `"},`
	for header, want := range map[string]string{
		sum + strings.Repeat(" ", maxHeader) + `"a":{}}`:                                                               "bytes, but at most",
		sum + `"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", 50_000) + `1],"data_offsets":[0,8]}}`:              "does not fit its values",
		sum + `"a":{"dtype":"` + strings.Repeat("x", 100_000) + `","shape":[1],"data_offsets":[0,4]}}`:                 "values of type",
		sum + `"` + strings.Repeat("n", 100_000) + `":{"dtype":"F32","shape":[1],"data_offsets":[` + "1,2]}}":          "does not fit its values",
		sum + `"` + strings.Repeat(`\u001b`, 10_000) + `":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":[0,1]}}`: "",
	} {
		_, err := Decode(sealed(header, []byte{0, 0, 0, 0}))
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%.80s: %.600v, want %q", header, err, want)
		}
	}
}

// FuzzDecode feeds the reader headers and values with a correct length and checksum, which would otherwise stop
// almost everything at the door, and the same bytes as they are. What it accepts must survive being written and read.
func FuzzDecode(f *testing.F) {
	file := Encode(tinyFile())
	length := binary.LittleEndian.Uint64(file)
	f.Add(string(file[8:8+length]), file[8+length:])
	f.Add(`{"__metadata__":{"sha256":"`+strings.Repeat("0", checksumDigits)+`"}}`, []byte{})
	f.Fuzz(func(t *testing.T, header string, values []byte) {
		for _, file := range [][]byte{sealed(header, values), append([]byte(header), values...)} {
			content, err := Decode(file)
			if err != nil {
				continue
			}
			again, err := Decode(Encode(content))
			if err != nil || !sameContent(content, again) {
				t.Errorf("read %+v, then %+v, %v", content, again, err)
			}
		}
	})
}
