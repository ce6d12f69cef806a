package tensorboard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// This file implements the part of the event file format that curves and texts need.
//
// A file is a sequence of records (TFRecord), numbers little-endian:
//
//	uint64 length | uint32 masked CRC of the length's bytes | data | uint32 masked CRC of the data
//
// The data is a protocol buffer message Event, see testdata/event.proto. The first Event names the format version, the
// others hold values at a step.
//
// TensorBoard reads a folder's files in the order of their names, each to its end, and never returns to an earlier one.
// So a process that continues in a folder creates a file whose name follows all others.

// namePattern contains the time of the first event, in seconds since 1970.
const (
	namePattern = "events.out.tfevents.%010d.tengen"
	nameGlob    = "events.out.tfevents.*"
)

// create creates a folder's next file and writes its first event. The name has the time at, or a later one if it
// would otherwise not follow all others.
func create(folder string, at time.Time) (*Recorder, error) {
	last, err := LastStep(folder)
	if err != nil {
		return nil, err
	}
	files, err := Files(folder)
	if err != nil {
		return nil, err
	}
	second := at.Unix()
	if len(files) > 0 {
		second = max(second, begun(files[len(files)-1])+1)
	}
	name := filepath.Join(folder, fmt.Sprintf(namePattern, second))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	version := appendBytes(appendTime(nil, at), eventFileVersion, "brain.Event:2")
	if _, err := f.Write(newRecord(version)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Recorder{f, last}, nil
}

// begun returns the time in a file's name, 0 if there is none.
func begun(file string) (second int64) {
	fmt.Sscanf(filepath.Base(file), "events.out.tfevents.%d", &second)
	return second
}

// Files lists a folder's event files, without links, in TensorBoard's reading order.
func Files(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder) // sorted by name
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ok, _ := filepath.Match(nameGlob, e.Name()); ok && e.Type().IsRegular() {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files, nil
}

// LastStep returns the highest step in a folder's event files, -1 if there is none. It reads each file up to the first
// incomplete record, which a killed process may have left.
func LastStep(folder string) (int64, error) {
	files, err := Files(folder)
	if err != nil {
		return 0, err
	}
	last := int64(-1)
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		for record := range records(content) {
			last = max(last, stepOf(record))
		}
	}
	return last, nil
}

// records yields the data of each record before the first incomplete or damaged one.
func records(content []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		const head, tail = 8 + 4, 4
		for len(content) >= head {
			length := binary.LittleEndian.Uint64(content)
			if binary.LittleEndian.Uint32(content[8:]) != maskedCRC(content[:8]) || length > uint64(len(content)) ||
				uint64(len(content)) < head+length+tail {
				return
			}
			data, rest := content[head:head+length], content[head+length:]
			if binary.LittleEndian.Uint32(rest) != maskedCRC(data) || !yield(data) {
				return
			}
			content = rest[tail:]
		}
	}
}

// stepOf returns an event's step, -1 if the event holds no values.
func stepOf(event []byte) int64 {
	step, values := int64(0), false
	for len(event) > 0 {
		field, kind, n := protowire.ConsumeField(event)
		if n < 0 {
			return -1
		}
		if field == eventStep && kind == protowire.VarintType {
			x, _ := protowire.ConsumeVarint(event[protowire.SizeTag(field):])
			step = int64(x)
		}
		values = values || field == eventSummary
		event = event[n:]
	}
	if !values {
		return -1
	}
	return step
}

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

// text returns a value for TensorBoard's text plugin: a tensor of one string.
func text(tag, markdown string) []byte {
	tensor := appendInt(nil, tensorType, typeString)
	tensor = appendBytes(tensor, tensorShape, appendBytes(nil, shapeDimension, appendInt(nil, dimensionSize, 1)))
	tensor = appendBytes(tensor, tensorStrings, markdown)
	plugin := appendBytes(nil, pluginName, "text")
	value := appendBytes(appendBytes(nil, valueTag, tag), valueTensor, tensor)
	return appendBytes(value, valueMetadata, appendBytes(nil, metadataPlugin, plugin))
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
