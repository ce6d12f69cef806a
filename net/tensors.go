package net

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"tengen/internal/atomicfile"
)

// Tensors is the content of a tensor file: named tensors and text about them.
//
// The file is a safetensors file: the length of a header in 8 bytes, little-endian; the header, in JSON, padded with
// spaces to a multiple of 8 bytes; the values, float32, little-endian, tensor by tensor. The header gives each tensor's
// dtype, shape and place among the values, and under "__metadata__" the text. Among the text stands the SHA-256 of the
// whole file, computed with 64 zeros in its own place: no byte of the file can change unnoticed. The same content gives
// the same bytes.
type Tensors struct {
	Metadata map[string]string
	Params   []Param // in the order of their values in the file
}

const (
	metadataKey    = "__metadata__"
	checksumKey    = "sha256"
	checksumDigits = 2 * sha256.Size
	alignment      = 8
)

// WriteTensors writes a file whole or not at all. It panics when two tensors have the same name, a tensor's values do not
// fill its shape, or the metadata has a "sha256" of its own.
func WriteTensors(path string, t *Tensors) error {
	return atomicfile.WriteBytes(path, 0o644, encodeTensors(t))
}

// ReadTensors reads a file that WriteTensors wrote. The error names the file and says what is wrong: it is cut short or
// altered, it was not written by tengen, or its header does not fit its values.
func ReadTensors(path string) (*Tensors, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := decodeTensors(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return t, nil
}

// encodeTensors returns the bytes of a file.
func encodeTensors(t *Tensors) []byte {
	metadata := map[string]string{checksumKey: strings.Repeat("0", checksumDigits)}
	for key, value := range t.Metadata {
		if key == checksumKey {
			panic("net: metadata with a checksum")
		}
		metadata[key] = value
	}
	header := map[string]any{metadataKey: metadata}
	end := 0
	for _, p := range t.Params {
		if _, taken := header[p.Name]; taken || len(p.Data) != size(p.Shape) || len(p.Data) == 0 {
			panic(fmt.Sprintf("net: tensor %q of shape %v with %d values cannot be written", p.Name, p.Shape, len(p.Data)))
		}
		begin := end
		end += 4 * len(p.Data)
		header[p.Name] = headerEntry{Dtype: "F32", Shape: append([]int{}, p.Shape...), Offsets: []int{begin, end}}
	}
	text, err := json.Marshal(header) // keys of maps come out sorted
	if err != nil {
		panic(err)
	}
	for len(text)%alignment != 0 {
		text = append(text, ' ')
	}

	file := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(text)+end), uint64(len(text)))
	file = append(file, text...)
	for _, p := range t.Params {
		for _, x := range p.Data {
			file = binary.LittleEndian.AppendUint32(file, math.Float32bits(x))
		}
	}
	at := 8 + checksumAt(text)
	copy(file[at:], checksum(file, at))
	return file
}

// decodeTensors reads the bytes of a file.
func decodeTensors(file []byte) (*Tensors, error) {
	header, data, err := splitFile(file)
	if err != nil {
		return nil, err
	}
	metadata, entries, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("its header is not that of a safetensors file: %w", err)
	}
	if err := checkEntries(entries, len(data)); err != nil {
		return nil, fmt.Errorf("its header does not fit its values: %w", err)
	}
	delete(metadata, checksumKey)
	t := &Tensors{Metadata: metadata}
	for _, e := range entries {
		t.Params = append(t.Params, e.param(data))
	}
	return t, nil
}

// errForeign is returned for files that are something else altogether.
var errForeign = errors.New("it is not a file of tengen: expected a safetensors file with a checksum")

// splitFile cuts a file into header and values, after checking its checksum.
func splitFile(file []byte) (header, data []byte, err error) {
	if len(file) < 8 {
		return nil, nil, errForeign
	}
	length := binary.LittleEndian.Uint64(file)
	if length > uint64(len(file)-8) {
		return nil, nil, fmt.Errorf("it is cut short, or not a file of tengen: a header of %d bytes does not fit a file of %d", length, len(file))
	}
	header, data = file[8:8+length], file[8+length:]
	at := checksumAt(header)
	if at < 0 || at+checksumDigits > len(header) {
		return nil, nil, errForeign
	}
	at += 8
	if string(file[at:at+checksumDigits]) != checksum(file, at) {
		return nil, nil, errors.New("it is damaged: cut short or altered since it was written (its checksum does not match); use a copy or another file")
	}
	return header, data, nil
}

// checksumAt is the place of the checksum's digits in a header, or -1. Inside a string of JSON a quotation mark is
// escaped, so that no text in the metadata can be taken for the key.
func checksumAt(header []byte) int {
	key := []byte(`"` + checksumKey + `":"`)
	at := bytes.Index(header, key)
	if at < 0 {
		return -1
	}
	return at + len(key)
}

// checksum is the SHA-256 of a file in hexadecimal, with zeros for the digits that stand at the given place.
func checksum(file []byte, at int) string {
	h := sha256.New()
	h.Write(file[:at])
	h.Write([]byte(strings.Repeat("0", checksumDigits)))
	h.Write(file[at+checksumDigits:])
	return hex.EncodeToString(h.Sum(nil))
}
