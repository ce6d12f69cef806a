package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

var sample = []Event{
	{Time: noon, Text: &Text{"config", "    game: connect4"}},
	{Time: noon.Add(time.Second), Step: 300, Scalars: []Scalar{{"loss/value", 0.5, "the *loss*"}, {"elo/elo", -12.25, ""}}},
	{Time: noon.Add(2 * time.Second), Step: 1 << 40, Scalars: []Scalar{{"loss/value", 0.25, ""}}},
}

// write makes a file of events in a folder.
func write(t *testing.T, folder string, at time.Time, events ...Event) string {
	t.Helper()
	w, err := Create(folder, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.file.Name()
}

// The check value of CRC-32C (RFC 3720, B.4, has the polynomial), masked.
func TestMaskedCRC(t *testing.T) {
	if got := maskedCRC([]byte("123456789")); got != 0xc78ab0e5 {
		t.Errorf("%#x", got)
	}
}

// readRecords takes a file apart by itself, and checks both checksums of every record bit by bit.
func readRecords(t *testing.T, name string) (all [][]byte) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	unmasked := func(b []byte) uint32 {
		c := binary.LittleEndian.Uint32(b) - 0xa282ead8
		return c>>17 | c<<15
	}
	for len(content) > 0 {
		length := int(binary.LittleEndian.Uint64(content))
		if got, want := unmasked(content[8:12]), bitwiseCRC(content[:8]); got != want {
			t.Fatalf("record %d: checksum of the length %#x, want %#x", len(all), got, want)
		}
		data := content[12 : 12+length]
		if got, want := unmasked(content[12+length:]), bitwiseCRC(data); got != want {
			t.Fatalf("record %d: checksum %#x, want %#x", len(all), got, want)
		}
		all, content = append(all, data), content[16+length:]
	}
	return all
}

// bitwiseCRC is CRC-32C as the polynomial says.
func bitwiseCRC(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			low := crc & 1
			crc >>= 1
			if low == 1 {
				crc ^= crc32.Castagnoli
			}
		}
	}
	return ^crc
}

// sampleText is what the records of sample say, as protoc writes it.
const sampleText = `wall_time: 1767355200.25
file_version: "brain.Event:2"
wall_time: 1767355200.25
summary {
  value {
    tag: "config"
    tensor {
      dtype: DT_STRING
      tensor_shape {
        dim {
          size: 1
        }
      }
      string_val: "    game: connect4"
    }
    metadata {
      plugin_data {
        plugin_name: "text"
      }
    }
  }
}
wall_time: 1767355201.25
step: 300
summary {
  value {
    tag: "loss/value"
    simple_value: 0.5
    metadata {
      summary_description: "the *loss*"
    }
  }
  value {
    tag: "elo/elo"
    simple_value: -12.25
  }
}
wall_time: 1767355202.25
step: 1099511627776
summary {
  value {
    tag: "loss/value"
    simple_value: 0.25
  }
}
`

// protoc, where it is installed, reads what was written by TensorBoard's messages, and knows every field of it.
func TestProtocReads(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip("protoc is not installed: it is in Debian's package protobuf-compiler")
	}
	var text strings.Builder
	for _, record := range readRecords(t, write(t, t.TempDir(), noon, sample...)) {
		cmd := exec.Command(protoc, "--decode=tensorboard.Event", "--proto_path=testdata", "event.proto")
		cmd.Stdin = strings.NewReader(string(record))
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		text.Write(said)
	}
	if text.String() != sampleText {
		t.Errorf("protoc reads\n%swant\n%s", text.String(), sampleText)
	}
}

