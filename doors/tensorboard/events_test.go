package tensorboard

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The check value of CRC-32C (RFC 3720, B.4, has the polynomial), masked.
func TestMaskedCRC(t *testing.T) {
	if got := maskedCRC([]byte("123456789")); got != 0xc78ab0e5 {
		t.Errorf("%#x", got)
	}
}

// Values are written as the sample, which protoc reads.
func TestSample(t *testing.T) {
	got := slices.Concat(
		newRecord(firstEvent(noon)),
		newRecord(newEvent(noon.Add(time.Second), 300, scalar("loss/value", 0.5, "the *loss*"), scalar("elo/elo", -12.25, ""))),
		newRecord(newEvent(noon.Add(2*time.Second), 1<<40, scalar("loss/value", 0.25, ""))))
	if want := sample(t); !bytes.Equal(got, want) {
		t.Errorf("written\n%q, want\n%q", got, want)
	}
}

func sample(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/sample.tfevents")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// records returns the data of an event file's records.
func records(content []byte) (all [][]byte) {
	for len(content) > 0 {
		end := 12 + binary.LittleEndian.Uint64(content)
		all, content = append(all, content[12:end]), content[end+4:]
	}
	return all
}

// protoc, where it is installed, reads the sample by TensorBoard's messages as sample.txt, and knows its every field.
func TestProtocReads(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip("protoc is not installed: it is in Debian's package protobuf-compiler")
	}
	var read strings.Builder
	for _, record := range records(sample(t)) {
		cmd := exec.Command(protoc, "--decode=tensorboard.Event", "--proto_path=testdata", "event.proto")
		cmd.Stdin = bytes.NewReader(record)
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		read.Write(said)
	}
	want, err := os.ReadFile("testdata/sample.txt")
	if err != nil || read.String() != string(want) {
		t.Errorf("protoc reads\n%swant\n%s, error %v", read.String(), want, err)
	}
}
