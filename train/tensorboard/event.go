package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file implements the part of the event file format that curves and texts need.
//
// A file is a sequence of records (TFRecord), numbers little-endian:
//
//	uint64 length | uint32 masked CRC of the length's bytes | data | uint32 masked CRC of the data
//
// with CRC-32C and mask(c) = ((c >> 15) | (c << 17)) + 0xa282ead8. The data is a protocol buffer message Event, see
// testdata/event.proto. The first one names the format version, the others hold values at a step.
//
// TensorBoard reads a folder's files in the order of their names, each to its end, and never goes back. So a process
// that continues in a folder creates a file ordered after the existing ones.

// Event holds the scalars or the text of a step, or nothing.
type Event struct {
	Time    time.Time
	Step    int64
	Scalars []Scalar
	Text    *Text
}

// Scalar is a point of a curve.
type Scalar struct {
	Tag   string // the part before the first slash is the group
	Value float32
	About string // description in Markdown, may be empty
}

// Text is text that TensorBoard shows as Markdown.
type Text struct{ Tag, Markdown string }

const fileVersion = "brain.Event:2"

// Field numbers, see testdata/event.proto.
const (
	eventWallTime, eventStep, eventFileVersion, eventSummary = 1, 2, 3, 5

	summaryValue                                      = 1
	valueTag, valueSimple, valueTensor, valueMetadata = 1, 2, 8, 9
	metadataPlugin, metadataDescription, pluginName   = 1, 3, 1
	tensorType, tensorShape, tensorStrings            = 1, 2, 8
	shapeDimension, dimensionSize                     = 2, 1
	typeString                                        = 7 // of DataType
)

func appendVersion(b []byte, at time.Time) []byte {
	b = appendDouble(b, eventWallTime, seconds(at))
	return appendString(b, eventFileVersion, fileVersion)
}

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

// textValue returns a value for TensorBoard's text plugin: a tensor of one string.
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

// seconds returns the seconds since 1970, with milliseconds.
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

func appendRecord(b, data []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(b[start:]))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, maskedCRC(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC returns the CRC-32C, rotated and offset because data may itself contain checksums.
func maskedCRC(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
