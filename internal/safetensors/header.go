package safetensors

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

type entry struct {
	Name    string `json:"-"`
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // begin and end in bytes after the header
}

// parseHeader reads a JSON header.
func parseHeader(header []byte) (metadata map[string]string, entries []entry, err error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(header, &parts); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(parts[metadataKey], &metadata); err != nil {
		return nil, nil, fmt.Errorf("metadata: %w", err)
	}
	delete(parts, metadataKey)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		e := entry{Name: name}
		if err := json.Unmarshal(parts[name], &e); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		entries = append(entries, e)
	}
	return metadata, entries, nil
}

// checkEntries sorts the entries by offset. It returns an error unless they cover length bytes without gap or overlap.
func checkEntries(entries []entry, length int) error {
	for _, e := range entries {
		if e.Dtype != "F32" {
			return fmt.Errorf("tensor %q has values of type %q: only F32, float32, is supported", e.Name, e.Dtype)
		}
		if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] <= e.Offsets[0] || e.Offsets[1] > length {
			return fmt.Errorf("tensor %q has data_offsets %v, which is not a part of the %d bytes", e.Name, e.Offsets, length)
		}
		if !fills(e.Shape, e.Offsets[1]-e.Offsets[0]) {
			return fmt.Errorf("tensor %q of shape %v does not fill its data_offsets %v", e.Name, e.Shape, e.Offsets)
		}
	}
	slices.SortFunc(entries, func(e, f entry) int { return cmp.Compare(e.Offsets[0], f.Offsets[0]) })
	end := 0
	for _, e := range entries {
		if e.Offsets[0] != end {
			return fmt.Errorf("tensor %q begins at byte %d of the values, expected %d", e.Name, e.Offsets[0], end)
		}
		end = e.Offsets[1]
	}
	if end != length {
		return fmt.Errorf("%d bytes follow the last tensor", length-end)
	}
	return nil
}

// fills reports whether a float32 tensor of the given shape has length bytes.
func fills(shape []int, length int) bool {
	n := 4
	for _, d := range shape {
		if d < 1 || d > length/n {
			return false
		}
		n *= d
	}
	return n == length
}

func (e entry) tensor(values []byte) Tensor {
	values = values[e.Offsets[0]:e.Offsets[1]]
	t := Tensor{Name: e.Name, Shape: e.Shape, Data: make([]float32, len(values)/4)}
	for i := range t.Data {
		t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
	}
	return t
}
