package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file is about the format of event files, as far as curves need it.
//
// A file is a sequence of records (TFRecord), numbers little-endian:
//
//	uint64 length | uint32 masked CRC of the length's bytes | data | uint32 masked CRC of the data
//
// with CRC-32C and mask(c) = ((c >> 15) | (c << 17)) + 0xa282ead8. The data is a message Event of protocol buffers; the messages
// that are used here stand in testdata/event.proto. The first one names the version of the format, the others hold values at a
// step.
//
// TensorBoard reads the files of a folder in the order of their names, each to its end, and never goes back. So a process that
// goes on with a folder begins a file behind those that are there.

// Event is what happened at a step. It holds scalars, or a text, or nothing.
type Event struct {
	Time    time.Time
	Step    int64
	Scalars []Scalar
	Text    *Text
}

// Scalar is a point of a curve.
type Scalar struct {
	Tag   string // groups are named before a slash
	Value float32
	About string // what the curve is, in Markdown; may be empty
}

// Text is shown as Markdown.
type Text struct{ Tag, Markdown string }

// fileVersion is what the first event of a file says.
const fileVersion = "brain.Event:2"

// Numbers of the fields, see testdata/event.proto.
const (
	eventWallTime, eventStep, eventFileVersion, eventSummary = 1, 2, 3, 5

	summaryValue                                      = 1
	valueTag, valueSimple, valueTensor, valueMetadata = 1, 2, 8, 9
	metadataPlugin, metadataDescription, pluginName   = 1, 3, 1
	tensorType, tensorShape, tensorStrings            = 1, 2, 8
	shapeDimension, dimensionSize                     = 2, 1
	typeString                                        = 7 // of DataType
)

// appendVersion appends the message of the first event of a file.
func appendVersion(b []byte, at time.Time) []byte {
	b = appendDouble(b, eventWallTime, seconds(at))
	return appendString(b, eventFileVersion, fileVersion)
}

// appendEvent appends the message of an event.
func appendEvent(b []byte, e Event) []byte {
	b = appendDouble(b, eventWallTime, seconds(e.Time))
	b = appendInt(b, eventStep, e.Step)
	var summary []byte
	for _, s := range e.Scalars {
		value := appendString(nil, valueTag, s.Tag)
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(s.Value))
		if s.About != "" {
			value = appendBytes(value, valueMetadata, appendString(nil, metadataDescription, s.About))
		}
		summary = appendBytes(summary, summaryValue, value)
	}
	if e.Text != nil {
		summary = appendBytes(summary, summaryValue, textValue(*e.Text))
	}
	return appendBytes(b, eventSummary, summary)
}

// textValue is a value of TensorBoard's plugin for texts: a tensor of one string.
func textValue(t Text) []byte {
	shape := appendBytes(nil, shapeDimension, appendInt(nil, dimensionSize, 1))
	tensor := appendInt(nil, tensorType, typeString)
	tensor = appendBytes(tensor, tensorShape, shape)
	tensor = appendString(tensor, tensorStrings, t.Markdown)
	plugin := appendString(nil, pluginName, "text")
	value := appendString(nil, valueTag, t.Tag)
	value = appendBytes(value, valueTensor, tensor)
	return appendBytes(value, valueMetadata, appendBytes(nil, metadataPlugin, plugin))
}

// seconds is a time since 1970, with fractions.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func appendDouble(b []byte, field protowire.Number, x float64) []byte {
	b = protowire.AppendTag(b, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(x))
}

func appendInt(b []byte, field protowire.Number, x int64) []byte {
	b = protowire.AppendTag(b, field, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(x))
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendBytes(b []byte, field protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), data)
}

// appendRecord appends a record with the given data.
func appendRecord(b, data []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(b[start:]))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedCRC(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is the CRC-32C, turned and shifted so that the checksum of data that holds checksums is none of them.
func maskedCRC(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