// Google's library reads the scalars, by a description of the messages that is made here.
func TestScalarsAreRead(t *testing.T) {
	field := func(name string, number int32, kind descriptorpb.FieldDescriptorProto_Type, message string) *descriptorpb.FieldDescriptorProto {
		f := &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number, Type: &kind, Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
		if message != "" {
			f.TypeName = &message
		}
		if name == "value" {
			f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		}
		return f
	}
	message := descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("event.proto"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("Event"), Field: []*descriptorpb.FieldDescriptorProto{
				field("wall_time", 1, descriptorpb.FieldDescriptorProto_TYPE_DOUBLE, ""),
				field("step", 2, descriptorpb.FieldDescriptorProto_TYPE_INT64, ""),
				field("file_version", 3, descriptorpb.FieldDescriptorProto_TYPE_STRING, ""),
				field("summary", 5, message, ".Summary"),
			}},
			{Name: proto.String("Summary"), Field: []*descriptorpb.FieldDescriptorProto{field("value", 1, message, ".Value")}},
			{Name: proto.String("Value"), Field: []*descriptorpb.FieldDescriptorProto{
				field("tag", 1, descriptorpb.FieldDescriptorProto_TYPE_STRING, ""),
				field("simple_value", 2, descriptorpb.FieldDescriptorProto_TYPE_FLOAT, ""),
			}},
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := readRecords(t, write(t, t.TempDir(), noon, sample...))
	if len(all) != 1+len(sample) {
		t.Fatalf("%d records", len(all))
	}
	for i, want := range sample {
		event := dynamicpb.NewMessage(file.Messages().ByName("Event"))
		if err := proto.Unmarshal(all[1+i], event); err != nil {
			t.Fatal(err)
		}
		fields := event.Descriptor().Fields()
		if got := event.Get(fields.ByName("step")).Int(); got != want.Step {
			t.Errorf("event %d: step %d", i, got)
		}
		if got := event.Get(fields.ByName("wall_time")).Float(); got != seconds(want.Time) {
			t.Errorf("event %d: time %v", i, got)
		}
		summary := event.Get(fields.ByName("summary")).Message()
		values := summary.Get(summary.Descriptor().Fields().ByName("value")).List()
		for k, s := range want.Scalars {
			value := values.Get(k).Message()
			names := value.Descriptor().Fields()
			if tag, x := value.Get(names.ByName("tag")).String(), value.Get(names.ByName("simple_value")).Float(); tag != s.Tag || x != float64(s.Value) {
				t.Errorf("event %d: %s is %v", i, tag, x)
			}
		}
	}
}

// A file comes behind those that are there, whatever the clock says, and knows how far they go.
func TestCreateGoesOn(t *testing.T) {
	folder := t.TempDir()
	first := write(t, folder, noon, sample[1])
	second := write(t, folder, noon.Add(-time.Hour), Event{Step: 400})
	third := write(t, folder, noon)
	for i, name := range []string{first, second, third} {
		files, err := Files(folder)
		if err != nil || len(files) != 3 || files[i] != name {
			t.Errorf("file %d of %q is not %s, %v", i, files, name, err)
		}
	}
	w, err := Create(folder, noon)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.Last() != 400 {
		t.Errorf("the last step is %d, want 400", w.Last())
	}
}

// Wherever a file is cut, or a byte altered, its whole records before that count.
func TestLastStepOfDamagedFiles(t *testing.T) {
	name := write(t, t.TempDir(), noon, sample[1], sample[2])
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int // of the records
	for i, record := range readRecords(t, name) {
		end := 16 + len(record)
		if i > 0 {
			end += ends[i-1]
		}
		ends = append(ends, end)
	}
	steps := []int64{-1, 300, 1 << 40}
	folder := t.TempDir()
	for cut := range content {
		want := int64(-1)
		for i, end := range ends {
			if end <= cut {
				want = steps[i]
			}
		}
		altered := append([]byte(nil), content...)
		altered[cut] ^= 0x40
		for what, damaged := range map[string][]byte{"cut": content[:cut], "altered": altered} {
			if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := LastStep(folder); err != nil || got != want {
				t.Fatalf("%s at byte %d: last step %d, %v, want %d", what, cut, got, err, want)
			}
		}
	}
	if _, err := LastStep(filepath.Join(t.TempDir(), "missing")); !os.IsNotExist(err) {
		t.Errorf("error %v for a folder that is not there", err)
	}
}
