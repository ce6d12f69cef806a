package tensorboard

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// write makes a file in a folder with an event for each step.
func write(t *testing.T, folder string, at time.Time, steps ...int64) string {
	t.Helper()
	r, err := create(folder, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if err := r.write(at, step); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.file.Name()
}

// The check value of CRC-32C (RFC 3720, B.4, has the polynomial), masked.
func TestMaskedCRC(t *testing.T) {
	if got := maskedCRC([]byte("123456789")); got != 0xc78ab0e5 {
		t.Errorf("%#x", got)
	}
}

// Values are written as the sample, which protoc reads.
func TestSample(t *testing.T) {
	r, err := create(t.TempDir(), noon)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, err := range []error{
		r.write(noon, 0, text("config", "    game: connect4")),
		r.write(noon.Add(time.Second), 300, scalar("loss/value", 0.5, "the *loss*"), scalar("elo/elo", -12.25, "")),
		r.write(noon.Add(2*time.Second), 1<<40, scalar("loss/value", 0.25, "")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(r.file.Name())
	if err != nil {
		t.Fatal(err)
	}
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

// protoc, where it is installed, reads the sample by TensorBoard's messages as sample.txt, and knows its every field.
func TestProtocReads(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip("protoc is not installed: it is in Debian's package protobuf-compiler")
	}
	var read strings.Builder
	for record := range records(sample(t)) {
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

// A file comes behind those that are there, whatever the clock says, and knows how far they go.
func TestCreateContinues(t *testing.T) {
	folder := t.TempDir()
	want := []string{write(t, folder, noon, 300), write(t, folder, noon.Add(-time.Hour), 400), write(t, folder, noon)}
	if files, err := Files(folder); err != nil || !slices.Equal(files, want) {
		t.Errorf("files %q, %v, want %q", files, err, want)
	}
	r, err := create(folder, noon)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.last != 400 {
		t.Errorf("the last step is %d, want 400", r.last)
	}
}

// Wherever a file is cut, or a byte altered, its whole records before that count.
func TestLastStepOfDamagedFiles(t *testing.T) {
	content, folder := sample(t), t.TempDir()
	steps := []int64{-1, 0, 300, 1 << 40}
	var ends []int // of the records
	end := 0
	for record := range records(content) {
		end += 16 + len(record)
		ends = append(ends, end)
	}
	if end != len(content) || len(ends) != len(steps) {
		t.Fatalf("%d records of %d bytes", len(ends), end)
	}
	for cut := range content {
		want := int64(-1)
		for i, end := range ends {
			if end <= cut {
				want = steps[i]
			}
		}
		altered := bytes.Clone(content)
		altered[cut] ^= 0x40
		for what, damaged := range map[string][]byte{"cut": content[:cut], "altered": altered} {
			if err := os.WriteFile(filepath.Join(folder, "events.out.tfevents.1"), damaged, 0o644); err != nil {
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
