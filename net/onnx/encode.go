package onnx

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Versions of ONNX 1.12. The operators in use have not changed since operator set 14.
const (
	irVersion    = 8
	opsetVersion = 17
)

// Field and enumeration numbers from onnx.proto.
const (
	modelIRVersion, modelProducer, modelProducerVersion, modelDoc = 1, 2, 3, 6
	modelGraph, modelOpset, modelMetadata                         = 7, 8, 14
	opsetDomain, opsetNumber                                      = 1, 2
	entryKey, entryValue                                          = 1, 2

	graphNode, graphName, graphInitializer              = 1, 2, 5
	graphInput, graphOutput, graphValueInfo             = 11, 12, 13
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttr   = 1, 2, 3, 4, 5
	attributeName, attributeInt, attributeInts          = 1, 3, 8
	attributeType, typeInt, typeInts                    = 20, 2, 7
	tensorDims, tensorDataType, tensorName, tensorBytes = 1, 2, 8, 9
	typeFloat                                           = 1

	valueInfoName, valueInfoType, typeTensor = 1, 2, 1
	tensorElement, tensorShape               = 1, 2
	shapeDim, dimValue, dimName              = 1, 1, 2
)

// Encode returns the bytes of the file, a ModelProto.
func (g *Graph) Encode() []byte {
	var m, opset message
	m.number(modelIRVersion, irVersion)
	m.text(modelProducer, "tengen")
	m.text(modelProducerVersion, g.Version)
	m.text(modelDoc, g.Doc)
	m.bytes(modelGraph, g.message())
	opset.text(opsetDomain, "") // the default operators
	opset.number(opsetNumber, opsetVersion)
	m.bytes(modelOpset, opset)
	for _, key := range slices.Sorted(maps.Keys(g.Metadata)) {
		var entry message
		entry.text(entryKey, key)
		entry.text(entryValue, g.Metadata[key])
		m.bytes(modelMetadata, entry)
	}
	return m
}

// message returns a GraphProto.
func (g *Graph) message() (m message) {
	for _, n := range g.nodes {
		m.bytes(graphNode, n.message())
	}
	m.text(graphName, "tengen")
	for _, t := range g.constants {
		m.bytes(graphInitializer, t.initializer())
	}
	for _, t := range g.inputs {
		m.bytes(graphInput, t.message())
	}
	for _, t := range g.outputs {
		m.bytes(graphOutput, t.message())
	}
	for _, n := range g.nodes {
		if !slices.Contains(g.outputs, n.output) {
			m.bytes(graphValueInfo, n.output.message())
		}
	}
	return m
}

// message returns a NodeProto.
func (n node) message() (m message) {
	for _, t := range n.inputs {
		m.text(nodeInput, t.Name)
	}
	m.text(nodeOutput, n.output.Name)
	m.text(nodeName, n.name)
	m.text(nodeOp, n.op)
	for _, a := range n.attributes {
		m.bytes(nodeAttr, a.message())
	}
	return m
}

// message returns an AttributeProto.
func (a attribute) message() (m message) {
	field, kind := protowire.Number(attributeInt), typeInt
	if a.list {
		field, kind = attributeInts, typeInts
	}
	m.text(attributeName, a.name)
	for _, v := range a.values {
		m.number(field, v)
	}
	m.number(attributeType, kind)
	return m
}

// message returns a ValueInfoProto.
func (t *Tensor) message() (m message) {
	var shape, sized, kind message
	for _, d := range t.Shape {
		var size message
		if d.Name != "" {
			size.text(dimName, d.Name)
		} else {
			size.number(dimValue, d.Size)
		}
		shape.bytes(shapeDim, size)
	}
	sized.number(tensorElement, typeFloat)
	sized.bytes(tensorShape, shape)
	kind.bytes(typeTensor, sized)
	m.text(valueInfoName, t.Name)
	m.bytes(valueInfoType, kind)
	return m
}

// initializer returns a TensorProto.
func (t *Tensor) initializer() (m message) {
	for _, d := range t.Shape {
		m.number(tensorDims, d.Size)
	}
	m.number(tensorDataType, typeFloat)
	m.text(tensorName, t.Name)
	raw := make([]byte, 0, 4*len(t.Data))
	for _, x := range t.Data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	m.bytes(tensorBytes, raw)
	return m
}

// message is a protocol buffers message, to which fields can be added.
type message []byte

func (m *message) number(field protowire.Number, x int) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(x))
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}
