package tensorboard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Writer appends events to a file. It is not safe for concurrent use.
type Writer struct {
	file *os.File
	last int64 // highest step
}

// namePattern contains the time of the first event, in seconds since 1970.
const (
	namePattern = "events.out.tfevents.%010d.tengen"
	nameGlob    = "events.out.tfevents.*"
)

// Create creates a file in a folder and writes its first event, with the given time. The name's time is later if
// necessary to order the file after existing ones.
func Create(folder string, at time.Time) (*Writer, error) {
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
	w := &Writer{f, last}
	if err := w.write(appendVersion(nil, at)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// begun returns the time in a file's name, 0 if there is none.
func begun(file string) (second int64) {
	fmt.Sscanf(filepath.Base(file), "events.out.tfevents.%d", &second)
	return second
}

// Last returns the highest step in the folder, -1 if there is none.
func (w *Writer) Last() int64 { return w.last }

// Write appends an event in a single write, which readers see whole or not at all.
func (w *Writer) Write(e Event) error {
	if err := w.write(appendEvent(nil, e)); err != nil {
		return err
	}
	w.last = max(w.last, e.Step)
	return nil
}

func (w *Writer) write(message []byte) error {
	_, err := w.file.Write(appendRecord(nil, message))
	return err
}

// Close flushes the file to disk and closes it.
func (w *Writer) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

// Files lists a folder's event files in TensorBoard's reading order.
func Files(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ok, _ := filepath.Match(nameGlob, e.Name()); ok {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// LastStep returns the highest step in a folder's event files, -1 if there is none. It reads a file up to the first
// incomplete record, which a process killed while writing leaves behind.
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

// records yields the data of each record up to the first incomplete one.
func records(content []byte) func(yield func(data []byte) bool) {
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

// stepOf returns the step of an event that holds values, -1 for any other.
func stepOf(event []byte) int64 {
	step, values := int64(0), false
	for len(event) > 0 {
		field, kind, n := protowire.ConsumeTag(event)
		if n < 0 {
			return -1
		}
		event = event[n:]
		if field == eventStep && kind == protowire.VarintType {
			x, _ := protowire.ConsumeVarint(event)
			step = int64(x)
		}
		values = values || field == eventSummary
		if n = protowire.ConsumeFieldValue(field, kind, event); n < 0 {
			return -1
		}
		event = event[n:]
	}
	if !values {
		return -1
	}
	return step
}
