package onnx_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file reads ONNX files by itself. The numbers of the fields are those of
// https://github.com/onnx/onnx/blob/v1.12.0/onnx/onnx.proto, written out once more.

// file is a ModelProto, as far as networks need it.
type file struct {
	irVersion, opset  uint64
	producer, version string
	doc               string
	metadata          map[string]string
	nodes             []op
	constants         map[string]array
	inputs, outputs   []value
	between           []value
}

// op is a NodeProto.
type op struct {
	kind, name      string
	inputs, outputs []string
	attributes      map[string][]int // a list of one for a number
}

// value is a ValueInfoProto of float32.
type value struct {
	name  string
	sizes []any // int, or string for a name
}

// array is a tensor.
type array struct {
	shape []int
	data  []float64
}

// message is one of protocol buffers: what its fields hold, in the order of the file.
type message struct {
	numbers map[protowire.Number][]uint64
	bytes   map[protowire.Number][][]byte
}

func parse(t *testing.T, b []byte) message {
	t.Helper()
	m := message{make(map[protowire.Number][]uint64), make(map[protowire.Number][][]byte)}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(b)
			m.numbers[field] = append(m.numbers[field], v)
		case protowire.BytesType:
			var v []byte
			v, n = protowire.ConsumeBytes(b)
			m.bytes[field] = append(m.bytes[field], v)
		default:
			t.Fatalf("field %d is of wire type %d", field, kind)
		}
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
	}
	return m
}

// number and text are the one value of a field.
func (m message) number(t *testing.T, field protowire.Number) uint64 {
	t.Helper()
	if len(m.numbers[field]) != 1 {
		t.Fatalf("field %d: %v", field, m.numbers[field])
	}
	return m.numbers[field][0]
}

func (m message) sub(t *testing.T, field protowire.Number) []byte {
	t.Helper()
	if len(m.bytes[field]) != 1 {
		t.Fatalf("field %d: %q", field, m.bytes[field])
	}
	return m.bytes[field][0]
}

func (m message) text(t *testing.T, field protowire.Number) string {
	t.Helper()
	return string(m.sub(t, field))
}

// texts are the values of a field.
func (m message) texts(field protowire.Number) (all []string) {
	for _, b := range m.bytes[field] {
		all = append(all, string(b))
	}
	return all
}

// read takes a file apart.
func read(t *testing.T, content []byte) *file {
	t.Helper()
	model := parse(t, content)
	opset := parse(t, model.sub(t, 8))
	if domain := opset.text(t, 1); domain != "" {
		t.Errorf("operators of %q", domain)
	}
	f := &file{
		irVersion: model.number(t, 1), opset: opset.number(t, 2), producer: model.text(t, 2), version: model.text(t, 3), doc: model.text(t, 6),
		metadata: make(map[string]string), constants: make(map[string]array),
	}
	for _, b := range model.bytes[14] {
		entry := parse(t, b)
		f.metadata[entry.text(t, 1)] = entry.text(t, 2)
	}
	graph := parse(t, model.sub(t, 7))
	for _, b := range graph.bytes[1] {
		f.nodes = append(f.nodes, readNode(t, parse(t, b)))
	}
	for _, b := range graph.bytes[5] {
		name, constant := readConstant(t, parse(t, b))
		if _, twice := f.constants[name]; twice {
			t.Errorf("two tensors %s", name)
		}
		f.constants[name] = constant
	}
	for field, into := range map[protowire.Number]*[]value{11: &f.inputs, 12: &f.outputs, 13: &f.between} {
		for _, b := range graph.bytes[field] {
			*into = append(*into, readValue(t, parse(t, b)))
		}
	}
	return f
}

func readNode(t *testing.T, m message) op {
	t.Helper()
	n := op{inputs: m.texts(1), outputs: m.texts(2), name: m.text(t, 3), kind: m.text(t, 4), attributes: make(map[string][]int)}
	for _, b := range m.bytes[5] {
		attribute := parse(t, b)
		field := map[uint64]protowire.Number{2: 3, 7: 8}[attribute.number(t, 20)] // INT is in i, INTS is in ints
		for _, v := range attribute.numbers[field] {
			n.attributes[attribute.text(t, 1)] = append(n.attributes[attribute.text(t, 1)], int(v))
		}
	}
	return n
}

func readConstant(t *testing.T, m message) (name string, a array) {
	t.Helper()
	if m.number(t, 2) != 1 {
		t.Errorf("data type %d, want 1, FLOAT", m.number(t, 2))
	}
	size := 1
	for _, d := range m.numbers[1] {
		a.shape = append(a.shape, int(d))
		size *= int(d)
	}
	raw := m.sub(t, 9)
	if len(raw) != 4*size {
		t.Fatalf("%d bytes for shape %v", len(raw), a.shape)
	}
	for x := range slices.Chunk(raw, 4) {
		a.data = append(a.data, float64(math.Float32frombits(binary.LittleEndian.Uint32(x))))
	}
	return m.text(t, 8), a
}

func readValue(t *testing.T, m message) value {
	t.Helper()
	v := value{name: m.text(t, 1)}
	tensor := parse(t, parse(t, m.sub(t, 2)).sub(t, 1))
	if tensor.number(t, 1) != 1 {
		t.Errorf("%s has element type %d, want 1, FLOAT", v.name, tensor.number(t, 1))
	}
	for _, b := range parse(t, tensor.sub(t, 2)).bytes[1] {
		if d := parse(t, b); len(d.numbers[1]) > 0 {
			v.sizes = append(v.sizes, int(d.number(t, 1)))
		} else {
			v.sizes = append(v.sizes, d.text(t, 2))
		}
	}
	return v
}
