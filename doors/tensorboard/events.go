package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file implements the part of the event file format that curves need.
//
// A file is a sequence of records (TFRecord), numbers little-endian:
//
//	uint64 length | uint32 masked CRC of the length's bytes | data | uint32 masked CRC of the data
//
// The data is a protocol buffer message Event, see testdata/event.proto. The first Event names the format version, the
// others hold values at a step.

// Field numbers, see testdata/event.proto.
const (
	eventWallTime, eventStep, eventFileVersion, eventSummary = 1, 2, 3, 5

	summaryValue                         = 1
	valueTag, valueSimple, valueMetadata = 1, 2, 9
	metadataDescription                  = 3
)

// firstEvent returns the event that begins a file.
func firstEvent(at time.Time) []byte {
	return appendBytes(appendTime(nil, at), eventFileVersion, "brain.Event:2")
}

func newEvent(at time.Time, step int64, values ...[]byte) []byte {
	var summary []byte
	for _, v := range values {
		summary = appendBytes(summary, summaryValue, v)
	}
	return appendBytes(appendInt(appendTime(nil, at), eventStep, step), eventSummary, summary)
}

// scalar returns a point of a curve. The tag begins with the curve's group and a slash. The description is Markdown.
func scalar(tag string, x float32, description string) []byte {
	value := appendBytes(nil, valueTag, tag)
	value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
	value = protowire.AppendFixed32(value, math.Float32bits(x))
	if description == "" {
		return value
	}
	return appendBytes(value, valueMetadata, appendBytes(nil, metadataDescription, description))
}

// appendTime appends an event's time, the seconds since 1970 with milliseconds.
func appendTime(b []byte, t time.Time) []byte {
	b = protowire.AppendTag(b, eventWallTime, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(float64(t.UnixMilli())/1000))
}

func appendInt(b []byte, field protowire.Number, x int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(x))
}

func appendBytes[T string | []byte](b []byte, field protowire.Number, data T) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), string(data))
}

func newRecord(data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(b))
	return binary.LittleEndian.AppendUint32(append(b, data...), maskedCRC(data))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC returns TFRecord's checksum, a rotated and offset CRC-32C: data may itself contain plain CRCs.
func maskedCRC(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}
