// Package safetensors reads and writes files of named float32 tensors with text metadata.
//
// The format follows https://github.com/huggingface/safetensors: the length of the header in 8 bytes, little-endian;
// the header, in JSON, padded with spaces to a multiple of 8 bytes; the values, little-endian float32, tensor by
// tensor. The header gives each tensor's dtype, shape and offsets, and the metadata under "__metadata__".
//
// The metadata includes the SHA-256 of the file, computed with 64 zeros in its place. Read rejects files without it.
// Equal content gives equal bytes.
package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"

	"tengen/internal/atomicfile"
	"tengen/internal/files"
	"tengen/internal/printable"
)

// File is the content of a file.
type File struct {
	Metadata map[string]string // without "sha256", which the package adds
	Tensors  []Tensor          // in the order of the file
}

// Tensor is a named array of numbers.
type Tensor struct {
	Name  string
	Shape []int     // every size at least 1
	Data  []float32 // in row-major order, the last axis fastest
}

const (
	metadataKey    = "__metadata__"
	checksumKey    = "sha256"
	checksumDigits = 2 * sha256.Size
	alignment      = 8
	maxHeader      = 2 << 20 // bytes; the largest network's checkpoint has less than a quarter
)

// Write writes a file atomically. It panics as Encode does.
func Write(path string, f *File) error { return atomicfile.WriteBytes(path, 0o644, Encode(f)) }

// Read reads a file that Write wrote, of at most limit bytes. It returns an error that names the file if files.Read
// refuses it, it is truncated or altered, it has no checksum, or its header does not fit its values.
func Read(path string, limit int64) (*File, error) {
	content, err := files.Read(path, limit)
	if err != nil {
		return nil, err
	}
	f, err := Decode(content)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return f, nil
}

// ReadMetadata reads a file's metadata alone, in little time. It does not notice damage that Read notices.
func ReadMetadata(path string) (map[string]string, error) {
	f, err := files.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var header struct {
		Metadata map[string]string `json:"__metadata__"`
	}
	err = json.NewDecoder(io.NewSectionReader(f, 8, maxHeader)).Decode(&header) // after the header's length
	return header.Metadata, err
}

// Encode returns a file's bytes. It panics when two tensors have the same name, a tensor's values do not fill its
// shape, or the metadata has the key "sha256".
func Encode(f *File) []byte {
	metadata := map[string]string{checksumKey: strings.Repeat("0", checksumDigits)}
	for key, value := range f.Metadata {
		if key == checksumKey {
			panic("safetensors: metadata with a checksum")
		}
		metadata[key] = value
	}
	header := map[string]any{metadataKey: metadata}
	end := 0
	for _, t := range f.Tensors {
		if _, taken := header[t.Name]; taken || !fills(t.Shape, 4*len(t.Data)) {
			panic(fmt.Sprintf("safetensors: tensor %q of shape %v with %d values cannot be written", t.Name, t.Shape, len(t.Data)))
		}
		begin := end
		end += 4 * len(t.Data)
		header[t.Name] = entry{Dtype: "F32", Shape: append([]int{}, t.Shape...), Offsets: []int{begin, end}}
	}
	text, err := json.Marshal(header) // map keys are sorted
	if err != nil {
		panic(err)
	}
	for len(text)%alignment != 0 {
		text = append(text, ' ')
	}

	content := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(text)+end), uint64(len(text)))
	content = append(content, text...)
	for _, t := range f.Tensors {
		for _, x := range t.Data {
			content = binary.LittleEndian.AppendUint32(content, math.Float32bits(x))
		}
	}
	at := 8 + checksumAt(text)
	copy(content[at:], checksum(content, at))
	return content
}

// Decode decodes a file's bytes. Its errors are Read's without the file's name. They show at most 400 characters of
// what the file says.
func Decode(content []byte) (*File, error) {
	f, err := decode(content)
	if err != nil {
		return nil, errors.New(printable.Text(err.Error(), 400))
	}
	return f, nil
}

func decode(content []byte) (*File, error) {
	header, values, err := split(content)
	if err != nil {
		return nil, err
	}
	metadata, entries, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("its header is not a safetensors header: %w", err)
	}
	if err := checkEntries(entries, len(values)); err != nil {
		return nil, fmt.Errorf("its header does not fit its values: %w", err)
	}
	delete(metadata, checksumKey)
	f := &File{Metadata: metadata}
	for _, e := range entries {
		f.Tensors = append(f.Tensors, e.tensor(values))
	}
	return f, nil
}

var errForeign = errors.New("it is not a file of tengen: expected a safetensors file with a checksum")

func split(content []byte) (header, values []byte, err error) {
	if len(content) < 8 {
		return nil, nil, errForeign
	}
	length := binary.LittleEndian.Uint64(content)
	if length > maxHeader && length <= uint64(len(content)-8) {
		return nil, nil, fmt.Errorf("its header has %d bytes, but at most %d are allowed: it is not a file of tengen", length, maxHeader)
	}
	if length > uint64(len(content)-8) {
		return nil, nil, fmt.Errorf("it is cut short, or not a file of tengen: a header of %d bytes does not fit a file of %d", length, len(content))
	}
	header, values = content[8:8+length], content[8+length:]
	at := checksumAt(header)
	if at < 0 || at+checksumDigits > len(header) {
		return nil, nil, errForeign
	}
	at += 8
	if string(content[at:at+checksumDigits]) != checksum(content, at) {
		return nil, nil, errors.New("it is damaged: cut short or altered since it was written (its checksum does not match); use a copy or another file")
	}
	return header, values, nil
}

// checksumStart matches the text before the checksum. Metadata cannot match, as JSON escapes quotation marks in it.
var checksumStart = regexp.MustCompile(`[^\\]"` + checksumKey + `":"`)

// checksumAt returns the offset of the digits in a header, or -1.
func checksumAt(header []byte) int {
	if start := checksumStart.FindIndex(header); start != nil {
		return start[1]
	}
	return -1
}

// checksum returns a file's SHA-256 in hexadecimal, computed with zeros where the digits at the given offset are.
func checksum(content []byte, at int) string {
	h := sha256.New()
	h.Write(content[:at])
	h.Write([]byte(strings.Repeat("0", checksumDigits)))
	h.Write(content[at+checksumDigits:])
	return hex.EncodeToString(h.Sum(nil))
}
